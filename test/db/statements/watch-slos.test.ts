import { afterEach, beforeEach, expect, test } from 'bun:test'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Database as Sqlite } from '../../../src/db/sqlite.ts'
import { putEvaluations } from '../../../src/evaluation/evaluation-store.ts'
import { putBuckets } from '../../../src/ledger/ledger-store.ts'
import { updateSlo } from '../../../src/slos/store.ts'
import type { TestApp } from '../../support/app.ts'
import { appWithThreeSlos, evaluation, put } from '../../support/evaluations.ts'
import { checkout } from '../../support/slo-calls.ts'

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

test.each<[string, () => Promise<unknown>, number[]]>([
  ['an evaluation', () => put(nines.app.db.write, evaluation({ sloId: 2 })), [2]],
  ['minutes', () => putBuckets(nines.app.db.write, [bucket(3), bucket(1)]), [3, 1]],
  [
    'hundreds of minutes',
    () =>
      putBuckets(
        nines.app.db.write,
        Array.from({ length: 120 }, () => bucket(2)),
      ),
    [2],
  ],
  ['a change', () => updateSlo(nines.app.db.write, 1, 3, { updated_at: 1, name: 'new' }), [3]],
  ['a change by the API', () => nines.call('PUT', '/api/v1/slos/1', { name: 'new' }), [1]],
  ['a deletion', () => nines.call('DELETE', '/api/v1/slos/2'), [2]],
  ['a new SLO, which nobody has read', () => nines.call('POST', '/api/v1/slos', checkout), [0]],
  ['a change of a user', () => sql`update users set name = 'x'`.execute(nines.app.db.write), []],
])('%s is a change of its SLO alone', async (_, change, ids) => {
  const { sloChanges } = nines.app.db
  const position = sloChanges.position()
  await change()
  expect(sloChanges.since(position)).toEqual(new Set(ids))
  expect(sloChanges.since(sloChanges.position())?.size).toBe(0)
})

test.each([
  'update slos set name = name',
  'UPDATE slos SET name = name',
  'update "slos" set "name" = \'x\' where "id" = 1',
  'insert or replace into evaluations select * from evaluations',
  'delete from\n  buckets',
  'with old as (select 1) update slo_states set status = status',
  'delete from organizations where id = 7',
])('a statement that does not say which SLOs it changes may have changed any: %s', async (text) => {
  const { sloChanges, write } = nines.app.db
  const position = sloChanges.position()
  await sql.raw(text).execute(write)
  expect(sloChanges.since(position)).toBeNull()
  expect(sloChanges.since(sloChanges.position())?.size).toBe(0)
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

test('rows go with no other row than those of an SLO or an organization', async () => {
  for (const table of ['slos', 'slo_states', 'evaluations', 'buckets']) {
    const { rows } = await sql<{ table: string; on_delete: string }>`
      select "table", on_delete from pragma_foreign_key_list(${table})`.execute(nines.app.db.read)
    const parents = rows.filter(({ on_delete }) => on_delete === 'CASCADE').map((row) => row.table)
    expect(['slos', 'organizations']).toEqual(expect.arrayContaining(parents))
  }
})
