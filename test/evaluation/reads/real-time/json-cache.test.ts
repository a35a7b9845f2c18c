import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Database } from '../../../../src/db/open.ts'
import { trackedTables } from '../../../../src/db/slo-changes.ts'
import { createRealTimeCache } from '../../../../src/evaluation/reads/real-time/json-cache.ts'
import { realTimeMetrics } from '../../../../src/evaluation/reads/real-time/metrics.ts'
import { presentMetric } from '../../../../src/evaluation/reads/real-time/model.ts'
import { putBuckets } from '../../../../src/ledger/ledger-store.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { countingReads } from '../../../support/counting-reads.ts'
import { evaluation, failure, put } from '../../../support/evaluations.ts'
import { seeded } from '../../../support/seeded.ts'
import { checkout } from '../../../support/slo-calls.ts'

const minute = 60
const day = 86_400
const slos = 320

let nines: TestApp
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', checkout)
  const { id: _, ...slo } = await nines.app.db.read.selectFrom('slos').selectAll().executeTakeFirstOrThrow()
  const more = Array.from({ length: slos - 1 }, (_, n) => ({
    ...slo,
    name: `"age_seconds":-1 ${n + 1} é`,
    labels: '{"age_seconds":"-1"}',
  }))
  await nines.app.db.write.insertInto('slos').values(more).execute()
})
afterEach(() => nines.close())

const deps = (read = nines.app.db.read) => ({ ...nines.app, db: { ...nines.app.db, read } as Database })
const read = (pieces: Uint8Array[] | null) => JSON.parse(new TextDecoder().decode(Buffer.concat(pieces ?? [])))

async function plain() {
  const metrics = await realTimeMetrics(nines.app, 1)
  return JSON.parse(JSON.stringify({ metrics: metrics.map(presentMetric), total: metrics.length }))
}

test.each([1, 2])('whatever changes, an answer is what is stored at that moment (seed %p)', async (seed) => {
  const random = seeded(seed)
  const answers = createRealTimeCache(nines.app)
  const { write } = nines.app.db
  const nowSeconds = () => Math.floor(nines.clock.now() / 1000)
  const someId = () => 1 + Math.floor(random() * slos)
  const someEvaluation = (atSeconds: number) => {
    const at = { sloId: someId(), atSeconds: Math.floor(atSeconds / minute) * minute }
    return random() < 0.2 ? failure(at) : evaluation({ ...at, current: random() * 100, own: random() * 100 })
  }
  const happenings: (() => unknown)[] = [
    () => nines.clock.advance(random() * 1500),
    () => nines.clock.advance(random() * 90_000),
    () => nines.clock.advance(4 * minute * 1000),
    () => nines.clock.advance(-random() * 10_000),
    () => nines.clock.advance(60_000 - (nines.clock.now() % 60_000)),
    () => put(write, ...Array.from({ length: 50 }, () => someEvaluation(nowSeconds()))),
    () => put(write, someEvaluation(nowSeconds() - day), someEvaluation(nowSeconds() - 7 * day)),
    () => put(write, someEvaluation(nowSeconds() + minute)),
    () =>
      write
        .updateTable('slos')
        .set({ name: `N${random()}` })
        .where('id', '=', someId())
        .execute(),
    () => write.updateTable('slos').set({ active: 0 }).where('id', '=', someId()).where('id', '<', 15).execute(),
    () => nines.call('PUT', `/api/v1/slos/${someId()}`, { target: 90 + random() * 9 }),
    () => write.updateTable('slos').set({ active: 1 }).where('id', '<', 15).execute(),
    () => write.updateTable('slos').set({ revision: 2 }).where('id', '=', someId()).execute(),
    () =>
      putBuckets(
        write,
        [60, 3600].map((resolution) => ({
          sloId: someId(),
          revision: 1,
          resolution: resolution as 60 | 3600,
          startSeconds: Math.floor((nowSeconds() - (resolution === 60 ? 1 : 7) * day) / 3600 - 1) * 3600,
          good: random(),
          total: 1,
          coveredSeconds: resolution,
          leadGood: 0,
          leadTotal: 0,
        })),
      ),
  ]
  for (let round = 0; round < 60; round += 1) {
    await happenings[Math.floor(random() * happenings.length)]?.()
    expect(read(await answers.getLarge(1))).toEqual(await plain())
  }
})

test('who asks at the same time shares one reading, and who asks later costs no statement', async () => {
  await put(nines.app.db.write, evaluation())
  nines.clock.advance(5000) // within a minute the values of a day ago do not change
  const { count, db } = countingReads(nines.app.db.read)
  const answers = createRealTimeCache(deps(db))
  const all = await Promise.all(Array.from({ length: 16 }, () => answers.getLarge(1)))
  expect(new Set(all).size).toBe(1)
  const forAll = count.statements
  expect(forAll).toBeLessThanOrEqual(15) // seven for each 200 SLOs, and one for the list
  nines.clock.advance(999 - (nines.clock.now() % 1000))
  await answers.getLarge(1)
  expect(count.statements).toBe(forAll)
  nines.clock.advance(1)
  await answers.getLarge(1)
  expect(count.statements).toBe(forAll) // only ages change
})

