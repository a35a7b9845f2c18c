import { createFairQueue } from './fair-queue.ts'

/**
 * Runs a bounded number of tasks at once; the others start in the order of their arrival. `run` rejects with `signal.reason` if
 * the signal is aborted while the task still waits. An `urgent` task neither waits nor counts.
 */
export type Semaphore = {
  /** Number of tasks that run or wait. */
  readonly size: number
  run<T>(task: () => Promise<T>, options?: { signal?: AbortSignal; urgent?: boolean }): Promise<T>
  /** Resolves once nothing runs or waits. */
  drain(): Promise<void>
}

/** Without a limit nothing waits; the semaphore then only tracks work under way. */
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

/** Starts work only while nines is not closing, and waits for work under way. */
type WhileOpen = {
  /** Returns the outcome of the work, or undefined if it was not started. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Call once nines is closing. Resolves when no work is under way any more. */
  drain(): Promise<void>
}

export function createWhileOpen(isClosing: () => boolean): WhileOpen {
  const { run, drain } = createSemaphore()
  return { run: async (work) => (isClosing() ? undefined : run(work)), drain }
}

/** Runs tasks with the same key one after another, in the order of their arrival; tasks with other keys do not wait for them. */
type KeyedMutex = { exclusively<T>(key: string, task: () => Promise<T>): Promise<T> }

export function createKeyedMutex(): KeyedMutex {
  return { exclusively: createFairQueue<string>({ max: Infinity, maxOfGroup: 1 }).run }
}
