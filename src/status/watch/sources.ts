import type { Clock } from '../../clock.ts'
import type { Finding } from './watchdog.ts'
import { formatDuration } from './looks.ts'

/** Whether every source that SLOs use answers; which one does not, is known to its organization only. */
export type SourceWatch = {
  /** A source has answered, or has answered nothing, to the evaluation of SLOs. */
  noteAnswer(sourceId: number, answered: boolean): void
  look(): Promise<Finding>
}

/** `sinceMs`: its last answer, or when it was first queried; `atMs`: when it was last. */
type Queried = { isSilent: boolean; sinceMs: number; atMs: number }

type Deps = {
  clock: Clock
  intervalMs: number
  /** The sources that count. */
  watched: () => Promise<'all' | number[]>
}

const minMs = 300_000

/** A source is silent after five minutes, or three intervals where that is longer. */
export function watchSources({ clock, intervalMs, watched }: Deps): SourceWatch {
  const limitMs = Math.max(minMs, 3 * intervalMs)
  const queried = new Map<number, Queried>()

  /** What SLOs no longer use is not queried any more. */
  function forget(): void {
    for (const [id, { atMs }] of queried) if (clock.now() - atMs > 2 * limitMs) queried.delete(id)
  }

  return {
    noteAnswer(sourceId, answered) {
      const nowMs = clock.now()
      const sinceMs = answered ? nowMs : (queried.get(sourceId)?.sinceMs ?? nowMs)
      queried.set(sourceId, { isSilent: !answered, sinceMs, atMs: nowMs })
    },
    async look() {
      forget()
      const ids = await watched()
      const counting = [...queried].flatMap(([id, one]) => (ids === 'all' || ids.includes(id) ? [one] : []))
      const silent = counting.filter(({ isSilent }) => isSilent)
      const long = silent.filter(({ sinceMs }) => clock.now() - sinceMs >= limitMs)
      if (long.length > 0) {
        return `${long.length} of ${counting.length} metrics sources that SLOs use gave no answer for ${formatDuration(limitMs)} or longer`
      }
      const isEarly = clock.now() < limitMs && counting.length === 0
      return silent.length > 0 || isEarly ? undefined : null
    },
  }
}
