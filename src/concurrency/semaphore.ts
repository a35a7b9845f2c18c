import { createFairQueue } from './fair-queue.ts'

/**
 * Lets a bounded number of tasks run at once; the others start in the order in which they came. `run` rejects with
 * `signal.reason` when the signal is aborted while the task still waits. An `urgent` task neither waits nor counts.
 */
export type Semaphore = {
  /** How many run or wait. */
  readonly size: number
  run<T>(task: () => Promise<T>, options?: { signal?: AbortSignal; urgent?: boolean }): Promise<T>
  /** Resolves once nothing runs or waits. */
  drain(): Promise<void>
}

/** Without a limit nothing waits: it knows what is under way. */
export function createSemaphore(limit = Infinity): Semaphore {
  const queue = createFairQueue<'all'>({ max: limit, maxOfGroup: limit })
  return {
    get size() {
      return queue.size
    },
    run: (task, { signal, urgent = false } = {}) => (urgent ? task() : queue.run('all', task, signal)),
    drain: queue.drain,
  }
}

/** Lets work begin only while nines is not closing, and waits for what has begun. */
export type WhileOpen = {
  /** The outcome of the work, or undefined where it was not begun any more. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Once nines is closing: resolves when nothing is under way any more. */
  drain(): Promise<void>
}

export function createWhileOpen(isClosing: () => boolean): WhileOpen {
  const { run, drain } = createSemaphore()
  return { run: async (work) => (isClosing() ? undefined : run(work)), drain }
}

/** Tasks with the same key run one after another, in the order in which they came; others do not wait for them. */
export type KeyedMutex = { exclusively<T>(key: string, task: () => Promise<T>): Promise<T> }

export function createKeyedMutex(): KeyedMutex {
  return { exclusively: createFairQueue<string>({ max: Infinity, maxOfGroup: 1 }).run }
}
