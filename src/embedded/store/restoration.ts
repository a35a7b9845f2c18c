import { runSync, runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'

/** A value that is filled from a file in the background. */
type Restoration<T> = {
  /** True once the value is filled; false after a failure. */
  isOver(): boolean
  /** Fills the value without yielding, if it is not filled yet, and returns it. A failure is thrown at each call. */
  finish(): T
  /** `finish` that yields to the event loop. */
  finishCooperatively(): Promise<T>
}

/** Starts filling in the next turn of the event loop. */
export function restoreInBackground<T>(value: T, steps: CooperativeTask<void>): Restoration<T> {
  let isRestored = false
  let failure: { error: unknown } | undefined

  function* restoring(): CooperativeTask<void> {
    try {
      yield* steps
      isRestored = true
    } catch (error) {
      failure = { error } // kept for all callers, because another one may run the steps
    }
  }

  const task = restoring()
  const restored = () => {
    if (failure) throw failure.error
    return value
  }
  const finishCooperatively = async () => {
    if (!isRestored) await runCooperatively('samples', task)
    return restored()
  }
  setImmediate(() => void finishCooperatively().catch(() => {}))
  return {
    isOver: () => isRestored,
    finish() {
      if (!isRestored) runSync(task)
      return restored()
    },
    finishCooperatively,
  }
}
