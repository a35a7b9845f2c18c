import type { Attempts } from '../api/history.ts'
import { inPageWords } from '../api/page-words.ts'
import { asSentence, sentence } from '../format.ts'

/** Silence that covers an alert: its end, its author and its comment. */
export function silencedWords<Part>(until: Part, by: string | null, comment: string): (Part | string)[] {
  return by === null ? sentence`Silenced to ${until}: ${comment}` : sentence`Silenced to ${until} by ${by}: ${comment}`
}

const outcomes: Record<string, string | undefined> = {
  delivered: 'Delivered',
  sent: 'Taken by a relay',
  retry: 'Failed, may be tried again',
  failed: 'Failed',
}

type Attempt = Pick<Attempts['attempts'][number], 'outcome' | 'status_code' | 'error'>

/** Outcome of an attempt to deliver: `Delivered (200)`, `Failed: Connection refused.`. */
export function outcomeWords({ outcome, status_code, error }: Attempt): string {
  const word = outcomes[outcome] ?? outcome
  if (error !== null) return `${word}: ${inPageWords(asSentence(error))}`
  return status_code === null ? word : `${word} (${status_code})`
}

/** Acknowledgement of an alert or incident: its author, time and note; '' for none. */
export function acknowledgedWords<Part>(by: string, at: Part, note: string): (Part | string)[] {
  return note === '' ? sentence`Acknowledged by ${by}, ${at}` : sentence`Acknowledged by ${by}, ${at}: ${note}`
}

/** Texts about acknowledging an alert or an incident; `kept`: the acknowledgement could not be withdrawn. */
export const acknowledging = {
  alert: {
    hint: 'Nobody is notified of this alert again, only of its end.',
    kept: 'The alert stays acknowledged.',
  },
  incident: {
    hint: 'Nobody is notified of this incident again, only of its end.',
    kept: 'The incident stays acknowledged.',
  },
} as const

export function acknowledgedText(name: string): string {
  return `${name}: acknowledged.`
}

export function withdrawnText(name: string): string {
  return `${name}: no longer acknowledged.`
}

/** Budget that an alert which fires has used. */
export function soFarWords(cost: string): string {
  return `${cost} so far`
}
