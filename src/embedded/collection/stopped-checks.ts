import type { Label } from '../exposition/sample.ts'

/** Check that no longer runs. `stopped`: why, as a sentence; `sinceMs`: when it stopped. */
type StoppedCheck = { labels: readonly Label[]; sinceMs: number | null; stopped?: string }

const maxKept = 10_000

/**
 * Keeps checks that no longer run, so that the SLOs that read them can say why they have no data. A check is dropped once one with
 * its labels runs again, or once 10,000 newer ones have stopped; none outlives the process.
 */
export type StoppedChecks<Check extends StoppedCheck> = {
  add(organizationId: number, check: Check): void
  /** Drops the check with these labels. */
  resume(organizationId: number, labels: readonly Label[]): void
  listOf(organizationId: number): Check[]
}

export function createStoppedChecks<Check extends StoppedCheck>(): StoppedChecks<Check> {
  const kept = new Map<string, { organizationId: number; check: Check }>()
  const keyOf = (organizationId: number, labels: readonly Label[]) => JSON.stringify([organizationId, labels])
  return {
    add(organizationId, check) {
      const [oldest] = kept.keys()
      if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest)
      kept.set(keyOf(organizationId, check.labels), { organizationId, check })
    },
    resume: (organizationId, labels) => void kept.delete(keyOf(organizationId, labels)),
    listOf: (organizationId) =>
      [...kept.values()].flatMap((one) => (one.organizationId === organizationId ? [one.check] : [])),
  }
}
