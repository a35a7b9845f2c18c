import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import type { SourceQueryRow } from '../../db/tables/tables.ts'

/** Of one SLO, or of all; those of deleted SLOs are left out. */
export async function listSourceQueries(
  db: Db,
  organizationId: number,
  sloId: number | undefined,
): Promise<SourceQueryRow[]> {
  let listed = db
    .selectFrom('source_queries')
    .innerJoin('slos', 'slos.id', 'source_queries.slo_id')
    .where('source_queries.organization_id', '=', organizationId)
    .where('slos.active', '=', 1)
  if (sloId !== undefined) listed = listed.where('source_queries.slo_id', '=', sloId)
  return listed.selectAll('source_queries').orderBy('source_queries.id').execute()
}

const queries = organizationRows('source_queries', 'Query')
export const { get: getSourceQuery, insert: insertSourceQuery, update: updateSourceQuery } = queries

/** With its executions, which nobody could read any more. */
export async function deleteSourceQuery(trx: Db, organizationId: number, id: number): Promise<void> {
  await trx.deleteFrom('executions').where('organization_id', '=', organizationId).where('query_id', '=', id).execute()
  await queries.remove(trx, organizationId, id)
}

/** How many stored queries name this source, those of deleted SLOs too. */
export async function countQueriesOfSource(db: Db, organizationId: number, sourceId: number): Promise<number> {
  const { count } = await db
    .selectFrom('source_queries')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('source_id', '=', sourceId)
    .executeTakeFirstOrThrow()
  return count
}
