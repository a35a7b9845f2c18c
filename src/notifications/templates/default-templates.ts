import { readAlertName } from '../alerts/alert-name.ts'
import { type AlertType, causeOf } from '../causes.ts'
import { minOverPercent } from '../../slos/arithmetic/share.ts'
import type { SloData } from '../notification-data.ts'
import { timeWriter, type TimeWriter } from '../../zone.ts'
import { incidentTexts, isOfIncident } from './incident-texts.ts'
import { acknowledgedLine, asParagraphs, capital, labelLine, policyLine } from './lines.ts'
import {
  firingSeconds,
  spellDuration,
  formatNumber,
  formatShare,
  formatSli,
  spellWindow,
  type TemplateData,
  timesOver,
} from './template-data.ts'

/** Texts of a notification whose rule has no templates. */
export function defaultTexts(data: TemplateData): { subject: string; message: string } {
  if (isOfIncident(data.slo)) return incidentTexts(data)
  const { head, headline, opening } = partsOf(data)
  const message = asParagraphs([[opening, ...standardLines(data)], aboutLines(data)])
  return { subject: `${head}: ${headline}`, message }
}

/** Lines on the state of the SLO, one sentence each; lines that do not apply are empty. */
export function standardLines(data: TemplateData): string[] {
  const { slo } = data
  const times = timeWriter(data.zone)
  const when = [timeLine(data, times), acknowledgedLine(slo.alert, times)]
  return [burnRateLine(slo), valueLine(slo), budgetLine(data), policyLine(slo), ...when]
}

/** Lines that describe the SLO; lines that do not apply are empty. */
export function aboutLines({ slo, link }: TemplateData): string[] {
  return [slo.description, labelLine(slo), link]
}

/** The subject is `head: headline`; `opening` is the first sentence of the message. */
type Parts = { head: string; headline: string; opening: string }
type Topic = 'value' | 'budget' | 'burn_rate'

function partsOf(data: TemplateData): Parts {
  const { event, slo } = data
  const topic = topicOf(data)
  if (event === 'alert') return { head: severityOf(data), ...alertTexts[topic](slo) }
  if (event === 'message') return { head: capital(slo.status), headline: summaryOf(slo), opening: '' }
  if (hasRecovered(slo, topic)) return { head: 'Recovered', ...recoveryTexts[topic](slo) }
  return {
    head: 'Ended',
    headline: `the alert on ${topicNames[topic]} of ${slo.slo_name}`,
    opening: `This alert has ended. Whether ${slo.slo_name} has recovered was not measured.`,
  }
}

const alertTexts: Record<Topic, (slo: SloData) => Omit<Parts, 'head'>> = {
  value: (slo) => ({
    headline: summaryOf(slo),
    opening:
      slo.status === 'warning' || slo.status === 'critical'
        ? `${slo.slo_name} is below its target ${overLast(slo)}.`
        : '',
  }),
  budget: ({ slo_name: name, alert, error_budget_used: used, error_budget_remaining: left }) => {
    if (left === null) return { headline: `${name} runs out of error budget`, opening: '' }
    if (left <= 0) {
      const isOver = used !== null && used >= minOverPercent
      const headline = isOver
        ? `${name} has used its error budget ${timesOver(used)}`
        : `${name} has used up its error budget`
      return { headline, opening: `The error budget of ${name} is used up.` }
    }
    const threshold = alert?.threshold ?? null
    return {
      headline: `${name} has ${formatShare(left)} % of its error budget left`,
      opening: threshold === null ? '' : `${name} has no more than ${threshold} % of its error budget left.`,
    }
  },
  burn_rate: ({ slo_name: name, alert }) => {
    const rate = alert?.burn_rate?.long ?? null
    const speed = rate === null ? 'too fast' : `${formatNumber(rate)} times as fast as it may`
    return { headline: `${name} burns its error budget ${speed}`, opening: `${name} burns its error budget too fast.` }
  },
}

const recoveryTexts: Record<Topic, (slo: SloData) => Omit<Parts, 'head'>> = {
  value: (slo) => ({ headline: summaryOf(slo), opening: `${slo.slo_name} meets its target again.` }),
  budget: ({ slo_name: name, alert, error_budget_remaining: left }) => ({
    headline: `${name} has ${formatShare(left ?? 0)} % of its error budget left`, // not null: `hasRecovered` is true
    opening: alert?.threshold
      ? `${name} has more than ${alert.threshold} % of its error budget left again.`
      : `${name} has error budget left again.`,
  }),
  burn_rate: ({ slo_name: name }) => ({
    headline: `${name} no longer burns its error budget too fast`,
    opening: `${name} no longer burns its error budget too fast.`,
  }),
}

