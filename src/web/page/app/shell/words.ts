import { formatClock, formatClockSeconds, formatNumber, sentence } from '../../format.ts'

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

/** Number of a step of the tour, and of all its steps. */
export function stepWords(step: number, steps: number): string {
  return `Step ${step} of ${steps}`
}

/** Says that nines was upgraded, with both versions. */
export function upgradedSentence(from: string, to: string): string {
  return `nines was upgraded from ${from} to ${to}.`
}

/** Says how one's own services replace the demo; both parts are commands. */
export function ownServicesSentence<Part>(program: Part, demo: Part): (Part | string)[] {
  return sentence`For your own services start ${program} in another folder, without ${demo}.`
}

/** Says that an SLO is in another state. */
export function changedSentence(name: string, state: string): string {
  return `${name}: ${state}.`
}

/** Says that many SLOs are in another state, with the number in each state. */
export function changedCountSentence(
  slos: number,
  states: readonly (readonly [state: string, count: number])[],
): string {
  const counts = states.map(([state, count]) => `${formatNumber(count)} ${state}`).join(', ')
  return `${formatNumber(slos)} SLOs are in another state: ${counts}.`
}
