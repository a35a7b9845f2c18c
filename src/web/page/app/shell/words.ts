import { formatClock, formatClockSeconds } from '../../format.ts'

/** Since when the server does not answer. `hasFigures`: the page shows figures of that time. */
export function offlineSentence(sinceMs: number, hasFigures: boolean): string {
  const since = formatClock(sinceMs)
  return hasFigures ? `Not connected since ${since}. Figures are from then.` : `Not connected since ${since}.`
}

/** When a page with too many requests reads its figures again. */
export function limitedSentence(untilMs: number, nowMs: number): string {
  return untilMs > nowMs
    ? `Too many requests. Figures are read again at ${formatClockSeconds(untilMs)}.`
    : 'Too many requests. Figures are read again now.'
}
