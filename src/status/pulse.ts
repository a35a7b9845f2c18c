import type { Clock } from '../clock.ts'

/** Whether something that is done every second is being done. */
type Pulse = {
  /** Does it, and gives its outcome. */
  watch<T>(work: () => Promise<T>): Promise<T>
  /** It, or this watch, was begun within the last seconds, and none of the times that ended in them has failed. */
  beats(): boolean
}

const patienceMs = 5000

export function createPulse(clock: Clock): Pulse {
  const at = { begun: clock.now(), failed: -Infinity }
  return {
    async watch(work) {
      at.begun = clock.now()
      try {
        return await work()
      } catch (error) {
        at.failed = clock.now()
        throw error
      }
    },
    beats() {
      const recent = (timeMs: number) => Math.abs(clock.now() - timeMs) <= patienceMs
      return recent(at.begun) && !recent(at.failed)
    },
  }
}
