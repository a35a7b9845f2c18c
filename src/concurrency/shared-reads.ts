/**
 * A read that is shared by all callers that request it under one key before anything is committed. For each key, one read runs
 * at a time: a caller after a commit waits for the read that began before it, and shares the next one.
 */
type SharedReads<T> = (key: number, read: () => Promise<T>) => Promise<T>

/** `version`: returns another number once something was committed. */
export function createSharedReads<T>(version: () => number): SharedReads<T> {
  const underWay = new Map<number, { version: number; result: Promise<T> }>()
  return async (key, read) => {
    for (let begun = underWay.get(key); begun; begun = underWay.get(key)) {
      if (begun.version === version()) return begun.result
      await begun.result.catch(() => {}) // its own callers get the error
    }
    const began = version() // before the read, so that a later commit is noticed
    const result = read().finally(() => underWay.delete(key))
    underWay.set(key, { version: began, result })
    return result
  }
}
