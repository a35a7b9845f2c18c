import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Database as Sqlite } from '../../src/db/sqlite.ts'
import { putEvaluations } from '../../src/evaluation/evaluation-store.ts'
import { rollUpSome } from '../../src/evaluation/roll-up-store.ts'
import type { SloRow } from '../../src/db/tables/tables.ts'
import { pruneSlo } from '../../src/db/prune-history.ts'
import { deleteBucketsBefore, putBuckets } from '../../src/ledger/ledger-store.ts'
import { putBucketsAndCache } from '../../src/ledger/memory/cache-minutes.ts'
import { sumUpRetiredBuckets } from '../../src/ledger/retired-store.ts'
import { updateSlo } from '../../src/slos/store.ts'
import type { TestApp } from '../support/app.ts'
import { appWithThreeSlos, evaluation, put, testStartSeconds } from '../support/evaluations.ts'
import { checkout } from '../support/slo-calls.ts'

let nines: TestApp
beforeEach(async () => void (nines = await appWithThreeSlos()))
afterEach(() => nines.close())

const bucket = (sloId: number) => ({
  sloId,
  revision: 1,
  resolution: 60 as const,
  startSeconds: 0,
  good: 1,
  total: 1,
  coveredSeconds: 60,
  leadGood: 0,
  leadTotal: 0,
})

const hour = 3600
const writing = () => nines.app.db.write

test.each<[string, () => Promise<unknown>, number[]]>([
  ['an evaluation', () => put(writing(), evaluation({ sloId: 2 })), [2]],
  ['an evaluation that an edit has overtaken', () => put(writing(), evaluation({ sloId: 2, sloUpdatedAtMs: 1 })), []],
  ['minutes', () => putBuckets(writing(), [bucket(3), bucket(1)]), [3, 1]],
  ['minutes of a round', () => putBucketsAndCache(nines.app.db, [bucket(3)]), [3]],
  [
    'hundreds of minutes',
    () =>
      putBuckets(
        writing(),
        Array.from({ length: 120 }, (_, at) => ({ ...bucket(2), startSeconds: 60 * at })),
      ),
    [2],
  ],
  ['a change', () => updateSlo(writing(), 1, 3, { updated_at: 1, name: 'new' }), [3]],
  ['a change by the API', () => nines.call('PUT', '/api/v1/slos/1', { name: 'new' }), [1]],
  ['a deletion', () => nines.call('DELETE', '/api/v1/slos/2'), [2]],
  ['a new SLO', () => nines.call('POST', '/api/v1/slos', checkout), [4]],
  ['a change of all', () => sql`update slos set name = name`.execute(writing()), [1, 2, 3]],
  ['the organization, with its SLOs', () => sql`delete from organizations where id = 1`.execute(writing()), [1, 2, 3]],
  ['a change of a user', () => sql`update users set name = 'x'`.execute(writing()), []],
])('%s is a change of its SLOs alone', async (_, change, ids) => {
  const { sloChanges } = nines.app.db
  const position = sloChanges.position()
  await change()
  expect(sloChanges.since(position)).toEqual(new Set(ids))
  expect(sloChanges.since(sloChanges.position())?.size).toBe(0)
})

test.each<[string, () => Promise<unknown>, Partial<SloRow>?]>([
  [
    'another form of an insert',
    () => sql`insert or replace into evaluations select * from evaluations`.execute(writing()),
  ],
  [
    'a statement with a prefix',
    () => sql`with one as (select 1) update slo_states set status = status`.execute(writing()),
  ],
  ['deletion of minutes', () => deleteBucketsBefore(writing(), 60, 60, 10)],
  ['a rollup of evaluations', () => rollUpSome(writing(), { from: 0, to: hour }, Number.MAX_SAFE_INTEGER)],
  ['a sum of retired minutes', () => sumUpRetiredBuckets(nines.app), { revision: 2 }],
  [
    'the end of a deleted SLO',
    async () => {
      while ((await pruneSlo(writing(), 2, 10)) > 0);
    },
    { active: 0 },
  ],
])('%s is a change of its SLO', async (_, change, edited = {}) => {
  await putBuckets(writing(), [bucket(2)])
  await put(writing(), evaluation({ sloId: 2 }), evaluation({ sloId: 2, atSeconds: testStartSeconds + 60 }))
  await updateSlo(writing(), 1, 2, { updated_at: 1, ...edited })
  const { sloChanges } = nines.app.db
  const position = sloChanges.position()
  await change()
  expect(sloChanges.since(position)).toEqual(new Set([2]))
})

test('what is written in a transaction that is open is a change for who begins to read in it', async () => {
  const { sloChanges, write } = nines.app.db
  let position = 0
  await write.transaction().execute(async (trx) => {
    await putEvaluations(trx, [evaluation({ sloId: 2 })])
    position = sloChanges.position()
    expect(sloChanges.since(position)).toBeNull()
  })
  expect(sloChanges.since(position)).toContain(2)
})

test('another process may have changed any', () => {
  const { sloChanges } = nines.app.db
  const position = sloChanges.position()
  const other = new Sqlite(join(nines.dataDir, 'nines.db'))
  other.prepare('update users set name = ?').run('another')
  other.close()
  expect(sloChanges.since(position)).toBeNull()
  expect(sloChanges.since(sloChanges.position())?.size).toBe(0)
})

test('so many changes that they are not all remembered may have been of any', async () => {
  const { sloChanges, write } = nines.app.db
  const position = sloChanges.position()
  const buckets = Array.from({ length: 100_001 }, (_, at) => ({ ...bucket(1 + (at % 2)), startSeconds: 60 * at }))
  await putBuckets(write, buckets)
  expect(sloChanges.since(position)).toBeNull()
})
