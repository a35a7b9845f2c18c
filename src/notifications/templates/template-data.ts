import { isCalendarWindow } from '../../slos/arithmetic/windows.ts'
import type { NotificationEvent, Priority } from '../../db/tables/tables.ts'
import { round10 } from '../../slos/arithmetic/budget.ts'
import { durationParts } from '../../slos/arithmetic/duration.ts'
import { roundShare, timesOf } from '../../slos/arithmetic/share.ts'
import type { SloData, AlertData } from '../notification-data.ts'
import { isoTime } from '../../clock.ts'
import { timeWriter, type Zone } from '../../zone.ts'

/** Data for filling in templates. `link`: the page of the SLO. */
export type TemplateData = {
  event: NotificationEvent
  alertType: string
  priority: Priority
  sloId: number
  slo: SloData
  link: string
  /** Zone of the organization, in which texts write times. */
  zone: Zone
  nowMs: number
}

const unknown = 'unknown'

/** Formats an SLI in percent, without sign. Rounds down, so that no value below the target reads as the target. */
export function formatSli(percent: number | null): string {
  if (percent === null) return unknown
  const value = Number(percent.toFixed(8))
  const scale = 10 ** decimalsFor(100 - value)
  return String(Math.floor(round10(value * scale)) / scale)
}

/** Decimals for three digits of the failing share: 99.423, 99.99423; 2 to 8. */
function decimalsFor(failingPercent: number): number {
  return failingPercent <= 0 ? 0 : Math.min(8, Math.max(2, 2 - Math.floor(Math.log10(failingPercent))))
}

/** Formats any other number with at most two decimals, or four if it is below 1. */
export function formatNumber(value: number | null): string {
  return value === null ? unknown : String(Number(value.toFixed(Math.abs(value) < 1 ? 4 : 2)))
}

/** Formats a duration as in `2d 4h`, `3m` or `20s`. */
export function formatDuration(seconds: number): string {
  return durationParts(seconds)
    .map(({ count, unit }) => `${count}${unit === 'min' ? 'm' : unit}`)
    .join(' ')
}

/** Formats a duration for a sentence, as the page does: `12 min`, `1 h 5 min`, `40 s`. */
export function spellDuration(seconds: number): string {
  return durationParts(seconds)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(' ')
}

/** Formats a window for a sentence: `30 d`, `4 w`, `1 h`, `5 min`. */
export function spellWindow(window: string): string {
  if (isCalendarWindow(window)) return `the ${window}`
  return window.replace(/^(\d+)m$/, '$1 min').replace(/^(\d+)([dhw])$/, '$1 $2')
}

const calendarBudgets = { week: 'weekly', month: 'monthly', quarter: 'quarterly', year: 'yearly' } as const

/** Window before the word budget: `30 d`, `monthly`. */
export function spellBudgetWindow(window: string): string {
  return isCalendarWindow(window) ? calendarBudgets[window] : spellWindow(window)
}

/** Formats a share of a budget or of failures, in percent without sign, as the page writes it: `28`, `4.3`, `< 0.1`. */
export function formatShare(percent: number): string {
  const { percent: rounded, decimals, isLess } = roundShare(percent)
  return `${isLess ? '< ' : ''}${rounded.toFixed(decimals)}`
}

/** Formats a burn rate: `171`, `3.2`, `1,000`. */
export function formatRate(rate: number): string {
  return formatCount(rate >= 10 ? Math.round(rate) : Number(rate.toFixed(1)))
}

/** Formats more than all of a budget: `3.2 times over`, and above ten times `over 10 times`. */
export function timesOver(percent: number): string {
  const times = timesOf(percent)
  return times === Infinity ? 'over 10 times' : `${times} times over`
}

/** Formats a number with separators of thousands: `1,204`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US')
}

/** Reason of an outage, or what fails while it burns; empty if neither is known. */
export function causeIn({ alert, incident }: SloData): string {
  return alert?.outage ? (alert.outage.reason ?? '') : (incident?.cause?.text ?? '')
}

/** Forecast of the budget: `budget gone in 11 min` or `budget spent`; empty if the SLO does not burn too fast, or none is known. */
export function forecastIn({ alert, forecast, error_budget_remaining: left }: SloData): string {
  if (forecast) return `budget gone in ${spellDuration(forecast.exhausted_in_seconds)}`
  const isBurning = alert !== null && alert.ended_at === null && (alert.burn_rate !== null || alert.outage !== null)
  return isBurning && left !== null && left <= 0 ? 'budget spent' : ''
}

/** Line of the error budget policy that holds now, with its link; empty if none does. */
export function policyIn({ policy }: SloData): string {
  if (!policy) return ''
  return policy.url === '' ? policy.text : `${policy.text}: ${policy.url}`
}

