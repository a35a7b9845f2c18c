import { sql } from 'kysely'
import type { Database, Db } from '../db/open.ts'
import { countOf, pageOf } from '../db/page-of.ts'
import { organizationRows } from '../db/organization-rows.ts'
import { insertRow } from '../db/statements/insert-row.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow, ExecutionRow, NewExecution, SloRow, SourceQueryRow } from '../db/tables/tables.ts'
import { AppError } from '../errors.ts'
import { unsealAuth } from '../http/endpoint-auth.ts'
import { failingSource, type Source, type SourceOpener } from './source.ts'

export const sourceRows = organizationRows('data_sources', 'Source')
export const { list: listSources, get: getSource } = sourceRows

export async function findDefaultSource(db: Db, organizationId: number): Promise<DataSourceRow | undefined> {
  return (await defaultOf(db, { organizationId })).rows[0]
}

const defaultOf = prepared<{ organizationId: number }, DataSourceRow>(
  ({ organizationId }) => sql`select * from data_sources where organization_id = ${organizationId} and is_default = 1`,
)

/** Unsets the default of an organization; the source itself stays. */
export async function clearDefaultSource(db: Db, organizationId: number): Promise<void> {
  await db
    .updateTable('data_sources')
    .set({ is_default: 0 })
    .where('organization_id', '=', organizationId)
    .where('is_default', '=', sql.lit(1))
    .execute()
}

/** Number of SLOs that name this source, including deleted ones. */
export async function countSlosOfSource(db: Db, organizationId: number, id: number): Promise<number> {
  return countOf(db.selectFrom('slos').where('organization_id', '=', organizationId).where('source_id', '=', id))
}

/** Number of active SLOs, without composites, by the id of the source that they name; null: SLOs that name none. */
export async function countSlosBySource(db: Db, organizationId: number): Promise<Map<number | null, number>> {
  const rows = await db
    .selectFrom('slos')
    .select((q) => ['source_id', q.fn.countAll<number>().as('count')])
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .where('composite', 'is', null)
    .groupBy('source_id')
    .execute()
  return new Map(rows.map(({ source_id, count }) => [source_id, count]))
}

/** Active SLOs that read a source, by name: SLOs that name it and, if it is the default, SLOs that name none. */
export async function listSlosOfSource(db: Db, source: DataSourceRow): Promise<{ id: number; name: string }[]> {
  return slosOf(db, source).select(['id', 'name']).orderBy('name').orderBy('id').execute()
}

type QueriesOfSlo = Pick<SloRow, 'id' | 'metric_query' | 'good_query' | 'bad_query' | 'total_query'>

/** Active SLOs that read a source and whose total query, or metric query if there is no total query, is in `queries`; newest first. */
export async function listSlosByQuery(db: Db, source: DataSourceRow, queries: string[]): Promise<QueriesOfSlo[]> {
  return slosOf(db, source)
    .select(['id', 'metric_query', 'good_query', 'bad_query', 'total_query'])
    .where(sql<string>`coalesce(total_query, metric_query)`, 'in', queries)
    .orderBy('id', 'desc')
    .execute()
}

function slosOf(db: Db, { id, organization_id, is_default }: DataSourceRow) {
  return db
    .selectFrom('slos')
    .where('organization_id', '=', organization_id)
    .where('active', '=', 1)
    .where('composite', 'is', null)
    .where((is) => is.or([is('source_id', '=', id), ...(is_default === 1 ? [is('source_id', 'is', null)] : [])]))
}

/** Stores the result of a source's last check; no effect if the source has been deleted since. */
export async function recordCheck(db: Db, id: number, checkedAtMs: number, error: string | null): Promise<void> {
  await db
    .updateTable('data_sources')
    .set({ last_check_at: checkedAtMs, last_error: error })
    .where('id', '=', id)
    .execute()
}

type OpenDeps = { db: Database; seal: Seal; opener: SourceOpener }

/**
 * Opens the named source, or the default one for null. Throws `source_unavailable` if it is inactive or there is no default, and
 * `not_found` if there is none with this id.
 */
export async function openSource(
  { db, seal, opener }: OpenDeps,
  organizationId: number,
  sourceId: number | null,
): Promise<Source> {
  return openRow({ seal, opener }, await getUsableSource(db.read, organizationId, sourceId))
}

