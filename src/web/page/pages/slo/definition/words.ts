import { formatPercent, formatTarget, sentence } from '../../../format.ts'
import { capitalized } from '../../../incidents/alert-words.ts'
import { comparisonSign } from '../../../slo/change-values.ts'
import type { Slo } from '../../../api/types.ts'

/** Source of an SLO. `isDefault`: it follows the default source. */
export function sourceWords(name: string | null, isDefault: boolean): string {
  if (name === null) return 'none'
  return isDefault ? `${name}, the default` : name
}

/** When an SLO was created, and by whom. */
export function createdWords<Part>(at: Part, by: string | null): (Part | string)[] {
  return by === null ? [at] : sentence`${at} by ${by}`
}

const methods: Record<string, string | undefined> = {
  weighted: 'the mean of its members, by weight',
  events: 'all events of its members together',
  worst: 'the lowest of its members',
}

/** Kind of an SLO over SLOs, with the way of combining them. */
export function journeyWords(members: number, method: string): string {
  return `A journey of ${members} SLOs: ${methods[method] ?? method}`
}

/** Revision of an SLO, and since when it is measured. */
export function revisionWords<Part>(revision: number, since: Part): (Part | string)[] {
  return sentence`${String(revision)}, measured since ${since}`
}

/** Derivation of the SLI from the queries. */
export function kindOf({ composite, metric_type, good_query, bad_query, threshold, threshold_op }: Slo): string {
  const kind = capitalized(metric_type)
  if (composite) return journeyWords(composite.members.length, composite.method)
  if (good_query !== null) return `${kind}: good events of all events`
  if (bad_query !== null) return `${kind}: all events but the bad ones`
  if (threshold !== null && threshold_op !== null) {
    return `${kind}: the time in which the value is ${comparisonSign(threshold_op)} ${formatTarget(threshold)}`
  }
  return `${kind}: the mean of the query's value`
}

/** Thresholds of the remaining budget that notify, in percent. */
export function thresholdsWords(percents: readonly number[]): string {
  return percents.length === 0
    ? 'no threshold'
    : `left: ${percents.map((percent) => formatPercent(percent)).join(', ')}`
}

type Revised<Part> = { event: string; by: string | null; at: Part }

/** A change of an SLO. `event`: as the API names it; `by`: null: a user who has been removed. */
export function revisedWords<Part>({ event, by, at }: Revised<Part>): (Part | string)[] {
  const what = capitalized(event)
  return by === null ? sentence`${what} by a user who has been removed, ${at}` : sentence`${what} by ${by}, ${at}`
}

export function revisionLabel(revision: number): string {
  return `Revision ${revision}`
}
