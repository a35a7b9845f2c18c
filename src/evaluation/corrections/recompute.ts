import { type Clock, isoTime } from '../../clock.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import type { Caller } from '../../http/signed-in.ts'
import { readZonedTime, zonedTimeText } from '../../http/zoned-time.ts'
import { listPeriodsFrom, type PeriodRow, updatePeriod } from '../../slos/periods/store.ts'
import { getSlo } from '../../slos/store.ts'
import { excludedIn } from './excluded.ts'

type Deps = { db: Database; clock: Clock }

/** Note of a period of which nothing is left. */
const allExcluded = 'Corrections exclude all that was counted'

/**
 * Computes the stored period of an SLO that begins at `start` again, with the present corrections, from what was counted when it was
 * stored; its source is not queried. Throws `conflict` if that is not known, and for a composite, whose members' counts are not stored.
 */
export async function recomputePeriod(
  { db, clock }: Deps,
  caller: Caller,
  sloId: number,
  start: string,
): Promise<PeriodRow> {
  const slo = await getSlo(db.read, caller.organizationId, sloId)
  if (slo.composite !== null) {
    const details = 'it was combined from its members at its end, and what they counted then is not stored'
    throw new AppError('conflict', 'The period of a composite cannot be recomputed', { details })
  }
  // a `+` in a URL may arrive as a space
  const startMs = readZonedTime(start.replace(/ (?=\d{2}:?\d{2}$)/, '+'))
  if (startMs === undefined) throw invalid('start', `must be ${zonedTimeText}, as starts_at of a period`)
  const stored = await listPeriodsFrom(db.read, slo.id, Math.floor(startMs / 1000))
  const row = stored.find((one) => one.time_window === slo.time_window && one.time_zone === slo.time_zone) ?? stored[0]
  if (!row) throw notFound('Period')
  const { counted_good, counted_total, starts_at: startSeconds, ends_at: endSeconds } = row
  if (counted_good === null || counted_total === null) {
    throw new AppError('conflict', 'Its figures are not known', { details: row.note ?? 'it was stored without them' })
  }
  const [excluded = null] = await excludedIn(db, [
    { slo: { id: slo.id, revision: row.revision }, startSeconds, endSeconds },
  ])
  const { good = 0, total = 0, seconds = 0 } = excluded ?? {}
  const countedTotal =
    seconds >= endSeconds - startSeconds ? 0 : Math.max(0, counted_total + row.excluded_total - total)
  const countedGood = Math.min(countedTotal, Math.max(0, counted_good + row.excluded_good - good))
  const nowMs = clock.now()
  const hasEvents = row.good_events !== null
  const change = {
    sli: countedTotal > 0 ? (100 * countedGood) / countedTotal : null,
    good_events: hasEvents ? Math.round(countedGood) : null,
    total_events: hasEvents ? Math.round(countedTotal) : null,
    counted_good: countedGood,
    counted_total: countedTotal,
    excluded_good: good,
    excluded_total: total,
    excluded_seconds: seconds,
    note: countedTotal === 0 ? allExcluded : row.note === allExcluded ? null : row.note,
    recomputed_at: nowMs,
  }
  await db.write.transaction().execute(async (trx) => {
    await updatePeriod(trx, row, change)
    const details = {
      slo_id: slo.id,
      starts_at: isoTime(1000 * startSeconds),
      sli: change.sli,
      sli_before: row.sli,
    }
    await recordAudit(trx, caller, { event: 'slo_period_recomputed', details }, nowMs)
  })
  return { ...row, ...change }
}
