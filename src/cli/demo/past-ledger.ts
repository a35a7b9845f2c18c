import type { Database } from '../../db/open.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import { backfillChunks } from '../../ledger/backfill/steps.ts'
import { day, floorTo, hour, minute, type Resolution } from '../../ledger/bucket.ts'
import { type LedgerBucket, putBuckets } from '../../ledger/ledger-store.ts'
import { countsEvents } from '../../ledger/measure/measure-ledger.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { getBackfill, updateBackfill } from '../../slos/backfills/store.ts'
import { type PastSpan, type PastSums, sumOfMinutes } from './past.ts'

const minutesSpanSeconds = 72 * hour // the longest burn rate window, as in a backfill
const rowsPerBatch = 1000

/** Writes what a backfill of an SLO would have measured of the past, and records that backfill as done. */
export async function writePastLedger(
  { db, config: { retentionDays } }: { db: Database; config: { retentionDays: number } },
  planned: PlannedSlo,
  { span, sums }: { span: PastSpan; sums: PastSums },
): Promise<void> {
  const { id: sloId, revision, organization_id } = planned.slo
  const { firstSeconds } = span
  const endSeconds = firstSeconds + span.count * minute
  const hasLeads = countsEvents(planned.plan)
  const bucketsOf = (resolution: Resolution, fromSeconds: number): LedgerBucket[] => {
    const starts = Array.from(
      { length: Math.max(0, floorTo(endSeconds, resolution) - fromSeconds) / resolution },
      (_, at) => fromSeconds + at * resolution,
    )
    return starts.map((startSeconds) => {
      const from = Math.max(0, (startSeconds - firstSeconds) / minute)
      const sum = sumOfMinutes(sums, from, (startSeconds + resolution - firstSeconds) / minute)
      // events between the last sample before the bucket and its first sample: about those of the bucket's first minute
      const lead = hasLeads ? sumOfMinutes(sums, from, from + 1) : { good: 0, total: 0 }
      return { sloId, revision, resolution, startSeconds, ...sum, leadGood: lead.good, leadTotal: lead.total }
    })
  }
  const rows = [
    ...bucketsOf(minute, Math.max(firstSeconds, floorTo(endSeconds, hour) - minutesSpanSeconds)),
    ...bucketsOf(hour, floorTo(firstSeconds, hour)),
    ...bucketsOf(day, floorTo(firstSeconds, day)),
  ]
  const { ends_at } = await getBackfill(db.read, organization_id, sloId)
  const chunks = backfillChunks(ends_at, retentionDays).length
  await db.write.transaction().execute(async (trx) => {
    for (const some of inChunks(rows, rowsPerBatch)) await putBuckets(trx, some)
    const done = { status: 'done', chunks, chunks_done: chunks, buckets: rows.length } as const
    await updateBackfill(trx, sloId, revision, { ...done, updated_at: 1000 * endSeconds })
  })
}
