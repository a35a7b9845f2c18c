import type { Db } from '../db/open.ts'
import { type Bucket, day, hour, type Span } from './bucket.ts'
import { CompensatedSum } from './compensated-sum.ts'
import { type BucketRange, type SloRevision, listRows, type RangeSum, sumRanges } from './ledger-store.ts'
import { cacheSum, type CachedSlo, cachedSumOf } from './memory/ledger-cache.ts'

/** Ranges of one SLO's buckets of one length with the same start, and their sums by end; null: not read yet. */
type Chain = { first: BucketRange; sums: Map<number, RangeSum | null> }

/** Ledger sums that were read, by SLO and revision, so that they are not read again. */
export type ReadRanges = Map<string, Map<number, Chain>>

const endsOfChain = 3 // with so many ranges from one start, reading their rows once costs less than sums in SQLite

/** Sums each range of each list, in two statements at most. */
export async function sumLists(
  db: Db,
  lists: { slo: SloRevision & { cached?: CachedSlo | undefined }; spans: Span[] }[],
  readRanges: ReadRanges,
): Promise<RangeSum[][]> {
  const fresh = new Set<Chain>()
  const pending = lists.map(({ slo: { sloId, revision, cached }, spans }) => {
    const coarse = cached?.coarse
    const chains = readRanges.getOrInsertComputed(`${sloId} ${revision}`, () => new Map<number, Chain>())
    return spans.map((span) => {
      const sum = cached && cachedSumOf(cached, span)
      if (sum) return { sum }
      const make = () => ({ first: { sloId, revision, ...span }, sums: new Map<number, RangeSum | null>() })
      const chain = chains.getOrInsertComputed(keyOf(span), make)
      if (!chain.sums.has(span.endSeconds)) fresh.add(chain)
      if (!chain.sums.has(span.endSeconds)) chain.sums.set(span.endSeconds, null)
      return { chain, span, coarse }
    })
  })
  const single: { chain: Chain; range: BucketRange }[] = []
  const long: { chain: Chain; range: BucketRange; ends: number[] }[] = []
  for (const chain of fresh) {
    const ends = [...chain.sums].flatMap(([end, sum]) => (sum ? [] : [end])).toSorted((a, b) => a - b)
    if (ends.length >= endsOfChain) {
      long.push({ chain, ends, range: { ...chain.first, endSeconds: ends.at(-1) ?? 0 } })
    } else for (const endSeconds of ends) single.push({ chain, range: { ...chain.first, endSeconds } })
  }
  const sums = await sumRanges(
    db,
    single.map(({ range }) => range),
  )
  single.forEach(({ chain, range }, place) => chain.sums.set(range.endSeconds, sums[place] ?? null))
  const rows = await listRows(
    db,
    long.map(({ range }) => range),
  )
  long.forEach(({ chain, ends }, place) => sumChain(rows[place] ?? [], ends, chain.sums))
  return pending.map((spans) =>
    spans.flatMap(({ sum: cachedSum, chain, span, coarse }) => {
      const sum = cachedSum ?? chain?.sums.get(span.endSeconds)
      if (!cachedSum && sum && coarse) cacheSum(coarse, span, sum)
      return sum ?? []
    }),
  )
}

/** Key of start and length; a start is a whole minute. */
function keyOf({ startSeconds, resolution }: Span): number {
  if (resolution === day) return startSeconds + 2
  return resolution === hour ? startSeconds + 1 : startSeconds
}

/** Sums buckets up to each end, equal to `sum` of SQLite to the last bit. `rows` and `ends` are in order. */
function sumChain(rows: Bucket[], ends: number[], sums: Map<number, RangeSum | null>): void {
  const [good, total] = [new CompensatedSum(), new CompensatedSum()]
  let [coveredSeconds, leadGood, leadTotal, at] = [0, 0, 0, 0]
  for (const end of ends) {
    for (let row = rows[at]; row && row.startSeconds < end; row = rows[(at += 1)]) {
      good.add(row.good)
      total.add(row.total)
      if (coveredSeconds === 0 && row.coveredSeconds > 0) [leadGood, leadTotal] = [row.leadGood, row.leadTotal]
      coveredSeconds += row.coveredSeconds
    }
    sums.set(end, { good: good.value(), total: total.value(), coveredSeconds, leadGood, leadTotal })
  }
}
