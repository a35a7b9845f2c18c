import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { pruneOldRows } from '../../../src/jobs/prune.ts'
import { type TestApp, testApp, testStartMs } from '../../support/app.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { type FakeSource, fakeSource } from '../../support/fake-source.ts'
import { queryCalls } from '../../support/query-calls.ts'

let nines: TestApp
let source: FakeSource
let on: Awaited<ReturnType<typeof queryCalls>>
beforeEach(async () => {
  source = fakeSource(() => 0.75)
  closeLater(source.close)
  nines = await testApp({ env: { SOURCE_URL: source.url, RETENTION_DAYS: '30' } })
  await nines.join('ada')
  on = await queryCalls(nines)
})
afterEach(async () => {
  closeAll()
  await nines.close()
})

const minute = 60_000
const hour = 60 * minute
const startOfHour = testStartMs // 10:00:00
type Shown = { execution_time: string }

/** Runs due queries at these minutes after the start; those with `failing` fail. */
async function runAt(...minutes: (number | { failing: number })[]) {
  for (const at of minutes) {
    const isFailing = typeof at === 'object'
    source.script(() => {
      if (isFailing) throw new Error('no')
      return 1
    })
    nines.clock.advance(startOfHour + (isFailing ? at.failing : at) * minute - nines.clock.now())
    await nines.app.sourceQueryRuns.runDue()
  }
}

/** Minutes of a query's executions, oldest first; failed ones have the prefix `-`. */
async function kept(id: number): Promise<string[]> {
  const rows = await nines.app.db.read
    .selectFrom('executions')
    .select(['executed_at', 'status'])
    .where('query_id', '=', id)
    .orderBy('executed_at')
    .execute()
  return rows.map(({ executed_at, status }) => {
    return `${status === 'error' ? '-' : ''}${(executed_at - startOfHour) / minute}`
  })
}

describe('the history of a query', () => {
  test('is its own, newest first, as far as limit allows', async () => {
    const [id] = [await on.stored(), await on.stored()]
    await runAt(0, 1, 2)
    const { executions, total } = await on.history(id, '2')
    expect(total).toBe(3)
    expect(executions.map((one: Shown) => one.execution_time)).toEqual(
      [2, 1].map((minutes) => new Date(startOfHour + minutes * minute).toISOString()),
    )
    expect(executions.every((one: { query_id: number }) => one.query_id === id)).toBe(true)
  })

  test('has the newest 100 unless a limit is given', async () => {
    const id = await on.stored()
    await runAt(...Array.from({ length: 101 }, (_, minutes) => minutes))
    const { executions, total } = await on.history(id)
    expect([executions.length, total]).toEqual([100, 101])
    expect((await on.history(id, '1000')).executions).toHaveLength(101)
  })

  test.each(['0', '1001', '-1', 'x', '1.5'])('refuses the limit %s', async (limit) => {
    const { error, details } = await on.history(await on.stored(), limit)
    expect([error, details]).toEqual([
      'Invalid request',
      `limit: must be a whole number from 1 to 1000, got "${limit}"`,
    ])
  })

  test('goes with its query', async () => {
    const [id, other] = [await on.stored(), await on.stored()]
    await runAt(0, 1)
    await on.remove(id)
    const left = await nines.app.db.read.selectFrom('executions').select('query_id').execute()
    expect(left).toEqual([{ query_id: other }, { query_id: other }])
  })
})

describe('after 48 hours', () => {
  test('the first success and the first failure of each hour are left', async () => {
    const id = await on.stored()
    await runAt(0, 1, { failing: 2 }, 3, { failing: 4 }, 59, 60, 61, { failing: 120 }, 121, 122)
    nines.clock.advance(startOfHour + 48 * hour + 122 * minute - 1 - nines.clock.now())
    await pruneOldRows(nines.app)
    expect(await kept(id)).toEqual(['0', '-2', '60', '-120', '121', '122'])
    nines.clock.advance(1)
    await pruneOldRows(nines.app)
    expect(await kept(id)).toEqual(['0', '-2', '60', '-120', '121'])
  })

  test('and not before', async () => {
    const id = await on.stored()
    await runAt(0, 1, 2)
    nines.clock.advance(48 * hour - minute - 1)
    await pruneOldRows(nines.app)
    expect(await kept(id)).toEqual(['0', '1', '2'])
  })

  test('the first of one query is not that of another', async () => {
    const first = await on.stored({ evaluation_interval_seconds: 3600 })
    await runAt(0)
    nines.clock.advance(minute)
    const second = await on.stored()
    await runAt(2, 3)
    nines.clock.advance(49 * hour)
    await pruneOldRows(nines.app)
    expect([await kept(first), await kept(second)]).toEqual([['0'], ['2']])
  })

  test('what is left is kept for RETENTION_DAYS, and so are calculations', async () => {
    const id = await on.stored()
    await runAt(0, 1)
    await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: on.slo, time_window: '1h' })
    await nines.app.executions.flush()
    const count = async () => (await nines.app.db.read.selectFrom('executions').select('id').execute()).length
    await nines.app.executions.flush() // they are stored after the answer
    const all = await count()
    nines.clock.advance(29 * 24 * hour)
    await pruneOldRows(nines.app)
    expect([await kept(id), await count()]).toEqual([['0'], all - 1])
    nines.clock.advance(24 * hour + 1)
    await pruneOldRows(nines.app)
    expect(await count()).toBe(0)
  })
})
