import { formatMs } from '../parts/words.ts'
import { formatCount, plural } from '../../../format.ts'

/** Result of a successful trial of a check. */
export function succeededSentence(durationMs: number): string {
  return `It succeeds, in ${formatMs(durationMs)}.`
}

/** Result of a failed trial of a check; its error follows. */
export function failedSentence(durationMs: number): string {
  return `It fails, after ${formatMs(durationMs)}.`
}

/** Name of the SLO of a check. */
export function answersName(check: string): string {
  return `${check} answers`
}

export function httpStatusWords(status: number): string {
  return `HTTP ${status}`
}

/** Size of the body of an answer. */
export function bodyWords(bytes: number): string {
  return plural(bytes, '# byte', '# bytes', formatCount)
}
