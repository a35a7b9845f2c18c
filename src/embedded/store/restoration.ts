import { runSync, runCooperatively, type CooperativeTask } from '../../concurrency/cooperative.ts'

/** A value that is filled from a file after it was opened. */
type Restoration<T> = {
  isOver(): boolean
  /** The value, filled: reads what is missing at once. Throws, at each call, the error of the work. */
  finish(): T
  /** `finish` that yields to the event loop. */
  finishInTurns(): Promise<T>
}

/** Starts filling in the next turn of the event loop. */
export function restoreInBackground<T>(what: T, steps: CooperativeTask<void>): Restoration<T> {
  let isRestored = false
  let failure: { error: unknown } | undefined

  function* whole(): CooperativeTask<void> {
    try {
      yield* steps
      isRestored = true
    } catch (error) {
      failure = { error } // kept for all callers, because another one may run the steps
    }
  }

  const going = whole()
  const made = () => {
    if (failure) throw failure.error
    return what
  }
  const finishInTurns = async () => {
    if (!isRestored) await runCooperatively('samples', going)
    return made()
  }
  setImmediate(() => void finishInTurns().catch(() => {}))
  return {
    isOver: () => isRestored,
    finish() {
      if (!isRestored) runSync(going)
      return made()
    },
    finishInTurns,
  }
}
