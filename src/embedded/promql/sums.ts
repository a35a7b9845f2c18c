/** A sum with what rounding took away from it, kept apart (Kahan, Neumaier): as Prometheus adds. */
type Sum = { sum: number; lost: number }

export const newSum = (): Sum => ({ sum: 0, lost: 0 })

export function add(to: Sum, value: number) {
  const sum = to.sum + value
  to.lost += Math.abs(to.sum) >= Math.abs(value) ? to.sum - sum + value : value - sum + to.sum
  to.sum = sum
}

export const total = ({ sum, lost }: Sum) => (isInfinite(sum) ? sum : sum + lost)

export const isInfinite = (value: number) => value === Infinity || value === -Infinity

/** Whether the next value leaves a mean as it is, for the mean is infinite and the value cannot make it NaN. */
export function staysInfinite(mean: number, value: number): boolean {
  return isInfinite(mean) && !Number.isNaN(value) && (!isInfinite(value) || mean > 0 === value > 0)
}

/** The quantile of values, linear between two of them; NaN counts as the smallest. Null of no values or a NaN share is NaN. */
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