/** Topics, as a sentence names them. */
const topicNames: Record<Topic, string> = { value: 'the SLI', budget: 'the error budget', burn_rate: 'the burn rate' }

/** True if the SLO has recovered. An alert also ends when its SLO, tier or threshold is removed. */
function hasRecovered({ status, alert, error_budget_remaining: left }: SloData, topic: Topic): boolean {
  if (topic === 'value') return status === 'healthy'
  if (topic === 'budget') return left !== null && left > (alert?.threshold ?? 0)
  const rate = alert?.burn_rate
  if (!rate || rate.long === null || rate.short === null) return false
  return rate.long <= rate.factor || rate.short <= rate.factor
}

function topicOf({ slo: { alert }, alertType }: TemplateData): Topic {
  if (alert) {
    const { kind } = readAlertName(alert.name)
    return kind === 'budget' || kind === 'burn_rate' ? kind : 'value'
  }
  const cause = isAlertType(alertType) ? causeOf[alertType] : null
  if (cause === 'burn_rate_too_fast') return 'burn_rate'
  return cause === 'error_budget_low' || cause === 'error_budget_exhausted' ? 'budget' : 'value'
}

/** Severity of an alert; without an alert, the severity that its type stands for. */
function severityOf({ slo: { alert }, alertType }: TemplateData): string {
  if (alert) return capital(alert.severity)
  const cause = isAlertType(alertType) ? causeOf[alertType] : null
  return cause === 'violation' || cause === 'error_budget_exhausted' ? 'Critical' : 'Warning'
}

function isAlertType(text: string): text is AlertType {
  return Object.hasOwn(causeOf, text)
}

function summaryOf(slo: SloData): string {
  const { slo_name, current_value, target } = slo
  const value = current_value === null ? 'at an unknown value' : `at ${formatSli(current_value)} % ${overLast(slo)}`
  return `${slo_name} ${value}, target ${target} %`
}

function burnRateLine({ alert }: SloData): string {
  if (!alert?.burn_rate) return ''
  const { factor, long, short, long_window, short_window } = alert.burn_rate
  const rates = `${formatNumber(long)} over ${spellWindow(long_window)}, ${formatNumber(short)} over ${spellWindow(short_window)}`
  return `Burn rate: ${rates}; too fast is more than ${formatNumber(factor)} over both.`
}

function valueLine(slo: SloData): string {
  const { current_value, target } = slo
  if (current_value === null) return `SLI: unknown, target ${target} %.`
  return `SLI: ${formatSli(current_value)} % ${overLast(slo)}, target ${target} %.`
}

/** Window of the current value, see `currentWindow`. */
function overLast({ time_window }: SloData): string {
  return `over the last ${time_window === '1h' ? '5 min' : '1 h'}`
}

function budgetLine(data: TemplateData): string {
  const { error_budget_used: used, error_budget_remaining: left } = data.slo
  const window = spellWindow(data.slo.time_window)
  if (used === null || left === null) return `Error budget of ${window}: unknown.`
  if (left <= 0) return `Error budget of ${window}: used ${used >= minOverPercent ? timesOver(used) : 'up'}.`
  return `Error budget of ${window}: ${formatShare(left)} % left.${exhaustion(data)}`
}

/** Sentence on when the budget is used up, with the extrapolated burn rate, so that it does not read as a promise. */
function exhaustion({ event, slo: { forecast } }: TemplateData): string {
  if (event !== 'alert' || !forecast) return ''
  const { basis_seconds: last, exhausted_in_seconds: seconds } = forecast
  return ` At the burn rate of the last ${spellDuration(last)} the rest is used up in ${spellDuration(seconds)}.`
}

/** Line with times, but not how long the alert has fired: a repeated notification would then be no duplicate. */
function timeLine({ slo: { alert, measured_at }, nowMs }: TemplateData, times: TimeWriter): string {
  const measured = () => (measured_at === null ? '' : `Measured ${times.minute(measured_at)}.`)
  if (!alert) return measured()
  const began = times.minute(alert.began_at)
  if (alert.ended_at === null) return `Since ${began}. ${measured()}`.trim()
  const lasted = spellDuration(firingSeconds(alert, nowMs))
  return `From ${began} to ${times.minute(alert.ended_at)} (${lasted}).`
}
