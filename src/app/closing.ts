/** What is to end with the app. */
export type Closing = {
  /** To be called once for each thing that is built, after what it depends on. */
  onClose(end: () => unknown): void
  /** Ends everything in reverse. What fails does not keep the rest from ending; the first failure is thrown at the end. */
  close(): Promise<void>
}

export function createClosing(): Closing {
  const ends: (() => unknown)[] = []
  return {
    onClose: (end) => void ends.push(end),
    async close() {
      const failures: unknown[] = []
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
        try {
          await end()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
