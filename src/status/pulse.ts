import type { Clock } from '../clock.ts'

/** Whether something that is done every second is being done. */
type Pulse = {
  /** Does it, and gives its outcome. */
  watch<T>(work: () => Promise<T>): Promise<T>
  /** It, or this watch, was begun within the last seconds, and none of the times that ended in them has failed. */
  beats(): boolean
}

const patienceMs = 5000

/** `stopwatch` measures the seconds, even where the clock is set. */
export function createPulse(stopwatch: Clock): Pulse {
  const at = { begun: stopwatch.now(), failed: -Infinity }
  return {
    async watch(work) {
      at.begun = stopwatch.now()
      try {
        return await work()
      } catch (error) {
        at.failed = stopwatch.now()
        throw error
      }
    },
    beats() {
      const recent = (timeMs: number) => stopwatch.now() - timeMs <= patienceMs
      return recent(at.begun) && !recent(at.failed)
    },
  }
}
