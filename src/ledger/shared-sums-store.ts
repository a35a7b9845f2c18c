import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import { day, hour, minute, type Span } from './bucket.ts'
import type { RangeSum, SloRevision } from './ledger-store.ts'
import { type LedgerWindow, storedPart, sumSpans, wholeBuckets, type Window } from './window-spans.ts'

/** Sum of a span, with the number of its buckets and the sum of their starts. */
type SpanSum = RangeSum & { count: number; starts: number }

/** Sums of spans that were read, by span, then by SLO id. */
export type ReadSpans = Map<string, Map<number, SpanSum>>

/** A window, and the index of its sum in the result. */
export type PlacedWindow = LedgerWindow & { place: number }

/**
 * Computes the sums of windows with the same bounds, each from the spans that `spansOf` would give, and puts each into `sums` at its
 * `place`. Returns the windows that remain: windows with whole days, and those of SLOs with an hour missing between stored ones.
 */
export async function sumSameBounds(
  db: Db,
  windows: PlacedWindow[],
  nowSeconds: number,
  read: ReadSpans,
  sums: WindowSum[],
): Promise<PlacedWindow[]> {
  const [first] = windows
  const part = first && storedPart(first, nowSeconds)
  if (!part || wholeBuckets(part, day)) return windows
  const whole = wholeBuckets(part, hour)
  const hours = whole && (await readSpan(db, windows, whole, read))
  const byEndOfHours = Map.groupBy(windows, ({ sloId }) =>
    whole ? contiguousHoursEnd(whole, hours?.get(sloId)) : null,
  )
  const remaining = byEndOfHours.get(hasGap) ?? []
  byEndOfHours.delete(hasGap)
  for (const [end, sameEnd] of byEndOfHours) {
    const [headEnd, tailStart] = end === null || !whole ? [part.endSeconds, part.endSeconds] : [whole.startSeconds, end]
    const heads = await readMinutes(db, sameEnd, { startSeconds: part.startSeconds, endSeconds: headEnd }, read)
    const leadingSums = sameEnd.map(({ sloId }) => [heads?.get(sloId), end === null ? undefined : hours?.get(sloId)])
    // a window leaves out at most the lead of its first bucket with data
    const needsNoTailLeads = leadingSums.every(
      (spans, at) => sameEnd[at]?.keepsLead || spans.some((sum) => (sum?.coveredSeconds ?? 0) > 0),
    )
    const tails = await readMinutes(
      db,
      sameEnd,
      { startSeconds: tailStart, endSeconds: part.endSeconds },
      read,
      needsNoTailLeads,
    )
    for (const [at, { sloId, keepsLead = false, place }] of sameEnd.entries()) {
      const spans = [...(leadingSums[at] ?? []), tails?.get(sloId)]
      sums[place] = sumSpans(
        spans.filter((sum) => sum !== undefined),
        keepsLead,
      )
    }
  }
  return remaining
}

const hasGap = -1

/** End of the hours stored from the start of the span on; null: there are none. `hasGap`: one is missing between them. */
function contiguousHoursEnd({ startSeconds }: Span, hours: SpanSum | undefined): number | null {
  if (!hours || hours.count === 0) return null
  const endSeconds = startSeconds + hours.count * hour
  const contiguousStarts = (hours.count * (startSeconds + endSeconds - hour)) / 2 // sum of the starts of the span's first hours
  return hours.starts === contiguousStarts ? endSeconds : hasGap
}

/** Reads the sums of minutes; null if the window is empty. `withoutLeads`: their leads do not matter. */
async function readMinutes(
  db: Db,
  slos: SloRevision[],
  { startSeconds, endSeconds }: Window,
  read: ReadSpans,
  withoutLeads = false,
) {
  if (startSeconds >= endSeconds) return null
  return readSpan(db, slos, { resolution: minute, startSeconds, endSeconds }, read, withoutLeads)
}

async function readSpan(db: Db, slos: SloRevision[], span: Span, read: ReadSpans, withoutLeads = false) {
  const { resolution, startSeconds, endSeconds } = span
  const key = `${resolution} ${startSeconds} ${endSeconds} ${withoutLeads}`
  const sums = read.getOrInsertComputed(key, () => new Map<number, SpanSum>())
  const unread = slos.filter(({ sloId }) => !sums.has(sloId))
  if (unread.length === 0) return sums
  const slosToRead = JSON.stringify(Object.fromEntries(unread.map(({ sloId, revision }) => [sloId, revision])))
  const sum = withoutLeads ? sumWithoutLeads : sumWithLeads
  const { rows } = await sum(db, { slos: slosToRead, resolution, startSeconds, endSeconds })
  for (const row of rows) sums.set(row.sloId, row)
  return sums
}

type Bounds = { slos: string; resolution: number; startSeconds: number; endSeconds: number }
type SumOfSlo = SpanSum & { sloId: number }

/** Buckets of each SLO; `slos`: JSON of revisions by id, both of which `json_each` gives without reading JSON again. */
const bucketsOf = ({ slos, resolution, startSeconds, endSeconds }: Record<keyof Bounds, RawBuilder<unknown>>) => sql`
  from json_each(${slos}) as measured
  left join buckets on slo_id = cast(measured.key as integer) and revision = measured.value and resolution = ${resolution}
    and start >= ${startSeconds} and start < ${endSeconds}
  group by measured.rowid`

// SQLite takes bare columns next to a single min() from the row with the minimum.
const sumWithLeads = prepared<Bounds, SumOfSlo>(
  (bounds) => sql`
    select cast(measured.key as integer) as sloId, coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total,
      coalesce(sum(covered_seconds), 0) as coveredSeconds, coalesce(lead_good, 0) as leadGood,
      coalesce(lead_total, 0) as leadTotal, min(iif(covered_seconds > 0, start, null)) as firstCovered, count(start) as count,
      coalesce(sum(start), 0) as starts
    ${bucketsOf(bounds)}`,
)

/** Takes a quarter less time. */
const sumWithoutLeads = prepared<Bounds, SumOfSlo>(
  (bounds) => sql`
    select cast(measured.key as integer) as sloId, coalesce(sum(good), 0) as good, coalesce(sum(total), 0) as total,
      coalesce(sum(covered_seconds), 0) as coveredSeconds, 0 as leadGood, 0 as leadTotal
    ${bucketsOf(bounds)}`,
)
