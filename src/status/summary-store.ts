import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { dayMs } from '../clock.ts'

/** Counts of the active SLOs of all organizations; public. */
export type Summary = { total: number; healthy: number; violated: number; no_data: number }

/**
 * Counts active SLOs by health. Rule: docs/slo-math.md, "Status". An SLO's value is that of its last evaluation that its source
 * answered. Of its stored queries, only those whose value is an SLI (availability, ratio) count. Such a value is in percent if
 * it is too large for a ratio, or if the SLO's own values are in percent.
 */
export async function countByHealth(db: Db, nowMs: number): Promise<Summary> {
  const since = nowMs - dayMs
  const { rows } = await sql<Summary>`
    with verdicts as (
      select
        (
          select current_value >= slos.target - 1e-9 from slo_states
          where slo_id = slos.id and revision = slos.revision and measured_at >= ${since}
            and current_value is not null
        ) as own,
        (
          select max(
            iif(last_value > 1.05 or coalesce(nullif(slos.query_unit, 'auto'), slos.inferred_unit) = 'percent',
              last_value, 100 * last_value) >= slos.target - 1e-9
          )
          from source_queries as query
          where query.slo_id = slos.id and is_active = 1 and query_type in ('availability', 'ratio')
            and last_value_at >= ${since} and last_value is not null
        ) as queried
      from slos where active = 1
    )
    select total, healthy, total - healthy - no_data as violated, no_data
    from (
      select count(*) as total, count(*) filter (where own or queried) as healthy,
        count(*) filter (where own is null and queried is null) as no_data
      from verdicts
    )
  `.execute(db)
  return rows[0] ?? { total: 0, healthy: 0, violated: 0, no_data: 0 }
}

/** Version of the data, as the reading connection sees it: changes with each commit. */
export async function dataVersion(read: Db): Promise<number> {
  const { rows } = await sql<{ data_version: number }>`pragma data_version`.execute(read)
  return rows[0]?.data_version ?? 0
}
