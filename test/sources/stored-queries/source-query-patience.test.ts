import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import type { InstantData, SourceOpener } from '../../../src/sources/source.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { fakeSource } from '../../support/fake-source.ts'
import { type FaultySource, faultySource } from '../../support/faulty-source.ts'
import { dump } from '../../support/populated.ts'
import { queryCalls } from '../../support/query-calls.ts'

let nines: TestApp
let hanging: FaultySource
let on: Awaited<ReturnType<typeof queryCalls>>
beforeEach(async () => {
  hanging = faultySource('hang')
  closeLater(hanging.close)
  nines = await testApp({ env: { SOURCE_URL: hanging.url, SOURCE_TIMEOUT: '60', EVALUATION_CONCURRENCY: '4' } })
  await nines.join('ada')
  on = await queryCalls(nines)
})
afterEach(async () => {
  await nines.close()
  closeAll()
})

const runDue = () => nines.app.sourceQueryRuns.runDue()

/** Ends all queries that hang. */
const endSource = async (runs: Promise<void>) => {
  hanging.close()
  await runs
}

describe('a source that hangs', () => {
  test('holds up no query of another source', async () => {
    const healthy = fakeSource(() => 0.5)
    closeLater(healthy.close)
    const { body } = await nines.call('POST', '/api/v1/tsdb/sources', { name: 'healthy', api_url: healthy.url })
    const stuck = await on.stored()
    const first = runDue()
    await hanging.until(() => hanging.asked.length === 1)
    const quick = await on.stored({ source_id: body.id })
    await runDue()
    nines.clock.advance(60_000)
    await runDue()
    expect((await on.history(quick)).total).toBe(2)
    expect((await on.history(stuck)).total).toBe(0)
    await endSource(first)
    expect((await on.history(stuck)).executions).toMatchObject([{ status: 'error' }])
  })

  test('is not queried again by a later call, however often the query has been due since', async () => {
    const id = await on.stored({ evaluation_interval_seconds: 10 })
    const first = runDue()
    await hanging.until(() => hanging.asked.length === 1)
    for (let run = 0; run < 5; run += 1) {
      nines.clock.advance(10_000)
      await runDue()
    }
    expect(hanging.asked).toHaveLength(1)
    await endSource(first)
    await runDue()
    expect((await on.history(id)).total).toBe(1) // due next 60 s after the start
    nines.clock.advance(10_000)
    await runDue()
    expect((await on.history(id)).total).toBe(2)
  })

  test('holds up no shutdown, and is written nothing of after it', async () => {
    const dying = await testApp({ env: { SOURCE_URL: hanging.url, SOURCE_TIMEOUT: '60' } })
    await dying.join('ada')
    await (await queryCalls(dying)).stored()
    const runs = dying.app.sourceQueryRuns.runDue()
    await hanging.until(() => hanging.asked.length === 1)
    await dying.app.close()
    await endSource(runs)
    await dying.app.sourceQueryRuns.runDue()
    expect(dump(dying)).toMatchObject({ executions: [], source_queries: [{ next_run_at: testStartMs }] })
    expect(dying.logged.filter((line) => line.includes('"error"'))).toEqual([])
    rmSync(dying.dataDir, { recursive: true })
  })
})

test('many queries of one source are all run, half of EVALUATION_CONCURRENCY at once', async () => {
  let inFlight = 0
  let max = 0
  const instant = async () => {
    inFlight += 1
    max = Math.max(max, inFlight)
    await new Promise(setImmediate)
    inFlight -= 1
    const data: InstantData = { resultType: 'scalar', result: [testStartMs / 1000, '1'] }
    return { data, warnings: [], infos: [], isPartial: false, durationMs: 0 }
  }
  const opener: SourceOpener = { open: () => ({ name: 'quick', instant, range: () => Promise.reject(new Error()) }) }
  const busy = await testApp({ env: { SOURCE_URL: 'http://quick.example', EVALUATION_CONCURRENCY: '6' }, opener })
  await busy.join('ada')
  const { stored } = await queryCalls(busy)
  const ids: (number | null)[] = []
  for (let query = 0; query < 70; query += 1) ids.push(await stored())
  await busy.app.sourceQueryRuns.runDue()
  const rows = await busy.app.db.read.selectFrom('executions').select('query_id').orderBy('query_id').execute()
  expect(rows.map(({ query_id }) => query_id)).toEqual(ids)
  expect(max).toBe(3)
  await busy.close()
})

describe('while its source is queried, a query that', () => {
  /** Lets a run hang, does something, and then lets the run end. */
  async function meanwhile(query: object, act: (id: number) => Promise<unknown>): Promise<number> {
    const id = await on.stored(query)
    const runs = runDue()
    await hanging.until(() => hanging.asked.length > 0)
    nines.clock.advance(1000)
    await act(id)
    await endSource(runs)
    return id
  }

  test('is deleted leaves nothing behind', async () => {
    const id = await meanwhile({}, (id) => on.remove(id))
    expect((await on.read(id)).status).toBe(404)
    expect(await nines.app.db.read.selectFrom('executions').selectAll().execute()).toEqual([])
  })

  test('is changed keeps what was sent, and is run as it is now', async () => {
    const id = await meanwhile({}, (id) => on.change(id, { source_query: 'other' }))
    const { next_run_at } = await nines.app.db.read
      .selectFrom('source_queries')
      .select('next_run_at')
      .executeTakeFirstOrThrow()
    expect(next_run_at).toBe(testStartMs + 1000)
    expect((await on.history(id)).executions).toMatchObject([{ metadata: { expression: 'up' } }])
  })
})
