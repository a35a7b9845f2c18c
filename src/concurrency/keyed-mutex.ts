/** Tasks with the same key run one after another, in the order in which they came; others do not wait for them. */
export type KeyedMutex = { exclusively<T>(key: string, task: () => Promise<T>): Promise<T> }

export function createKeyedMutex(): KeyedMutex {
  const lastOf = new Map<string, Promise<void>>()
  return {
    async exclusively(key, task) {
      const before = lastOf.get(key)
      const { promise: mine, resolve: leave } = Promise.withResolvers<void>()
      lastOf.set(key, mine)
      await before
      try {
        return await task()
      } finally {
        if (lastOf.get(key) === mine) lastOf.delete(key)
        leave()
      }
    },
  }
}
