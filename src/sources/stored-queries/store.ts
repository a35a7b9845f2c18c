import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { countOf } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import type { NewExecution, SourceQueryRow } from '../../db/tables/tables.ts'
import type { SloWindow } from '../../slos/arithmetic/windows.ts'

/** Ids of the stored queries of one SLO, or of all, in order; queries of deleted SLOs are left out. */
export async function listSourceQueryIds(db: Db, organizationId: number, sloId: number | undefined): Promise<number[]> {
  let listed = db
    .selectFrom('source_queries')
    .where('source_queries.organization_id', '=', organizationId)
    .where('source_queries.slo_id', 'in', (q) =>
      q.selectFrom('slos').select('id').where('organization_id', '=', organizationId).where('active', '=', 1),
    )
  if (sloId !== undefined) listed = listed.where('source_queries.slo_id', '=', sloId)
  const rows = await listed.select('source_queries.id').orderBy('source_queries.id').execute()
  return rows.map(({ id }) => id)
}

/** Bytes of the texts of these stored queries, ordered by id; deleted ones are left out. */
export async function listSourceQuerySizes(db: Db, ids: readonly number[]): Promise<{ id: number; bytes: number }[]> {
  const bytes = sql<number>`octet_length(source_query) + octet_length(query_name) + octet_length(metric_labels)`
  return db
    .selectFrom('source_queries')
    .select(['id', bytes.as('bytes')])
    .where('id', 'in', among(ids))
    .orderBy('id')
    .execute()
}

/** Stored queries with these ids, ordered by id; deleted ones are left out. */
export async function listSourceQueries(db: Db, ids: readonly number[]): Promise<SourceQueryRow[]> {
  return db.selectFrom('source_queries').selectAll().where('id', 'in', among(ids)).orderBy('id').execute()
}

const queries = organizationRows('source_queries', 'Query')
export const { get: getSourceQuery, insert: insertSourceQuery, update: updateSourceQuery } = queries

/** Deletes a query and its executions. */
export async function deleteSourceQuery(trx: Db, organizationId: number, id: number): Promise<void> {
  await trx.deleteFrom('executions').where('organization_id', '=', organizationId).where('query_id', '=', id).execute()
  await queries.remove(trx, organizationId, id)
}

/** Number of stored queries that name this source, including queries of deleted SLOs. */
export async function countQueriesOfSource(db: Db, organizationId: number, sourceId: number): Promise<number> {
  return countOf(
    db.selectFrom('source_queries').where('organization_id', '=', organizationId).where('source_id', '=', sourceId),
  )
}

/** Due queries of one source; `sourceId` null: the organization has no default source. */
export type DueQueries = { organizationId: number; sourceId: number | null; queryIds: number[] }

/** Due query, with the window of its SLO. */
export type DueQuery = SourceQueryRow & { time_window: SloWindow; time_zone: string | null }

/** Outcome of a query; `value` null if it is no number; `nextRunAt` in ms. Value and next run are stored unless the query has changed since. */
export type QueryRun = { query: DueQuery; execution: NewExecution; value: number | null; nextRunAt: number }

/** Queries due at `nowMs`, the longest due first, by source: the query's, or its SLO's, or the default one. */
export async function listDueQueries(db: Db, nowMs: number): Promise<DueQueries[]> {
  const rows = await due(db, nowMs)
    .select(['query.id', 'query.organization_id', sourceOfQuery.as('source')])
    .orderBy('query.next_run_at')
    .execute()
  const bySource = Map.groupBy(rows, (row) => `${row.organization_id} ${row.source}`)
  return [...bySource.values()].flatMap((queries) => {
    const [first] = queries
    const queryIds = queries.map(({ id }) => id)
    return first ? [{ organizationId: first.organization_id, sourceId: first.source, queryIds }] : []
  })
}

/** Finds a query of `DueQueries`; undefined if it is no longer due or has another source by now. */
export async function findDueQuery(
  db: Db,
  { organizationId, sourceId }: DueQueries,
  id: number,
  nowMs: number,
): Promise<DueQuery | undefined> {
  return due(db, nowMs)
    .where('query.organization_id', '=', organizationId)
    .where('query.id', '=', id)
    .where(sourceOfQuery, 'is', sourceId)
    .selectAll('query')
    .select(['slos.time_window', 'slos.time_zone'])
    .executeTakeFirst()
}

const sourceOfQuery = sql<number | null>`coalesce(query.source_id, slos.source_id, default_source.id)`

function due(db: Db, nowMs: number) {
  return (
    db
      .selectFrom('source_queries as query')
      .innerJoin('slos', 'slos.id', 'query.slo_id')
      .leftJoin('data_sources as default_source', (join) =>
        join
          .onRef('default_source.organization_id', '=', 'query.organization_id')
          .on('default_source.is_default', '=', sql.lit(1)),
      )
      .where('query.is_active', '=', sql.lit(1))
      // a query due later than one interval from now was scheduled before the clock was set back, so it is due
      .where(
        sql<boolean>`query.next_run_at not between ${nowMs + 1} and ${nowMs} + 1000 * query.evaluation_interval_seconds`,
      )
      .where('slos.active', '=', 1)
      .where('slos.paused_at', 'is', null)
  )
}

// Literals, because a bound number is a float and would not divide as an integer.
const hourMs = sql.lit(3_600_000)
const recentMs = sql.lit(48 * 3_600_000)

/**
 * Stores the outcomes of queries, at most one of each, and none of a query that was deleted since. After 48 hours only the
 * first success and the first failure of each hour (UTC) are kept. At one run per minute a query has 2,880 recent executions,
 * and 8,760 older ones per year (17,520 if some fail in every hour); at one every 10 seconds it has 17,280 recent ones. An
 * execution with its indexes takes about 480 bytes.
 */
export async function recordRuns(trx: Db, runs: QueryRun[]): Promise<void> {
  const executions = JSON.stringify(runs.map(({ execution }) => execution))
  await sql`
    insert into executions (
      organization_id, slo_id, query_id, executed_at, duration_ms, status, error, result_samples, metadata, created_at,
      forget_at
    )
    select
      query.organization_id, query.slo_id, query.id, run.value->>'executed_at', run.value->>'duration_ms',
      run.value->>'status', run.value->>'error', run.value->>'result_samples', run.value->>'metadata',
      run.value->>'created_at',
      iif(
        exists (
          select 1 from executions as earlier
          where earlier.query_id = query.id
            and earlier.executed_at >= (run.value->>'executed_at') / ${hourMs} * ${hourMs}
            and earlier.status = run.value->>'status'
            and earlier.metadata->>'part' = 'query'
        ),
        (run.value->>'executed_at') + ${recentMs},
        null
      )
    from json_each(${executions}) as run join source_queries as query on query.id = run.value->>'query_id'`.execute(trx)

  const outcomes = JSON.stringify(
    runs.map(({ query, execution, value, nextRunAt }) => ({
      id: query.id,
      updatedAt: query.updated_at,
      nextRunAt,
      value,
      valueAt: execution.executed_at,
    })),
  )
  await sql`
    update source_queries set
      next_run_at = run.value->>'nextRunAt',
      last_value = coalesce(run.value->>'value', last_value),
      last_value_at = iif(run.value->>'value' is null, last_value_at, run.value->>'valueAt')
    from json_each(${outcomes}) as run
    where source_queries.id = run.value->>'id' and source_queries.updated_at = run.value->>'updatedAt'`.execute(trx)
}
