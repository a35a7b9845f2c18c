/** Something that is under way until `end` is called, and that is to be given up once `signal` is aborted. */
export type Run = { signal: AbortSignal; abort(): void; end(): void }

/** `drain` waits for all that is under way, also for what begins meanwhile; gives it up first where that is wanted. */
export function createUnderWay(): { begin(): Run; drain(isGivenUp: () => boolean): Promise<void> } {
  const runs = new Map<Run, Promise<void>>()
  return {
    begin() {
      const controller = new AbortController()
      const { promise, resolve } = Promise.withResolvers<void>()
      const run: Run = {
        signal: controller.signal,
        abort: () => controller.abort(),
        end() {
          runs.delete(run)
          resolve()
        },
      }
      runs.set(run, promise)
      return run
    },
    async drain(isGivenUp) {
      while (runs.size > 0) {
        if (isGivenUp()) for (const run of runs.keys()) run.abort()
        await Promise.all(runs.values())
      }
    },
  }
}
