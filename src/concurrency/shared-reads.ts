/**
 * A read that is shared by all callers that request it under one key before anything is committed. For each key, one read runs
 * at a time: a caller after a commit waits for the read that began before it, and shares the next one.
 */
export type SharedReads<T> = (key: number, read: () => Promise<T>) => Promise<T>

/** `version`: returns another number once something was committed. */
export function createSharedReads<T>(version: () => number): SharedReads<T> {
  const underWay = new Map<number, { version: number; result: Promise<T> }>()
  return async (key, read) => {
    for (let current = underWay.get(key); current; current = underWay.get(key)) {
      if (current.version === version()) return current.result
      await current.result.catch(() => {}) // its own callers get the error
    }
    const readVersion = version() // before the read, so that a later commit is noticed
    const result = read().finally(() => underWay.delete(key))
    underWay.set(key, { version: readVersion, result })
    return result
  }
}
