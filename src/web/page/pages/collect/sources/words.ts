import { sentence } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'

/** Result of a successful trial of a source. `answered`: element with "It answers PromQL, in 3 ms."; `version`: null if not known. */
export function answeredSentence<Part>(answered: Part, version: string | null): (Part | string)[] {
  return version === null ? [answered] : sentence`${answered} It calls itself version ${version}.`
}

/** Time and, if known, duration of the last answer of a source. */
export function lastAnswerWords<Part>(ago: Part, latencyMs: number | null): (Part | string)[] {
  return latencyMs === null ? sentence`Last answer ${ago}` : sentence`Last answer ${ago}, in ${formatMs(latencyMs)}`
}
