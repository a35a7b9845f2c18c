import type { IncidentRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'

/**
 * Change that closes an incident that has recovered, or whose SLO's checks have stopped (`outage.stopped`: a sentence that says why).
 * After stopped checks, the close reason is `not_evaluated` unless the incident had recovered before, and `reason`, if known, also says why they stopped.
 */
export function closing(
  { opened_at, recovered_at, reason }: IncidentRow,
  { atSeconds, outage }: Pick<Evaluation, 'atSeconds' | 'outage'>,
): Partial<IncidentRow> {
  const { stopped, sinceSeconds } = outage ?? {}
  if (stopped === undefined)
    return { state: 'closed', closed_at: Math.max(opened_at, atSeconds), close_reason: 'recovered' }
  return {
    state: 'closed',
    closed_at: Math.max(opened_at, sinceSeconds ?? atSeconds),
    close_reason: recovered_at === null ? 'not_evaluated' : 'recovered',
    ...(reason !== null && { reason: `${reason}; ${stopped}` }),
  }
}
