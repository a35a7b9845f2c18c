/**
 * A read that all share who ask for it under one key before anything is committed. One at a time goes on for each key: who asks
 * after a commit waits for the one that has begun before it, and shares the next.
 */
export type SharedReads<T> = (key: number, read: () => Promise<T>) => Promise<T>

/** `version`: another number once something was committed. */
export function createSharedReads<T>(version: () => number): SharedReads<T> {
  const underWay = new Map<number, { version: number; result: Promise<T> }>()
  return async (key, read) => {
    for (let begun = underWay.get(key); begun; begun = underWay.get(key)) {
      if (begun.version === version()) return begun.result
      await begun.result.catch(() => {}) // who shares it throws
    }
    const began = version() // before anything is read: what is committed later shows
    const result = read().finally(() => underWay.delete(key))
    underWay.set(key, { version: began, result })
    return result
  }
}
