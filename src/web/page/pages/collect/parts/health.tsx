import type { Tone } from '../../../ui/status.tsx'
import type { Schemas } from '../../../../../../dist/openapi.d.ts'
import { asSentence, formatCount, formatDuration, plural } from '../../../format.ts'
import { nowMs, Time } from '../../../ui/time.tsx'
import { formatMs } from './runs.tsx'

export type Health = Schemas['CollectionHealth']

/** Tone of a target or probe, with its label. */
export function stateOf({ is_active, health }: { is_active: boolean; health: Health }): { state: Tone; word: string } {
  if (!is_active) return { state: 'unknown', word: 'Paused' }
  if (health.status === 'up') return { state: 'healthy', word: 'Up' }
  return health.status === 'down' ? { state: 'critical', word: 'Down' } : { state: 'unknown', word: 'Not run yet' }
}

/** Last run with its duration and result, and the next run. */
export function HealthFacts({ health, of: { is_active, interval_seconds } }: HealthProps) {
  const { last_at, last_duration_ms, last_error, samples, next_at } = health
  return (
    <>
      {last_error !== null && <p class="crit-text message-text">{asSentence(last_error)}</p>}
      <p class="muted">
        {last_at === null ? (
          'It has not run since nines started'
        ) : (
          <>
            Ran <Time ms={Date.parse(last_at)} ago />
            {last_duration_ms !== null && `, took ${formatMs(last_duration_ms)}`},{' '}
            {plural(samples, '# sample', '# samples', formatCount)}
          </>
        )}
        {' · '}
        {is_active ? `every ${formatDuration(interval_seconds)}${nextOf(next_at)}` : 'paused'}
      </p>
    </>
  )
}

type HealthProps = { health: Health; of: { is_active: boolean; interval_seconds: number } }

function nextOf(next_at: string | null): string {
  if (next_at === null) return ''
  const seconds = (Date.parse(next_at) - nowMs.value) / 1000
  return seconds < 1 ? ', next now' : `, next in ${formatDuration(seconds)}`
}
