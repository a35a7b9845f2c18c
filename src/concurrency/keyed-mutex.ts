import { createFairQueue } from './fair-queue.ts'

/** Tasks with the same key run one after another, in the order in which they came; others do not wait for them. */
export type KeyedMutex = { exclusively<T>(key: string, task: () => Promise<T>): Promise<T> }

export function createKeyedMutex(): KeyedMutex {
  return { exclusively: createFairQueue<string>({ max: Infinity, maxOfGroup: 1 }).run }
}
