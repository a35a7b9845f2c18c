/** Lets work on the database begin only while the app is not closing, and waits for what has begun. */
export type WhileOpen = {
  /** The outcome of the work, or undefined where it was not begun any more. */
  run<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Once the app is closing: resolves when nothing is read or written any more. */
  drain(): Promise<void>
}

export function createWhileOpen(isClosing: () => boolean): WhileOpen {
  const underWay = new Set<Promise<unknown>>()
  return {
    async run(work) {
      if (isClosing()) return undefined
      const working = work()
      underWay.add(working)
      try {
        return await working
      } finally {
        underWay.delete(working)
      }
    },
    async drain() {
      await Promise.allSettled(underWay)
    },
  }
}
