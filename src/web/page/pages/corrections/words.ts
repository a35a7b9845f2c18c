import type { Schemas } from '../../../../../dist/openapi.d.ts'
import { formatDuration, formatMoment, formatNumber, formatPercent, plural, sentence } from '../../format.ts'
import { labelsText } from '../../slo/labels-text.ts'

export type Correction = Schemas['CorrectionList']['corrections'][number]

/** Reasons for which a time does not count, in words. */
export const categoryWords: Record<Correction['category'], string> = {
  planned_maintenance: 'Planned maintenance',
  outside_service_hours: 'Outside service hours',
  incident_elsewhere: 'Incident elsewhere',
  bad_data: 'Wrong data',
  other: 'Another reason',
}

const frequencyWords: Record<string, string> = { DAILY: 'daily', WEEKLY: 'weekly', MONTHLY: 'monthly' }

/** Frequency of a rule in a word; the rule itself if it has none. */
export function ruleWords(rrule: string): string {
  return frequencyWords[/FREQ=([A-Z]+)/.exec(rrule)?.[1] ?? ''] ?? rrule
}

/** Times of a correction: from when to when, or how often and for how long. */
export function timesText({ from, to, rrule, duration_seconds, time_zone }: Correction, nowMs: number): string {
  const moment = (time: string) => formatMoment(Date.parse(time), nowMs)
  const begin = moment(from)
  if (rrule === null || duration_seconds === null) return to === null ? begin : `${begin} to ${moment(to)}`
  return `${ruleWords(rrule)} for ${formatDuration(duration_seconds)}, first ${begin} (${time_zone ?? 'UTC'})`
}

/** SLOs that a correction covers; `nameOf`: name of an SLO, undefined for one that is deleted. */
export function coveredWords(
  { slo_ids, team_id, labels }: Correction,
  nameOf: (id: number) => string | undefined,
): string {
  if (slo_ids !== null) {
    const names = slo_ids.slice(0, 3).map((id) => nameOf(id) ?? `SLO ${id}`)
    return slo_ids.length > 3 ? `${names.join(', ')} and ${slo_ids.length - 3} more` : names.join(', ')
  }
  if (labels !== null) {
    return `SLOs with ${labelsText(labels)}`
  }
  return `SLOs of team ${team_id}`
}

type Previewed = Pick<
  Schemas['CorrectionPreview']['slos'][number],
  'slo_name' | 'seconds' | 'percentage_used' | 'percentage_used_corrected'
>

/** Effect of a correction on the budget of an SLO. */
export function effectWords({ slo_name, seconds, percentage_used, percentage_used_corrected }: Previewed): string {
  if (seconds === 0) return `${slo_name}: nothing of its window up to now.`
  const time = formatDuration(seconds)
  if (percentage_used === null || percentage_used_corrected === null) return `${slo_name}: ${time} would not count.`
  const [used, usedCorrected] = [formatPercent(percentage_used, 1), formatPercent(percentage_used_corrected, 1)]
  return `${slo_name}: ${time} would not count; of the budget ${usedCorrected} would be used instead of ${used}.`
}

/** When the secret address of the calendar feed was made. */
export function addressMadeSentence<Part>(at: Part): (Part | string)[] {
  return sentence`The address was made ${at}; it is shown only then.`
}

/** Empty list of corrections. `budgets`: link to the SLOs. */
export function noCorrectionsSentences<Part>(budgets: Part): (Part | string)[] {
  return sentence`Everything counts. Leave out announced maintenance, or a time whose data were wrong, also of last week; ${budgets} are then computed without it.`
}

/** Label of the choice that keeps a repetition which the form does not offer. */
export function asBeforeLabel(rrule: string): string {
  return `As before (${ruleWords(rrule)})`
}

export function timeProblem(hint: string): string {
  return `A time is ${hint}.`
}

export function changeCorrectionLabel(id: number): string {
  return `Change the correction ${id}`
}

export function deleteCorrectionLabel(id: number): string {
  return `Delete the correction ${id}`
}

export function correctionDeletedText(category: string): string {
  return `${category}: deleted. What it left out counts again.`
}

/** Number of SLOs of a preview that lists some of them. */
export function inAllSentence(slos: number): string {
  return plural(slos, '# SLO in all.', '# SLOs in all.')
}

/** `maxDurationSeconds` of evaluation/corrections, in minutes. */
const maxMinutes = 10_080

/** Problem of a typed number of minutes; undefined: none. */
export function minutesProblem(text: string): string | undefined {
  const isValid = /^[1-9]\d*$/.test(text.trim()) && Number(text) <= maxMinutes
  return isValid ? undefined : `A whole number of minutes, ${formatNumber(maxMinutes)} at most.`
}
