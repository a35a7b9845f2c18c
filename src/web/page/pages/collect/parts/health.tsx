import type { Tone } from '../../../ui/status.tsx'
import type { Schemas } from '../../../../../../dist/openapi.d.ts'
import { asSentence } from '../../../format.ts'
import { nowMs, Time } from '../../../ui/time.tsx'
import { everyWords, ranWords } from './words.ts'

export type Health = Schemas['CollectionHealth']

/** Tone of a target or probe, with its label. */
export function stateOf({ is_active, health }: { is_active: boolean; health: Health }): { state: Tone; word: string } {
  if (!is_active) return { state: 'unknown', word: 'Paused' }
  if (health.status === 'up') return { state: 'healthy', word: 'Up' }
  if (health.status === 'down') return { state: 'critical', word: 'Down' }
  return { state: 'unknown', word: health.last_at === null ? 'Not run yet' : 'Unknown' }
}

/** Last run with its duration and result, and the next run. */
export function HealthFacts({ health, of: { is_active, interval_seconds } }: HealthProps) {
  const { last_at, last_duration_ms, last_error, samples, next_at } = health
  return (
    <>
      {last_error !== null && <p class="crit-text message-text">{asSentence(last_error)}</p>}
      <p class="muted">
        {last_at === null
          ? 'It has not run since nines started'
          : ranWords(<Time ms={Date.parse(last_at)} ago />, last_duration_ms, samples)}
        {' · '}
        {is_active ? everyWords(interval_seconds, next_at, nowMs.value) : 'paused'}
      </p>
    </>
  )
}

type HealthProps = { health: Health; of: { is_active: boolean; interval_seconds: number } }
