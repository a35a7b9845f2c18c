import { afterEach, beforeEach, expect, test } from 'bun:test'
import { getBackfill } from '../../src/slos/backfills/store.ts'
import { createBackfills } from '../../src/ledger/backfill/backfill.ts'
import type { Resolution } from '../../src/ledger/bucket.ts'
import { listBuckets } from '../../src/ledger/ledger-store.ts'
import { newDataDir, type TestApp, testApp, testStartMs } from '../support/app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

const now = testStartMs / 1000
const day = 86_400
const begun = now - 4 * day

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(counters)
  nines = await testApp({ env: { SOURCE_URL: source.url }, dataDir: newDataDir() })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const run = () => createBackfills(nines.app).run()

/** A service that began four days ago: a request a second, 9 in 10 good. */
function counters(expression: string, at: number): number | null {
  if (at <= begun) return null
  if (expression.startsWith('count_over_time')) return Number(/\[(\d+)s:/.exec(expression)?.[1])
  if (expression.includes(' unless ')) return at === begun + 60 ? 1 : null
  if (expression.startsWith('count')) return 1
  if (expression.includes(' / ')) return 0.9
  if (expression.includes('rate(')) return expression.includes('ok') ? 0.9 : 1
  const seconds = Number(/increase\(\w+\{\}\[(\d+)s\]/.exec(expression)?.[1] ?? 60)
  return expression.includes('ok') ? seconds * 0.9 : seconds
}

async function create(change = {}): Promise<number> {
  const { body } = await nines.call('POST', '/api/v1/slos', { ...checkout, ...change })
  return body.id
}

const stateOf = (id: number) => getBackfill(nines.app.db.read, 1, id)

async function bucketsOf(sloId: number, resolution: Resolution) {
  return listBuckets(nines.app.db.read, { sloId, revision: 1, resolution, startSeconds: 0, endSeconds: now })
}

test('the past of a new SLO comes from its source in few questions', async () => {
  const id = await create()
  await run()
  const [minutes, hours, days] = [await bucketsOf(id, 60), await bucketsOf(id, 3600), await bucketsOf(id, 86_400)]
  expect([minutes.length, hours.length, days.length]).toEqual([4320, 96, 4])
  expect(minutes.at(-1)).toMatchObject({ startSeconds: now - 60, good: 54, total: 60, coveredSeconds: 60 })
  expect(hours[0]).toMatchObject({ startSeconds: begun, good: 3240, total: 3600, coveredSeconds: 3600 })
  expect(await stateOf(id)).toMatchObject({ status: 'done', buckets: 4320 + 96 + 4 })
  expect(source.asked.length).toBeLessThan(100)
})

test('the past of ten SLOs that differ in a label costs no more questions than that of one', async () => {
  const one = await ranges(1)
  expect(await ranges(10)).toBe(one)

  async function ranges(count: number): Promise<number> {
    source.asked.length = 0
    for (let at = 0; at < count; at += 1) {
      const of = (metric: string) => `sum(rate(${metric}{service="s${at}"}[5m]))`
      await create({ name: `${count} ${at}`, metric_query: `${of('ok')} / ${of('all')}` })
    }
    await run()
    return source.asked.filter(({ kind }) => kind === 'range').length
  }
})

test('a query that the source refuses is reported in its words', async () => {
  source.script(() => {
    throw new Error('multiple matches for labels')
  })
  const id = await create()
  await run()
  expect(await stateOf(id)).toMatchObject({ status: 'failed', error: 'multiple matches for labels' })
})

test('nines that stops in between goes on where it was', async () => {
  const id = await create()
  await createBackfills({ ...nines.app, isClosing: () => source.asked.length >= 30 }).run()
  const { chunks_done, status } = await stateOf(id)
  expect(status).toBe('running')
  expect(chunks_done).toBeGreaterThan(0)
  await nines.app.close()
  source.asked.length = 0
  nines = await testApp({ env: { SOURCE_URL: source.url }, dataDir: nines.dataDir })
  await run()
  expect(await stateOf(id)).toMatchObject({ status: 'done', buckets: 4320 + 96 + 4 })
  const ends = source.asked.map((question) => {
    const isOfMinutes = question.kind === 'range' && question.stepSeconds === 60
    return isOfMinutes && !question.expression.includes('timestamp(') ? question.endSeconds : 0
  })
  expect(Math.max(...ends)).toBe(now - chunks_done * 43_200)
})
