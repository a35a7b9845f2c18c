import { sentence } from '../../../format.ts'

/**
 * Author and changes of an SLO that was changed while it was edited. `who`: an element with "Ada has changed this SLO …"; `changes`:
 * each with its old and new value; `own`: fields that the draft changes, or none if one of them is among `changes`.
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

/** Says that an SLO was changed while it was edited. `by`: null: not known who. */
export function changedByWords(by: string | null): string {
  return by === null
    ? 'Somebody has changed this SLO since you opened it'
    : `${by} has changed this SLO since you opened it`
}

/** Consequences of a new revision of an SLO. `strong` renders a text with emphasis. */
export function revisionSentences<Part>(revision: number, strong: (text: string) => Part): (Part | string)[] {
  return sentence`${strong(`Revision ${revision} begins:`)} budget and burn rates start again from what the source remembers. What was measured until now stays in the charts.`
}

/** Time of a draft that is not saved. `isShown`: the form shows it; otherwise it is offered. */
export function draftSentence<Part>(at: Part, isShown: boolean): (Part | string)[] {
  return isShown
    ? sentence`This is your draft of ${at}, which is not saved yet.`
    : sentence`There is a draft of yours from ${at}, which is not saved yet.`
}

/** Source of an SLO whose name is not known. */
export function sourceNumberWords(id: string): string {
  return `number ${id}`
}
