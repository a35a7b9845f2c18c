import { type Bucket, minute } from '../bucket.ts'
import { CompensatedSum } from '../compensated-sum.ts'
import type { MinuteSum, RangeSum } from '../ledger-store.ts'

/** Two hours for short windows of alerts, and the minutes of an hour that is closed late. */
export const recentMinutes = 160

const valuesPerMinute = 4 // good, total, leadGood, leadTotal
const absent = 255 // covered seconds of a minute that is not stored

/** Newest minutes of one SLO as stored, without gaps from `from` on: at most `recentMinutes`, in a ring. */
export class RecentMinutes {
  readonly #values = new Float64Array(recentMinutes * valuesPerMinute)
  readonly #covered = new Uint8Array(recentMinutes).fill(absent)
  #from: number
  #until: number
  #begin: number

  /**
   * Starts empty; minutes are put from `fromSeconds` on. `beginSeconds`: start of the first stored minute; Infinity if there is
   * none.
   */
  constructor(fromSeconds: number, beginSeconds: number) {
    this.#from = fromSeconds
    this.#until = fromSeconds
    this.#begin = beginSeconds
  }

  /** Start of the first minute in memory; all later stored ones are in memory, too. */
  get from(): number {
    return this.#from
  }

  /** End of the last stored minute. */
  get until(): number {
    return this.#until
  }

  /** Replaces or adds one minute; a minute too old to be kept is ignored. */
  put({ startSeconds, good, total, coveredSeconds, leadGood, leadTotal }: Bucket): void {
    this.#begin = Math.min(this.#begin, startSeconds)
    if (startSeconds < this.#from) return
    if (startSeconds >= this.#until) this.#extend(startSeconds + minute)
    const index = indexOf(startSeconds)
    this.#covered[index] = coveredSeconds
    this.#values.set([good, total, leadGood, leadTotal], index * valuesPerMinute)
  }

  /** True if this minute is kept with these values. */
  has({ startSeconds, good, total, coveredSeconds, leadGood, leadTotal }: Bucket): boolean {
    if (startSeconds < this.#from || startSeconds >= this.#until) return false
    const index = indexOf(startSeconds)
    const isSame = (at: number, value: number) => this.#values[index * valuesPerMinute + at] === value
    return (
      this.#covered[index] === coveredSeconds &&
      isSame(0, good) &&
      isSame(1, total) &&
      isSame(2, leadGood) &&
      isSame(3, leadTotal)
    )
  }

  /** Sum of a range, equal to `sumRanges` to the last bit; undefined if some of it is no longer in memory. */
  sum(startSeconds: number, endSeconds: number): RangeSum | undefined {
    if (startSeconds < this.#from && this.#begin < Math.min(this.#from, endSeconds)) return undefined
    const [good, total] = [new CompensatedSum(), new CompensatedSum()]
    const end = Math.min(endSeconds, this.#until)
    let [coveredSeconds, leadGood, leadTotal] = [0, 0, 0]
    for (let at = Math.max(startSeconds, this.#from); at < end; at += minute) {
      const index = indexOf(at)
      const covered = this.#covered[index] ?? absent
      if (covered === absent) continue
      const first = index * valuesPerMinute
      good.add(this.#values[first] ?? 0)
      total.add(this.#values[first + 1] ?? 0)
      if (coveredSeconds === 0 && covered > 0) {
        leadGood = this.#values[first + 2] ?? 0
        leadTotal = this.#values[first + 3] ?? 0
      }
      coveredSeconds += covered
    }
    return { good: good.value(), total: total.value(), coveredSeconds, leadGood, leadTotal }
  }

  /** Sum of a range and its number of minutes, equal to `sumMinutes` to the last bit; undefined if some is no longer in memory. */
  minuteSum(startSeconds: number, endSeconds: number): MinuteSum | undefined {
    const sum = this.sum(startSeconds, endSeconds)
    if (!sum) return undefined
    let minutes = 0
    for (let at = Math.max(startSeconds, this.#from); at < Math.min(endSeconds, this.#until); at += minute) {
      if (this.#covered[indexOf(at)] !== absent) minutes += 1
    }
    return { good: sum.good, total: sum.total, minutes }
  }

  #extend(untilSeconds: number): void {
    const first = Math.max(this.#until, untilSeconds - recentMinutes * minute)
    for (let at = first; at < untilSeconds; at += minute) this.#covered[indexOf(at)] = absent
    this.#until = untilSeconds
    this.#from = Math.max(this.#from, untilSeconds - recentMinutes * minute)
  }
}

function indexOf(startSeconds: number): number {
  return (startSeconds / minute) % recentMinutes
}