export function formatLabels(labels: Record<string, string>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

/** Value, or `unknown` if it exists but is not known. */
function orUnknown(value: string | null): string {
  return value ?? unknown
}

/**
 * Value of each placeholder. Percents have no percent sign, times are ISO 8601, but for `since`, which is for people. A value that is not known is `unknown`; one
 * that does not exist (the alert of a message, the threshold of a burn rate) is empty.
 */
const values = new Map<string, (data: TemplateData) => string>([
  ['slo_id', ({ sloId }) => String(sloId)],
  ['slo_name', ({ slo }) => slo.slo_name],
  ['description', ({ slo }) => slo.description],
  ['labels', ({ slo }) => formatLabels(slo.labels)],
  ['alert_type', ({ alertType }) => alertType],
  ['event', ({ event }) => event],
  ['priority', ({ priority }) => priority],
  ['status', ({ slo }) => slo.status],
  ['current_value', ({ slo }) => formatSli(slo.current_value)],
  ['target', ({ slo }) => String(slo.target)],
  ['time_window', ({ slo }) => slo.time_window],
  ['error_budget_used', ({ slo }) => formatNumber(slo.error_budget_used)],
  ['error_budget_remaining', ({ slo }) => formatNumber(slo.error_budget_remaining)],
  ['severity', alertValue(({ severity }) => severity)],
  ['alert', alertValue(({ name }) => name)],
  ['threshold', alertValue(({ threshold }) => (threshold === null ? '' : formatNumber(threshold)))],
  ['burn_rate', burnRateValue(({ long }) => formatNumber(long))],
  ['burn_rate_short', burnRateValue(({ short }) => formatNumber(short))],
  ['factor', burnRateValue(({ factor }) => formatNumber(factor))],
  ['long_window', burnRateValue(({ long_window }) => long_window)],
  ['short_window', burnRateValue(({ short_window }) => short_window)],
  ['began_at', alertValue(({ began_at }) => began_at)],
  ['ended_at', alertValue(({ ended_at }) => ended_at ?? '')],
  ['acknowledged_by', alertValue(({ acknowledged }) => acknowledged?.by ?? '')],
  ['acknowledged_at', alertValue(({ acknowledged }) => acknowledged?.at ?? '')],
  ['acknowledgement_note', alertValue(({ acknowledged }) => acknowledged?.note ?? '')],
  ['duration', alertValue((alert, { nowMs }) => formatDuration(firingSeconds(alert, nowMs)))],
  ['since', alertValue((alert, { slo, zone }) => timeWriter(zone).minute(slo.incident?.since ?? alert.began_at))],
  ['time_zone', ({ zone }) => zone.timeZone],
  ['measured_at', ({ slo }) => orUnknown(slo.measured_at)],
  ['timestamp', ({ nowMs }) => isoTime(nowMs)],
  ['link', ({ link }) => link],
  ['incident_link', ({ slo }) => slo.incident?.link ?? ''],
  ['cause', ({ slo }) => causeIn(slo)],
  ['forecast', ({ slo }) => forecastIn(slo)],
  ['runbook', ({ slo }) => slo.runbook_url ?? ''],
  ['owner', ({ slo }) => slo.owner ?? ''],
  ['policy', ({ slo }) => policyIn(slo)],
])

/** Placeholder of the default text: the subject in a subject, the message in a message. */
export const defaultName = 'default'

/** Names of the placeholders, for error messages. */
export const placeholderNames = [...values.keys(), defaultName].map((name) =>
  name === 'labels' ? 'labels, labels.KEY' : name,
)

const labelPlaceholder = /^labels\.([^\s{}]+)$/

export function isPlaceholder(name: string): boolean {
  return name === defaultName || values.has(name) || labelPlaceholder.test(name)
}

/** Value of a placeholder; undefined if there is no such placeholder. */
export function valueOf(name: string, data: TemplateData): string | undefined {
  const key = labelPlaceholder.exec(name)?.[1]
  if (key === undefined) return values.get(name)?.(data)
  return Object.hasOwn(data.slo.labels, key) ? data.slo.labels[key] : ''
}

/** Seconds that an alert has fired so far, or fired in all. */
export function firingSeconds({ began_at, ended_at }: AlertData, nowMs: number): number {
  return ((ended_at === null ? nowMs : Date.parse(ended_at)) - Date.parse(began_at)) / 1000
}

function alertValue(read: (alert: AlertData, data: TemplateData) => string) {
  return (data: TemplateData) => (data.slo.alert === null ? '' : read(data.slo.alert, data))
}

function burnRateValue(read: (rate: NonNullable<AlertData['burn_rate']>) => string) {
  return alertValue(({ burn_rate }) => (burn_rate === null ? '' : read(burn_rate)))
}
