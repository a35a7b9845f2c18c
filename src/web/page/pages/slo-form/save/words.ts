import { sentence } from '../../../format.ts'

/**
 * Author and changes of an SLO that was changed while it was edited. `who`: an element with "Ada has changed this SLO …"; `changes`: each with its old and
 * new value; `own`: fields of the draft, if they are all others.
 */
export function conflictSentence<Part>(
  who: Part,
  changes: readonly string[],
  own: readonly string[],
): (Part | string)[] {
  const [changed, others] = [changes.join('; '), own.join(', ')]
  if (changes.length === 0) {
    return own.length === 0 ? sentence`${who}.` : sentence`${who}. Your changes are of other fields: ${others}.`
  }
  return own.length === 0
    ? sentence`${who}: ${changed}.`
    : sentence`${who}: ${changed}. Your changes are of other fields: ${others}.`
}
