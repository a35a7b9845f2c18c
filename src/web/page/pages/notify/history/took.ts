import { formatDuration, formatNumber } from '../../../format.ts'

/** A time that a machine took: `240 ms`, `1.4 s`, `2 min`. */
export function took(ms: number): string {
  if (ms < 1000) return `${formatNumber(ms)}\u2009ms`
  return ms < 60_000 ? `${formatNumber(ms / 1000, 1)}\u2009s` : formatDuration(ms / 1000)
}
