const minuteSeconds = 60

/** Remaining time until a form may be sent again: `Try again in 4:05.`; the reason stands before it. */
export function heldSentence(seconds: number): string {
  const rest = String(seconds % minuteSeconds).padStart(2, '0')
  return `Try again in ${Math.floor(seconds / minuteSeconds)}:${rest}.`
}
