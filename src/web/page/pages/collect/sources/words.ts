import { formatCount, formatMoment, list, plural, sentence } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'

/** Result of a successful trial of a source. `answered`: element with "It answers PromQL, in 3 ms."; `version`: null if not known. */
export function answeredSentence<Part>(answered: Part, version: string | null): (Part | string)[] {
  return version === null ? [answered] : sentence`${answered} It calls itself version ${version}.`
}

/** Time and, if known, duration of the last answer of a source. */
export function lastAnswerWords<Part>(ago: Part, latencyMs: number | null): (Part | string)[] {
  return latencyMs === null ? sentence`Last answer ${ago}` : sentence`Last answer ${ago}, in ${formatMs(latencyMs)}`
}

/** Result of a successful trial of a source. */
export function answersSentence(durationMs: number): string {
  return `It answers PromQL, in ${formatMs(durationMs)}.`
}

/** Result of a failed trial of a source; its error follows. */
export function noAnswerSentence(durationMs: number): string {
  return `No answer after ${formatMs(durationMs)}.`
}

/** Time since which a source does not answer; its error follows. */
export function noAnswerSinceSentence(sinceMs: number, nowMs: number): string {
  return `No answer since ${formatMoment(sinceMs, nowMs)}.`
}

/** Metrics endpoints that a source scrapes. */
export function scrapesSentence({ up, all, jobs }: { up: number; all: number; jobs: readonly string[] }): string {
  if (all === 0) return 'It scrapes no metrics endpoints.'
  const named = jobs.join(', ') || 'none named'
  return `${formatCount(up)} of ${formatCount(all)} metrics endpoints are up. Jobs: ${named}.`
}

/** Number of SLOs that read a source; if there are any, their names follow. */
export function readersWords(slos: number, isDefault: boolean): string {
  const readers = slos === 0 ? 'No SLO reads it.' : plural(slos, '# SLO reads it', '# SLOs read it')
  return isDefault ? `The default. ${readers}` : readers
}

/** Message where SLOs read the source that was to be deleted. */
export function usedText(source: string, slos: readonly string[]): string {
  return `${source}: not deleted. SLOs read it: ${list(slos, shownSlos)}.`
}

/** SLOs that a message names. */
const shownSlos = 5
