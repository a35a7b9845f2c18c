import type { Clock } from '../clock.ts'

/** Liveness of a task that runs every second. */
type Liveness = {
  /** Runs the task and returns its result. */
  watch<T>(work: () => Promise<T>): Promise<T>
  /** True if a run, or this pulse, was started within the last 5 seconds and no run failed in them. */
  isAlive(): boolean
}

const timeoutMs = 5000

/** Creates a pulse. `stopwatch` measures the seconds, unaffected by clock changes. */
export function createLiveness(stopwatch: Clock): Liveness {
  const at = { started: stopwatch.now(), failed: -Infinity }
  return {
    async watch(work) {
      at.started = stopwatch.now()
      try {
        return await work()
      } catch (error) {
        at.failed = stopwatch.now()
        throw error
      }
    },
    isAlive() {
      const recent = (timeMs: number) => stopwatch.now() - timeMs <= timeoutMs
      return recent(at.started) && !recent(at.failed)
    },
  }
}
