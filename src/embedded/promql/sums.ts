/** A sum, and separately the amount that rounding lost (Kahan and Neumaier's algorithm), as in Prometheus. */
type Sum = { sum: number; lost: number }

export const newSum = (): Sum => ({ sum: 0, lost: 0 })

export function add(to: Sum, value: number) {
  const sum = to.sum + value
  if (isInfinite(sum)) to.lost = 0
  else to.lost += Math.abs(to.sum) >= Math.abs(value) ? to.sum - sum + value : value - sum + to.sum
  to.sum = sum
}

export const total = ({ sum, lost }: Sum) => sum + lost

export const isInfinite = (value: number) => value === Infinity || value === -Infinity

/** Sum of the values [from, to). */
export function sumOf(values: ArrayLike<number>, from = 0, to = values.length): number {
  const all = newSum()
  for (let index = from; index < to; index += 1) add(all, values[index] ?? NaN)
  return total(all)
}

/** Mean of at least one value: the sum divided by the number of values; from where that overflows, a mean updated by each value. */
export function meanOf(values: ArrayLike<number>, from = 0, to = values.length): number {
  const all = newSum()
  all.sum = values[from] ?? NaN
  for (let index = from + 1; index < to; index += 1) {
    const { sum, lost } = all
    add(all, values[index] ?? NaN)
    if (isInfinite(all.sum)) return meanFrom(values, from, index, to, { sum, lost })
  }
  return all.sum / (to - from) + all.lost / (to - from)
}

/** Mean of the values [from, to), updated by each value from `next` on; `sumBefore`: sum of the values before `next`. */
function meanFrom(values: ArrayLike<number>, from: number, next: number, to: number, sumBefore: Sum): number {
  let mean: Sum = { sum: sumBefore.sum / (next - from), lost: sumBefore.lost / (next - from) }
  for (let index = next; index < to; index += 1) {
    const count = index - from + 1
    const share = (count - 1) / count
    mean = { sum: share * mean.sum, lost: share * mean.lost }
    add(mean, (values[index] ?? NaN) / count)
  }
  return total(mean)
}

/** Quantile of values, interpolated linearly; NaN counts as the smallest. NaN if there are no values or the share is NaN. */
export function quantile(share: number, values: number[]): number {
  if (values.length === 0 || Number.isNaN(share)) return NaN
  if (share < 0) return -Infinity
  if (share > 1) return Infinity
  const sorted = values.toSorted((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b || 0))
  const rank = share * (sorted.length - 1)
  const lower = Math.max(0, Math.floor(rank))
  const upper = Math.min(sorted.length - 1, lower + 1)
  const weight = rank - Math.floor(rank)
  return (sorted[lower] ?? NaN) * (1 - weight) + (sorted[upper] ?? NaN) * weight
}
