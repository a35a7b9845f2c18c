import { formatClock, formatClockSeconds } from '../../format.ts'

/** Sentence that the server has not answered since `sinceMs`. `hasFigures`: the page shows figures from then. */
export function offlineSentence(sinceMs: number, hasFigures: boolean): string {
  const since = formatClock(sinceMs)
  return hasFigures ? `Not connected since ${since}. Figures are from then.` : `Not connected since ${since}.`
}

/** Sentence that the page was rate limited and reads its figures again at `untilMs`. */
export function limitedSentence(untilMs: number, nowMs: number): string {
  return untilMs > nowMs
    ? `Too many requests. Figures are read again at ${formatClockSeconds(untilMs)}.`
    : 'Too many requests. Figures are read again now.'
}
