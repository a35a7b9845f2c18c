import { formatNumber, plural, sentence } from '../../../format.ts'

/** Deliveries that arrived, of those that ended. */
export function arrivedWords(arrived: number, ended: number): string {
  return `${formatNumber(arrived)} of ${formatNumber(ended)}`
}

/** Reason why a notification was not sent. */
export function notSentSentence(error: string): string {
  return `Not sent: ${error}`
}

/** Time of the next attempt. */
export function againAtWords<Part>(at: Part): (Part | string)[] {
  return sentence`again at ${at}`
}

/** Button that sends all failed notifications of a range again; for an empty one, any time, those of as many days as the API takes. */
export function retryFailedLabel(range: string, maxDays: number): string {
  return range === '' ? `Send all of the last ${maxDays} days again` : 'Send all again'
}

/** Notifications that are sent again, and those that cannot be. */
export function retriedWords({ retried, skipped }: { retried: number; skipped: number }): string {
  const queued = plural(retried, '# notification is queued again.', '# are queued again.')
  if (skipped === 0) return queued
  const notQueued = plural(
    skipped,
    '# skipped: its channel is gone or switched off.',
    '# skipped: their channel is gone or switched off.',
  )
  return `${queued} ${notQueued}`
}
