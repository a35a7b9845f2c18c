import { formatMoment, formatPercent } from '../format.ts'
/** Label of a chart, with its keys. */
export function chartLabel(label: string): string {
  return `${label}. Arrows move the point, plus zooms in, Escape zooms out.`
}

/** The hour in which most failed, as a share in percent. */
export function worstHourSentence(startMs: number, failedPercent: number, nowMs: number): string {
  return `The worst hour was ${formatMoment(startMs, nowMs)} with ${formatPercent(failedPercent, 2)} failed.`
}
