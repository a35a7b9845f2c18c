import { atOnce, inTurns, type Steps } from '../../concurrency/steps.ts'

/** Something that is filled from a file after it was opened. */
type Restoration<T> = {
  isOver(): boolean
  /** It, whole: what is missing is read at once. Throws, each time, what the work threw. */
  finish(): T
  /** The same in turns with everything else. */
  finishInTurns(): Promise<T>
}

/** Begins with the next turn of the event loop. */
export function restored<T>(what: T, steps: Steps<void>): Restoration<T> {
  let isOver = false
  let failure: { error: unknown } | undefined

  function* whole(): Steps<void> {
    try {
      yield* steps
      isOver = true
    } catch (error) {
      failure = { error } // for all who need it, the first of whom may not be the one who goes on with it
    }
  }

  const going = whole()
  const made = () => {
    if (failure) throw failure.error
    return what
  }
  const finishInTurns = async () => {
    if (!isOver) await inTurns('samples', going)
    return made()
  }
  setImmediate(() => void finishInTurns().catch(() => {}))
  return {
    isOver: () => isOver,
    finish() {
      if (!isOver) atOnce(going)
      return made()
    },
    finishInTurns,
  }
}
