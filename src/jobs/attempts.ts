/** Parts of a job of which one that fails keeps none of the others from being done. */
export type Attempts = {
  /** Undefined where it fails. */
  attempt<T>(work: () => Promise<T>): Promise<T | undefined>
  /** Throws the first failure. */
  assertDone(): void
}

export function createAttempts(): Attempts {
  const failures: unknown[] = []
  return {
    async attempt(work) {
      try {
        return await work()
      } catch (error) {
        failures.push(error)
        return undefined
      }
    },
    assertDone() {
      if (failures.length > 0) throw failures[0]
    },
  }
}
