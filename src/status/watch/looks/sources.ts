import type { Clock } from '../../../clock.ts'
import type { Finding } from '../watchdog.ts'
import { durationText } from './words.ts'

/** Whether every source that SLOs use answers; which one does not is its organization's to know. */
export type SourceWatch = {
  /** A source has answered, or has answered nothing, to the evaluation of SLOs. */
  asked(sourceId: number, answered: boolean): void
  look(): Promise<Finding>
}

/** `sinceMs`: its last answer, or when it was first asked. */
type Heard = { isSilent: boolean; sinceMs: number; askedMs: number }

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
  const heard = new Map<number, Heard>()

  /** What SLOs no longer use is not asked any more. */
  function forget(): void {
    for (const [id, { askedMs }] of heard) if (clock.now() - askedMs > 2 * limitMs) heard.delete(id)
  }

  return {
    asked(sourceId, answered) {
      const nowMs = clock.now()
      const sinceMs = answered ? nowMs : (heard.get(sourceId)?.sinceMs ?? nowMs)
      heard.set(sourceId, { isSilent: !answered, sinceMs, askedMs: nowMs })
    },
    async look() {
      forget()
      const ids = await watched()
      const counting = [...heard].flatMap(([id, one]) => (ids === 'all' || ids.includes(id) ? [one] : []))
      const silent = counting.filter(({ isSilent }) => isSilent)
      const long = silent.filter(({ sinceMs }) => clock.now() - sinceMs >= limitMs)
      if (long.length > 0) {
        return `${long.length} of ${counting.length} metrics sources that SLOs use gave no answer for ${durationText(limitMs)} or longer`
      }
      const isEarly = clock.now() < limitMs && counting.length === 0
      return silent.length > 0 || isEarly ? undefined : null
    },
  }
}
