import type { Unit } from '../../address/explore.ts'
import { formatDuration, formatNumber, plural } from '../../format.ts'

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

/** Says that a query cannot be narrowed by a label. */
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

/** Source in the list of choices. */
export function sourceLabel(name: string, isActive: boolean): string {
  return isActive ? name : `${name} (off)`
}

/** Label of the button that goes back to the range before. */
export function backToLabel(range: string): string {
  return `Back to ${range}`
}

/** Name of the list of steps from a value. */
export function stepsFromLabel(label: string): string {
  return `Steps from ${label}`
}

/** Label of the link to a new SLO. `step`: what it counts. */
export function newSloLabel(step: string): string {
  return `New SLO: ${step}`
}

/** Outcome of the query of a letter, for screen readers. `series`: null: it failed. */
export function spokenSentence(letter: string, series: number | null): string {
  return series === null ? `${letter}: failed.` : `${letter}: ${plural(series, '# series', '# series')}.`
}

export function graphTitle(letter: string): string {
  return `Graph of ${letter}`
}

/** Label of the choice between the forms of a graph. */
export function graphAsLabel(letter: string): string {
  return `Graph of ${letter} as`
}

export function overTimeLabel(letter: string): string {
  return `Query ${letter} over time`
}

export function unitLabel(letter: string): string {
  return `Unit of ${letter}`
}

/** Series that a text about a moment does not list. */
export function andMoreWords(more: number): string {
  return `and ${formatNumber(more)} more`
}

/** Sum of the series of a moment. */
export function togetherWords(sum: string): string {
  return `together ${sum}`
}

/** Series that the legend has. */
export function firstOfLegendSentence(shown: number, all: number): string {
  return `The legend has the first ${formatNumber(shown)} of ${formatNumber(all)} series; the CSV has all.`
}

/** Series that the table of a graph has. */
export function firstOfTableSentence(shown: number): string {
  return `The table has the first ${formatNumber(shown)}.`
}

export function stepSentence(seconds: number): string {
  return `A point every ${formatDuration(seconds)}.`
}

/** Samples that a graph cannot draw. */
export function gapsSentence(samples: number): string {
  return plural(
    samples,
    '# sample is NaN or infinite: the line has a gap there.',
    '# samples are NaN or infinite: the lines have gaps there.',
  )
}

/** Series of native histograms, which a graph cannot draw. */
export function histogramsSentence(series: number): string {
  return plural(
    series,
    '# is a native histogram: histogram_quantile or histogram_count make lines of it.',
    '# are native histograms: histogram_quantile or histogram_count make lines of them.',
  )
}

/** A sample of a native histogram. */
export function histogramText({ count, sum }: { count: string; sum: string }): string {
  return `count ${count}, sum ${sum}`
}

export function drawLabel(series: string): string {
  return `Draw ${series}`
}

/** Label of the button that draws a single series. */
export function onlyLabel(series: string): string {
  return `Only ${series}`
}

/** Label of the button that draws the first of the legend. */
export function firstLabel(series: number): string {
  return `First ${formatNumber(series)}`
}

/** Label of the button that draws all of the legend. */
export function allLabel(series: number): string {
  return `All ${formatNumber(series)}`
}

export function queryLabel(letter: string): string {
  return `Query ${letter}`
}

/** Label of the button that hides a query, or shows it again. */
export function hideLabel(letter: string, isHidden: boolean): string {
  return isHidden ? `Show query ${letter}` : `Hide query ${letter}`
}

export function removeQueryLabel(letter: string): string {
  return `Remove query ${letter}`
}

export function noSeriesAtSentence(moment: string): string {
  return `No series at ${moment}.`
}

export function tableTitle(letter: string): string {
  return `Table of ${letter}`
}

/** Matcher of an SLO that counts its events as bad. */
export function asBadWords(matcher: string): string {
  return `${matcher} as bad`
}

/** Step that narrows a query by a matcher; `isWithout`: to all others. */
export function narrowLabel(matcher: string, isWithout: boolean): string {
  return isWithout ? `Without ${matcher}` : `Only ${matcher}`
}
