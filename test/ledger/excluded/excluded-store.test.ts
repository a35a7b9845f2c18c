import { expect, test } from 'bun:test'
import { CompiledQuery } from 'kysely'
import type { Db } from '../../../src/db/open.ts'
import { sumExcluded } from '../../../src/ledger/excluded/excluded-store.ts'
import { emptyDatabase } from '../../support/empty-database.ts'

const opened = emptyDatabase()

test('the excluded buckets of a window are found by their key, so that a long correction does not read all of an SLO for each hour', async () => {
  const db = opened.read
  const sent: CompiledQuery[] = []
  const executeQuery = (query: CompiledQuery) => {
    sent.push(query)
    return db.executeQuery(query)
  }
  await sumExcluded({ getExecutor: () => db.getExecutor(), executeQuery } as unknown as Db, [
    { sloId: 1, revision: 1, startSeconds: 0, endSeconds: 3600 },
  ])
  const plans = sent.map(({ sql, parameters }) =>
    db.executeQuery<{ detail: string }>(CompiledQuery.raw(`explain query plan ${sql}`, [...parameters])),
  )
  const steps = (await Promise.all(plans)).flatMap(({ rows }) => rows.map(({ detail }) => detail))
  expect(steps).toContainEqual(
    expect.stringMatching(/^SEARCH e .*\(slo_id=\? AND revision=\? AND resolution=\? AND start>\? AND start<\?\)/),
  )
})
