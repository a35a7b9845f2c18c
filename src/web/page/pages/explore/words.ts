import type { Unit } from '../../address/explore.ts'
import { formatNumber, plural } from '../../format.ts'

/** Units that a query suggests, as the first choice of the list. */
export const suggestedUnitWords: Record<Unit, string> = {
  number: 'Unit: number',
  percent: 'Unit: percent',
  ratio: 'Unit: ratio as percent',
  seconds: 'Unit: seconds',
  milliseconds: 'Unit: milliseconds',
  bytes: 'Unit: bytes',
  per_second: 'Unit: per second',
  bytes_per_second: 'Unit: bytes per second',
}

/** Size of an answer, and the time that it took. */
export function answerWords(series: number, samples: number, tookMs: number): string {
  return `${formatNumber(series)} series · ${plural(samples, '# sample', '# samples')} · ${formatNumber(tookMs)} ms`
}

/** Says that a query has no other labels to narrow it by. */
export function notNarrowedSentence(label: string): string {
  return `This query cannot be narrowed by ${label}.`
}

/** Number of lines that are drawn, of all that the legend has. */
export function drawnWords(drawn: number, all: number): string {
  return `${formatNumber(drawn)} of ${formatNumber(all)} shown`
}

/** Samples of a series that the table has. */
export function lastSamplesWords(shown: number, all: number): string {
  return `The last ${shown} of ${formatNumber(all)} samples`
}

/** Series that the table has. */
export function firstSeriesSentence(shown: number, all: number): string {
  return `The first ${shown} of ${formatNumber(all)} series; the CSV has all.`
}
