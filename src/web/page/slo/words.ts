import { formatFull, formatTarget } from '../format.ts'
/** Label of the line of a target. */
export function targetLineLabel(targetPercent: number): string {
  return `target ${formatTarget(targetPercent)}\u2009%`
}

/** Start of a state. */
export function sinceWords(sinceMs: number): string {
  return `Since ${formatFull(sinceMs)}`
}
