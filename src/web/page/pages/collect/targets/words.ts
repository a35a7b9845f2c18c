import { formatCount, formatNumber, plural, sentence } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'

/** Metrics that are listed below the first ones. `all`: number of the target's metrics, if the answer does not have them all; otherwise null. */
export function moreWords(more: number, all: number | null): string {
  return all === null ? `${formatNumber(more)} more` : `${formatNumber(more)} more of ${formatNumber(all)}`
}

/** Result of a failed trial scrape; its error follows. */
export function failedSentence(durationMs: number): string {
  return `Failed after ${formatMs(durationMs)}.`
}

type Answered<Part> = {
  durationMs: number
  samples: number
  metrics: number
  /** Renders a text with emphasis. */
  strong: (text: string) => Part
}

/** Result of a successful trial scrape. */
export function answeredSentence<Part>({ durationMs, samples, metrics, strong }: Answered<Part>): (Part | string)[] {
  const answered = strong(`Answered in ${formatMs(durationMs)}:`)
  const found = plural(samples, '# sample', '# samples', formatCount)
  return sentence`${answered} ${found} of ${plural(metrics, '# metric', '# metrics', formatCount)}. Nothing of it was stored.`
}
