import { formatMs } from '../parts/words.ts'

/** Result of a successful trial of a check. */
export function succeededSentence(durationMs: number): string {
  return `It succeeds, in ${formatMs(durationMs)}.`
}

/** Result of a failed trial of a check; its error follows. */
export function failedSentence(durationMs: number): string {
  return `It fails, after ${formatMs(durationMs)}.`
}