test('what was committed before somebody asked is in the answer, though another one is being written', async () => {
  const answers = createRealTimeCache(nines.app)
  const first = answers.getLarge(1)
  await Promise.resolve()
  for (let waited = 0; waited < 5; waited += 1) await new Promise((resolve) => setImmediate(resolve))
  await nines.app.db.write.updateTable('slos').set({ name: 'Renamed' }).where('id', '=', slos).execute()
  expect(read(await answers.getLarge(1)).metrics[0].slo_name).toBe('Renamed')
  await first
})

test('an SLO of which nothing has changed is not written again', async () => {
  await put(nines.app.db.write, evaluation(), evaluation({ sloId: 2 }))
  const answers = createRealTimeCache(nines.app)
  await answers.getLarge(1)
  const stringify = JSON.stringify
  let written = 0
  JSON.stringify = ((value: { slo_id?: number }, ...rest: []) => {
    if (value?.slo_id !== undefined) written += 1
    return stringify(value, ...rest)
  }) as typeof stringify
  try {
    await put(nines.app.db.write, evaluation({ sloId: 2, current: 99.1 }))
    await answers.getLarge(1)
    expect(written).toBe(1)
  } finally {
    JSON.stringify = stringify
  }
})

test('only the SLOs that were written to are read again, and all where that is not known', async () => {
  await put(nines.app.db.write, evaluation())
  const lists: number[][] = []
  const read = directReads((ids) => lists.push(ids))
  const answers = createRealTimeCache(deps(read))
  await answers.getLarge(1)
  lists.length = 0
  await put(nines.app.db.write, evaluation({ sloId: 2 }), evaluation({ sloId: 7 }))
  await nines.app.db.write.updateTable('users').set({ name: 'Ada L' }).execute()
  await answers.getLarge(1)
  expect(new Set(lists.map(String))).toEqual(new Set(['7,2']))
  lists.length = 0
  await nines.app.db.write.updateTable('users').set({ name: 'Ada' }).execute()
  await answers.getLarge(1)
  expect(lists).toEqual([])
  await nines.app.db.write.updateTable('slos').set({ description: 'x' }).execute()
  await answers.getLarge(1)
  expect(lists.flat()).toContain(slos)
})

test('every table that an answer is read from is one whose changes are tracked', async () => {
  await put(nines.app.db.write, evaluation({ atSeconds: Math.floor(nines.clock.now() / 60_000) * 60 }))
  const executor = nines.app.db.read.getExecutor()
  const { executeQuery } = executor
  const statements: string[] = []
  executor.executeQuery = (query) => {
    statements.push(query.sql)
    return executeQuery.call(executor, query) as never
  }
  await createRealTimeCache(nines.app).getLarge(1)
  const { rows } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(
    nines.app.db.read,
  )
  const read = rows.filter(({ name }) => statements.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
  expect(new Set(read.map(({ name }) => name))).toEqual(new Set(Object.keys(trackedTables)))
})

/** A read connection that reports the ids whose states are read. */
function directReads(onIds: (ids: number[]) => void) {
  const { read } = nines.app.db
  return read.withPlugin({
    transformQuery({ node }) {
      const { sql, parameters } = read.getExecutor().compileQuery(node, { queryId: 'x' })
      if (sql.includes('from "slo_states"')) onIds(JSON.parse(String(parameters[0])))
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

test('pieces in which nothing has changed are the same bytes', async () => {
  await put(nines.app.db.write, evaluation())
  const answers = createRealTimeCache(nines.app)
  const before = (await answers.getLarge(1)) ?? []
  await put(nines.app.db.write, evaluation({ sloId: 2, current: 99.1 }))
  const after = (await answers.getLarge(1)) ?? []
  expect(after.map((bytes, place) => bytes === before[place]).slice(0, -1)).toEqual([true, true, true, false])
})

test('an organization with few SLOs, or none, is left to be written at once', async () => {
  const answers = createRealTimeCache(nines.app)
  expect(await answers.getLarge(2)).toBeNull()
  await nines.app.db.write.updateTable('slos').set({ active: 0 }).where('id', '>', 300).execute()
  expect(await answers.getLarge(1)).toBeNull()
})

test('a reading that fails is not kept, and the next who asks begins another', async () => {
  let fails = true
  const failing = nines.app.db.read.withPlugin({
    transformQuery({ node }) {
      if (fails) throw new Error('no disk')
      return node
    },
    transformResult: async ({ result }) => result,
  })
  const answers = createRealTimeCache(deps(failing))
  await expect(answers.getLarge(1)).rejects.toThrow('no disk')
  fails = false
  expect(read(await answers.getLarge(1)).total).toBe(slos)
})
