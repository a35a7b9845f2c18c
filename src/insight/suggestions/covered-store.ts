import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { DataSourceRow } from '../../db/tables/tables.ts'
import type { Queries, Suggestion } from './suggestion.ts'

type SuggestedQueries = Pick<Suggestion, 'queries' | 'alike'>

/** Creates a function that finds the oldest active SLO of this source with the queries of a suggestion, or equivalent ones; null: none. */
export async function createCoveringFinder(
  db: Db,
  { id, organization_id, is_default }: DataSourceRow,
  suggestions: readonly SuggestedQueries[],
): Promise<(suggestion: SuggestedQueries) => number | null> {
  const all = suggestions.flatMap(({ queries, alike }) => [queries, ...alike])
  const firstQueries = [...new Set(all.flatMap((one) => one.total_query ?? one.metric_query ?? []))]
  if (firstQueries.length === 0) return () => null
  const rows = await db
    .selectFrom('slos')
    .select(['id', 'metric_query', 'good_query', 'bad_query', 'total_query'])
    .where('organization_id', '=', organization_id)
    .where('active', '=', 1)
    .where((where) =>
      is_default === 1
        ? where.or([where('source_id', 'is', null), where('source_id', '=', id)])
        : where('source_id', '=', id),
    )
    .where(sql<string>`coalesce(total_query, metric_query)`, 'in', firstQueries)
    .orderBy('id', 'desc')
    .execute()
  const byQueries = new Map(rows.map((row) => [keyOf(row), row.id]))
  return ({ queries, alike }) =>
    [queries, ...alike].map((one) => byQueries.get(keyOf(one))).find((id) => id !== undefined) ?? null
}

type Row = { [Field in keyof Queries]: string | null }

function keyOf({ metric_query, good_query, bad_query, total_query }: Row | Queries): string {
  return JSON.stringify([metric_query, good_query, bad_query, total_query].map((query) => query ?? null))
}
