import type { Clock } from '../../../clock.ts'
import type { Finding } from '../watchdog.ts'
import { durationText } from './words.ts'

type Deps = {
  clock: Clock
  /** 0: nothing is evaluated. */
  intervalMs: number
  hasActiveSlos: () => Promise<boolean>
}

/** Whether any SLO has been evaluated within three intervals; those without one, and none to evaluate, are well. */
export type EvaluationWatch = {
  /** Evaluations have been stored. */
  stored(): void
  look(): Promise<Finding>
}

export function watchEvaluations({ clock, intervalMs, hasActiveSlos }: Deps): EvaluationWatch {
  const limitMs = 3 * intervalMs
  let lastMs = clock.now()
  let isSeen = false
  return {
    stored() {
      lastMs = clock.now()
      isSeen = true
    },
    async look() {
      if (intervalMs === 0) return null
      // a list that cannot be read is no reason to believe that it is empty
      if (!(await hasActiveSlos().catch(() => true))) {
        lastMs = clock.now()
        return null
      }
      if (clock.now() - lastMs >= limitMs) return `no SLO has been evaluated for ${durationText(clock.now() - lastMs)}`
      return isSeen ? null : undefined
    },
  }
}
