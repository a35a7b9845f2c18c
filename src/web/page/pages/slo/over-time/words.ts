import { formatMoment, formatNumber } from '../../../format.ts'

type Worst = { sli: string; atMs: number; measured: number; steps: number }

/** The worst step of a range, and how much of it was measured. */
export function worstSentence({ sli, atMs, measured, steps }: Worst, nowMs: number): string {
  return `The worst step was ${sli} %, ${formatMoment(atMs, nowMs)}; ${formatNumber(measured)} of ${formatNumber(steps)} steps were measured.`
}
