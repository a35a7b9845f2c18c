import type { Bucket } from '../../src/ledger/bucket.ts'
import type { LedgerBucket } from '../../src/ledger/ledger-store.ts'
import { sloCalls } from '../support/slo-calls.ts'

export const monday = 1_795_392_000 // 2026-11-23T00:00:00Z

/** A completely measured minute of the first SLO's first revision, unless changed. */
export function bucket(change: Partial<LedgerBucket>): LedgerBucket {
  const resolution = change.resolution ?? 60
  return {
    sloId: 1,
    revision: 1,
    resolution,
    startSeconds: monday,
    good: 0,
    total: 0,
    coveredSeconds: resolution,
    leadGood: 0,
    leadTotal: 0,
    ...change,
  }
}

/** Merges buckets into one: their sum, led by the first that covers anything. */
export function joined(
  buckets: Bucket[],
): Pick<Bucket, 'good' | 'total' | 'coveredSeconds' | 'leadGood' | 'leadTotal'> {
  const first = buckets.find(({ coveredSeconds }) => coveredSeconds > 0)
  const sum = (of: 'good' | 'total' | 'coveredSeconds') => buckets.reduce((before, one) => before + one[of], 0)
  return {
    good: sum('good'),
    total: sum('total'),
    coveredSeconds: sum('coveredSeconds'),
    leadGood: first?.leadGood ?? 0,
    leadTotal: first?.leadTotal ?? 0,
  }
}

/** An empty ledger for the SLOs 1 and 2, with one revision each. */
export function emptyLedger() {
  const on = sloCalls()
  let areMade = false
  return {
    get db() {
      return on.nines.app.db
    },
    async clear(): Promise<void> {
      if (!areMade) await Promise.all([on.create(), on.create({ name: 'Search' })])
      areMade = true
      await on.nines.app.db.write.deleteFrom('buckets').execute()
    },
  }
}
