import { t } from 'elysia'
import { isoTime } from '../../clock.ts'
import { OneOf } from '../../http/schemas.ts'
import { sloStates } from '../../slos/arithmetic/state.ts'
import type { CurrentState } from '../read-state.ts'

/** Fields of an SLO's state in every answer that has its status. */
export const stateFields = {
  state: OneOf(
    sloStates,
    'how the SLO is now, from its newest data: down (every check of it fails), burning_fast, burning, recovering (its incident is ' +
      'open and nothing burns), maintenance (a correction or its service hours exclude this moment), spent (no budget is left), unknown (no new data), measuring (no figures yet), ok',
  ),
  state_since: t.Nullable(
    t.String({ description: 'start of the state; while it burns, of the incident; null: not known' }),
  ),
  state_reason: t.Nullable(
    t.String({
      description:
        'of down: the error of the last check; of burning_fast and burning: what fails, where that is known; of maintenance: until when, as an ISO 8601 time; of unknown: source_error, no_data, no_traffic, stale, paused, deleted, or a sentence on why nothing checks it any more; of ok: why a check failed that is tried again',
    }),
  ),
  burn_rate_now: t.Nullable(
    t.Number({
      description:
        'burn rate, in times of what the target allows, over the last 5 minutes, or two sample intervals if that is longer, or the time since the incident began if that is shorter; null: not known',
    }),
  ),
}

/** Presents the state of an SLO. */
export function presentState({ state, stateReason, stateSinceSeconds, burnRateNow }: CurrentState) {
  return {
    state,
    state_since: stateSinceSeconds === null ? null : isoTime(stateSinceSeconds * 1000),
    state_reason: stateReason,
    burn_rate_now: burnRateNow === null || !Number.isFinite(burnRateNow) ? null : burnRateNow,
  }
}
