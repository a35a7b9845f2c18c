import { inPageWords } from '../../api/page-words.ts'
import { formatDuration, formatShare, sentence } from '../../format.ts'
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
