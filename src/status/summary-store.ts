import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type Clock, dayMs, stopwatch } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'

/** Counts of the active SLOs of all organizations that are not paused; public. */
export type Summary = { total: number; healthy: number; violated: number; no_data: number }

/**
 * Counts active SLOs by health, without paused ones. The value of an SLO is that of the last evaluation that its source answered. Of its
 * stored queries, only those whose value is an SLI (availability, ratio) count; that value is taken for percent if it is too large for a
 * ratio, or if the values of the SLO itself are in percent.
 */
async function countByHealth(db: Db, nowMs: number): Promise<Summary> {
  const sinceMs = nowMs - dayMs
  const { rows } = await sql<Summary>`
    with verdicts as (
      select
        (
          select current_value >= slos.target - 1e-9 from slo_states
          where slo_id = slos.id and revision = slos.revision and measured_at >= ${sinceMs}
            and current_value is not null
        ) as own,
        (
          select max(
            iif(last_value > 1.05 or coalesce(nullif(slos.query_unit, 'auto'), slos.inferred_unit) = 'percent',
              last_value, 100 * last_value) >= slos.target - 1e-9
          )
          from source_queries as query
          where query.slo_id = slos.id and is_active = 1 and query_type in ('availability', 'ratio')
            and last_value_at >= ${sinceMs} and last_value is not null
        ) as queried
      from slos where active = 1 and paused_at is null
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

const maxAgeMs = 1000
const pauseFactor = 9

/**
 * Creates the reader of the summary, which reflects every change at once. Requests for it are not rate limited. It is counted
 * again if the database was written to, or after a second (values become outdated without a write), once for all waiting
 * requests. Counting takes at most a tenth of the time; requests wait for that at most a second.
 */
export function createSummary({
  db,
  clock,
}: {
  db: Pick<Database, 'read' | 'version'>
  clock: Clock
}): () => Promise<Summary> {
  let latest: { atMs: number; version: number; summary: Summary } | undefined
  let next: Promise<Summary> | undefined
  let pausedUntilMs = 0

  async function count(): Promise<Summary> {
    await sleep(Math.max(0, pausedUntilMs - stopwatch.now()))
    next = undefined // a request from here on may follow a later change
    const beganMs = stopwatch.now()
    const atMs = clock.now()
    const version = db.version()
    const summary = await countByHealth(db.read, atMs)
    latest = { atMs, version, summary }
    const endedMs = stopwatch.now()
    pausedUntilMs = endedMs + Math.min(maxAgeMs, pauseFactor * (endedMs - beganMs))
    return summary
  }

  return async () => {
    if (latest?.version === db.version() && Math.abs(clock.now() - latest.atMs) < maxAgeMs) return latest.summary
    return (next ??= count())
  }
}
