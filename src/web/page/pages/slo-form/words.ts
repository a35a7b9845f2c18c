import { inPageWords } from '../../api/page-words.ts'
import { formatDuration, formatNumber, formatShare, plural, sentence } from '../../format.ts'
import { overWords } from '../../slo/budget-words.ts'

/** Why an SLO was not saved, with the details of the API. */
export function refusedSentence({ message, details }: { message: string; details?: string | undefined }): string {
  return details === undefined ? `${message}.` : `${message}: ${inPageWords(details)}`
}

/** A source to choose. */
export function sourceWords({ name, is_active }: { name: string; is_active: boolean }): string {
  return is_active ? name : `${name}, switched off`
}

const maxNamed = 6

/** Says that the values of a label get an SLO each, or one together. */
export function groupedSentence(
  { values, count }: { values: readonly string[]; count: number },
  isEach: boolean,
): string {
  const named = values.slice(0, maxNamed).join(', ')
  const all = count > maxNamed ? `${named} and ${count - maxNamed} more` : named
  if (!isEach) return `They are measured together: ${all}.`
  return values.length < count
    ? `Each gets its value in its name and labels: ${all}. At most ${values.length} are made at once: the first ones. The preview is of all together.`
    : `Each gets its value in its name and labels: ${all}. The preview is of all together.`
}

/** An SLI. `time`: the time since its first sample, where it is shorter than the window. */
export function measuredWords<Part>(sli: Part, time: string | null): (Part | string)[] {
  return time === null ? [sli] : sentence`${sli} in ${time}`
}

/** Budget of the whole window: `budget left 35 %`; beyond it, `budget used 3.2 times over`. */
export function budgetWords(usedPercent: number): string {
  return usedPercent > 100 ? `budget ${overWords(usedPercent)}` : `budget left ${formatShare(100 - usedPercent)}`
}

/** Says when a check without results has its first. */
export function noResultsSentences(intervalSeconds: number): string {
  return `It has no results yet: nines makes this check every ${formatDuration(intervalSeconds)}. The figures appear after the first one.`
}

/** The default source, as the choice that follows it. */
export function defaultSourceWords(name: string): string {
  return `${name}, the default`
}

/** Message after several SLOs were created, one for each value of a label. */
export function createdText(count: number): string {
  return plural(count, '# SLO: created.', '# SLOs: created.')
}

export function createLabel(count: number): string {
  return plural(count, 'Create # SLO', 'Create # SLOs')
}

/** Message where an edit cannot be undone. `by`: who has changed the SLO since; null: not known. */
export function changedSinceText(slo: string, by: string | null): string {
  return by === null
    ? `${slo}: not undone. Somebody has changed it since.`
    : `${slo}: not undone. ${by} has changed it since.`
}

export function undoneText(slo: string): string {
  return `${slo}: as before.`
}

/** Error message; its reason follows. */
export function notUndoneText(slo: string): string {
  return `${slo}: not undone.`
}

/** Name of a copy. */
export function copyName(slo: string): string {
  return `${slo}, copy`
}

export function tierLabel(place: number): string {
  return `Tier ${place}`
}

export function removeTierLabel(place: number): string {
  return `Remove tier ${place}`
}

/** Label of the button that takes a suggested or tried value over into the form. */
export function applyLabel(value: string): string {
  return `Use ${value}`
}

/** Label of the choice between an SLO over all values of a label and one for each. */
export function severalLabel(label: string): string {
  return `The query has several values of ${label}`
}

/** Choice of an SLO for each value. */
export function eachLabel(label: string, count: number): string {
  return `One SLO for each value of ${label} (${formatNumber(count)} found)`
}

/** Label of the causes that a channel is notified of. */
export function notifiedOfLabel(channel: string): string {
  return `What ${channel} is notified of`
}

/** Label of the button that removes the hours of some days. */
export function removeHoursLabel(days: string): string {
  return `Remove the hours of ${days}`
}

export function hoursLabel(place: number): string {
  return `Hours ${place}`
}