/** Row of the source that `openSource` opens; throws the same errors. */
export async function getUsableSource(db: Db, organizationId: number, sourceId: number | null): Promise<DataSourceRow> {
  const row =
    sourceId === null ? await findDefaultSource(db, organizationId) : await getSource(db, organizationId, sourceId)
  if (!row) throw noSource('no metrics source is set up; an administrator can add one')
  assertActive(row)
  return row
}

/** Throws `source_unavailable` for a source that is not active. */
export function assertActive({ name, is_active }: DataSourceRow): void {
  if (is_active === 0) throw noSource(`the source ${name} is not active`)
}

/** Opens the source of a row, active or not. Throws if its credentials cannot be unsealed. */
export function openRow({ seal, opener }: Omit<OpenDeps, 'db'>, row: DataSourceRow): Source {
  return opener.open({
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    apiUrl: row.api_url,
    auth: unsealAuth(seal, 'data_sources.sealed_auth', row),
  })
}

/** Like `openRow`, but a source that cannot be opened answers every query with `source_unavailable`. */
export function openOrFailing(deps: Omit<OpenDeps, 'db'>, row: DataSourceRow): Source {
  try {
    return openRow(deps, row)
  } catch (cause) {
    const details = cause instanceof Error ? cause.message : 'it cannot be opened'
    return failingSource(
      row.name,
      new AppError('source_unavailable', 'Metrics source cannot be opened', { details, cause }),
    )
  }
}

function noSource(details: string): AppError {
  return new AppError('source_unavailable', 'No active metrics source', { details })
}

/** Stores executions (results of queries that were run) and returns their rows; must run in a transaction. */
export async function insertExecutions(trx: Db, executions: NewExecution[]): Promise<ExecutionRow[]> {
  const rows: ExecutionRow[] = []
  for (const execution of executions) {
    const row = { query_id: null, error: null, forget_at: null, ...execution }
    rows.push({ ...row, id: await insertRow(trx, 'executions', row) })
  }
  return rows
}

/** Deletes the oldest executions before `timeMs`, at most `limit`, so that no other write waits long. Returns their number. */
export async function deleteExecutionsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  return deleteOldest(db, 'executed_at', timeMs, limit)
}

/** Deletes executions whose shorter retention (`forget_at`) has passed, at most `limit`. Returns their number. */
export async function deleteExpiredExecutions(db: Db, nowMs: number, limit: number): Promise<number> {
  return deleteOldest(db, 'forget_at', nowMs + 1, limit)
}

async function deleteOldest(
  db: Db,
  column: 'executed_at' | 'forget_at',
  beforeMs: number,
  limit: number,
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('executions')
    .where('id', 'in', (query) =>
      query.selectFrom('executions').select('id').where(column, '<', beforeMs).orderBy(column).limit(limit),
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Newest executions of a stored query, and their total number. */
export async function listExecutionsOfQuery(
  db: Db,
  organizationId: number,
  queryId: number,
  limit: number,
): Promise<{ rows: ExecutionRow[]; total: number }> {
  const listed = db
    .selectFrom('executions')
    .where('organization_id', '=', organizationId)
    .where('query_id', '=', queryId)
  const newest = { page: 1, pageSize: limit }
  return pageOf(listed, newest, (all) => all.selectAll().orderBy('executed_at', 'desc').orderBy('id', 'desc'))
}

/** Stored queries of an SLO that read the same source as the SLO, oldest first. */
export async function listQueriesOfSlo(db: Db, sloId: number): Promise<Pick<SourceQueryRow, 'id' | 'query_hash'>[]> {
  return (await queriesOf(db, { sloId })).rows
}

const queriesOf = prepared<{ sloId: number }, Pick<SourceQueryRow, 'id' | 'query_hash'>>(
  ({ sloId }) => sql`
    select query.id, query.query_hash from source_queries as query
    join slos on slos.id = query.slo_id
    left join data_sources as default_source
      on default_source.organization_id = query.organization_id and default_source.is_default = 1
    where query.slo_id = ${sloId}
      and coalesce(query.source_id, slos.source_id, default_source.id) = coalesce(slos.source_id, default_source.id)
    order by query.id`,
)
