import { sentence } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'

/** A source that answered a trial. `answered`: an element with "It answers PromQL, in 3 ms."; `version`: null: it does not say. */
export function answeredSentence<Part>(answered: Part, version: string | null): (Part | string)[] {
  return version === null ? [answered] : sentence`${answered} It calls itself version ${version}.`
}

/** Last answer of a source, and how long it took, if that is known. */
export function lastAnswerWords<Part>(ago: Part, latencyMs: number | null): (Part | string)[] {
  return latencyMs === null ? sentence`Last answer ${ago}` : sentence`Last answer ${ago}, in ${formatMs(latencyMs)}`
}
