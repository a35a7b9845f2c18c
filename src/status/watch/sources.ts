import type { Clock } from '../../clock.ts'
import type { HealthCheckResult } from './watchdog.ts'
import { formatDuration } from './health-checks.ts'

/** Checks that each source used by SLOs answers. Only the organization of a silent source learns which one it is. */
type SourceWatch = {
  /** Call it when a source has, or has not, answered an evaluation of SLOs. */
  noteAnswer(sourceId: number, answered: boolean): void
  check(): Promise<HealthCheckResult>
}

/** State of a source. `sinceMs`: time of its last answer, or of the first query; `atMs`: time of its last query. */
type QueriedSource = { isSilent: boolean; sinceMs: number; atMs: number }

type Deps = {
  /** Clock that began at 0 when nines started (`createActiveTimeClock`). */
  clock: Clock
  /** Evaluation interval. */
  intervalMs: number
  /** Ids of the sources that SLOs use. */
  watched: () => Promise<'all' | number[]>
}

const minSilenceMs = 300_000

/** Creates a source watch. A source counts as silent after five minutes or three intervals, whichever is longer. */
export function watchSources({ clock, intervalMs, watched }: Deps): SourceWatch {
  const limitMs = Math.max(minSilenceMs, 3 * intervalMs)
  const queried = new Map<number, QueriedSource>()

  /** Drops sources that no SLO uses any more: nothing queries them. */
  function prune(): void {
    for (const [id, { atMs }] of queried) if (clock.now() - atMs > 2 * limitMs) queried.delete(id)
  }

  return {
    noteAnswer(sourceId, answered) {
      const nowMs = clock.now()
      const sinceMs = answered ? nowMs : (queried.get(sourceId)?.sinceMs ?? nowMs)
      queried.set(sourceId, { isSilent: !answered, sinceMs, atMs: nowMs })
    },
    async check() {
      prune()
      const ids = await watched()
      const watchedSources = [...queried].flatMap(([id, one]) => (ids === 'all' || ids.includes(id) ? [one] : []))
      const silent = watchedSources.filter(({ isSilent }) => isSilent)
      const longSilent = silent.filter(({ sinceMs }) => clock.now() - sinceMs >= limitMs)
      if (longSilent.length > 0) {
        return `${longSilent.length} of ${watchedSources.length} metrics sources that SLOs use gave no answer for ${formatDuration(limitMs)} or longer`
      }
      const isEarly = clock.now() < limitMs && watchedSources.length === 0
      return silent.length > 0 || isEarly ? undefined : null
    },
  }
}
