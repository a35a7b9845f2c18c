import { opensIncident } from '../alerts/alert-name.ts'
import { isFlapping } from '../incidents/flapping.ts'
import type { AlertData, IncidentCost, IncidentData, SloData } from '../notification-data.ts'
import { minOverPercent } from '../../slos/arithmetic/share.ts'
import { timeBudget, usedText } from '../../slos/arithmetic/time-budget.ts'
import { timeWriter } from '../../zone.ts'
import { acknowledgedLine, asParagraphs, capital, labelLine, policyLine } from './lines.ts'
import {
  causeIn,
  forecastIn,
  formatCount,
  formatRate,
  timesOver,
  formatShare,
  spellDuration,
  spellBudgetWindow,
  type TemplateData,
} from './template-data.ts'

/** True for the data of an outage, or of an incident: their texts are about what holds now, not about values over windows. */
export function isOfIncident({ alert, incident }: SloData): boolean {
  return alert !== null && (alert.outage !== null || (Boolean(incident) && opensIncident(alert)))
}

/**
 * Texts of an incident: first what, how bad, since when; then what fails, what remains of the budget, and what to do. They say no
 * number twice.
 */
export function incidentTexts(data: TemplateData): { subject: string; message: string } {
  const { slo } = data
  const { alert } = slo
  if (!alert) throw new Error('must be the data of an alert')
  const isOver = slo.incident ? slo.incident.event === 'recovered' : alert.ended_at !== null
  return isOver ? endTexts(data, alert) : failingTexts(data, alert)
}

function failingTexts(data: TemplateData, alert: AlertData): { subject: string; message: string } {
  const { slo } = data
  const { incident } = slo
  const subject = alert.outage ? downSubject(data, alert) : burningSubject(data, alert)
  const what = [
    alert.outage ? (isOfJob(alert.outage) ? jobDetails(slo) : 'Every check fails.') : causeIn(slo),
    alert.outage ? '' : failingLine(incident ?? null),
    deployLine(incident ?? null),
    budgetLine(slo, alert),
    policyLine(slo),
    incident?.event === 'flapping'
      ? `It has failed again ${incident.relapses} times. The next message comes once it is stable.`
      : '',
    acknowledgedLine(alert, timeWriter(data.zone)),
  ]
  return { subject, message: asParagraphs([what, todo(data), sloLines(slo)]) }
}

/** True for the outage of a heartbeat (a job that reports its runs): its reason is a sentence about the job, and no check has failed. */
function isOfJob({ reason }: NonNullable<AlertData['outage']>): boolean {
  return / (?:has not reported by \d\d:\d\d |reported (?:a failure|exit code \d{1,3})$)/.test(reason ?? '')
}

/** Sentence on a missed run, which follows a semicolon in the reason: when it was due, and the last success. */
function jobDetails(slo: SloData): string {
  const [, details] = causeIn(slo).split('; ', 2)
  return details === undefined ? '' : `${capital(details)}.`
}

function downSubject({ slo, zone }: TemplateData, alert: AlertData): string {
  const cause = alert.outage && isOfJob(alert.outage) ? (causeIn(slo).split('; ')[0] ?? '') : causeIn(slo)
  const downWords = slo.incident?.event === 'flapping' ? 'is flapping, down' : 'is down'
  const again = slo.incident?.event === 'again' ? ' again' : ''
  return `${slo.slo_name} ${downWords}${again} since ${timeWriter(zone).second(alert.began_at)}${cause === '' ? '' : `: ${cause}`}`
}

function burningSubject({ slo, zone }: TemplateData, alert: AlertData): string {
  const { incident } = slo
  const words = { opened: '', again: '', recovered: '', rose: 'now urgent, ', flapping: 'flapping, ' }
  const event = incident?.event ?? 'opened'
  const rate = incident?.burn_rate ?? alert.burn_rate?.long ?? null
  const burning = rate === null ? 'burning too fast' : `burning ${formatRate(rate)}×`
  const again = event === 'again' ? ' again' : ''
  const sinceText = timeWriter(zone).since(incident?.since ?? alert.began_at, slo.measured_at)
  const forecast = forecastIn(slo)
  return `${slo.slo_name}: ${words[event]}${burning}${again} since ${sinceText}${forecast === '' ? '' : `, ${forecast}`}`
}

function failingLine(incident: IncidentData | null): string {
  if (!incident?.recent || incident.recent.share <= 0) return ''
  const { seconds, share, bad_events: bad, total_events: total } = incident.recent
  const last = `the last ${spellDuration(seconds)}`
  if (bad === null || total === null) return `${formatShare(100 * share)} % of ${last} failed.`
  return `${formatShare(100 * share)} % of requests failed in ${last} (${formatCount(bad)} of ${formatCount(total)}).`
}

/** Line on the deploy before the incident: `It began 4 min after deploy checkout v1.4.2.` */
function deployLine(incident: IncidentData | null): string {
  if (!incident?.deploy) return ''
  const { title, seconds_before: seconds, url } = incident.deploy
  const distance = seconds < 60 ? 'within a minute of' : `${spellDuration(wholeMinutes(seconds))} after`
  return `It began ${distance} ${title}${url === '' ? '.' : `: ${url}`}`
}

/**
 * Line on the budget that remains; for an outage also how long that lasts, which the subject of another incident says. Empty for a
 * job: the run that failed is not in its budget yet.
 */
function budgetLine(slo: SloData, { outage }: AlertData): string {
  const { error_budget_used: used, error_budget_remaining: left } = slo
  const window = spellBudgetWindow(slo.time_window)
  if (used === null || left === null) return ''
  if (outage && isOfJob(outage) && left > 0) return ''
  if (left <= 0) {
    if (!outage && used < minOverPercent) return ''
    return used < minOverPercent
      ? `The ${window} budget is spent.`
      : `It has used the ${window} budget ${timesOver(used)}.`
  }
  const lasts =
    outage && slo.forecast ? `, ${spellDuration(wholeMinutes(slo.forecast.exhausted_in_seconds))} of failing` : ''
  return `${formatShare(left)} % of the ${window} budget is left${lasts}.`
}

/** Rounds down to whole minutes from one minute on, so that what remains of a used budget never reads as all of it. */
function wholeMinutes(seconds: number): number {
  return seconds < 60 ? seconds : seconds - (seconds % 60)
}

function endTexts(data: TemplateData, alert: AlertData): { subject: string; message: string } {
  const { slo } = data
  const began = slo.incident?.since ?? alert.began_at
  const ended = slo.incident?.recovered_at ?? alert.ended_at ?? began
  const seconds = (Date.parse(ended) - Date.parse(began)) / 1000
  const lasted = spellDuration(seconds)
  const isUp = slo.incident?.is_up ?? alert.outage?.is_up ?? false
  const was = alert.outage ? 'down' : 'burning its budget'
  const unknown =
    slo.incident?.close_reason === 'by_hand'
      ? 'and its incident was closed by hand: it is not known to be up'
      : `and is not known to be up: ${alert.outage?.stopped ?? `it is not ${alert.outage ? 'checked' : 'evaluated'} now`}`
  const times = timeWriter(data.zone)
  const { relapses = 0, began_at: first = began } = slo.incident ?? {}
  const up = isFlapping({ relapses }) // then its end is notified 15 minutes after it was up
    ? `is stable again, up since ${times.since(ended, slo.measured_at)}`
    : `is up again after ${lasted}`
  const subject = `${slo.slo_name} ${isUp ? up : `was ${was} for ${lasted}, ${unknown}`}`
  const isOneMinute = began.slice(0, 16) === ended.slice(0, 16)
  const span = isOneMinute ? `at ${times.minute(began)}` : `from ${times.minute(began)} to ${times.minute(ended)}`
  const when =
    relapses === 0
      ? `${capital(span)}.`
      : `It failed ${relapses + 1} times since ${times.minute(first)}, the last time ${span}.`
  const cost = slo.incident?.cost
    ? costLine(slo.incident, slo.incident.cost, { seconds, window: spellBudgetWindow(slo.time_window) })
    : ''
  return {
    subject,
    message: asParagraphs([[cost, when, acknowledgedLine(alert, times)], links(data), sloLines(slo)]),
  }
}

type Duration = { seconds: number; window: string }

/** Share of the budget that an incident used; where time is counted, also that time. `seconds`: from its begin, or its last relapse, to its end. */
function costLine(
  { relapses }: IncidentData,
  { percent, bad_seconds, allowed_seconds }: IncidentCost,
  { seconds, window }: Duration,
): string {
  const what = relapses === 0 ? 'This outage' : 'This incident'
  if (percent >= minOverPercent) return `${what} used the ${window} budget ${timesOver(percent)}.`
  const used = `used ${formatShare(percent)} % of the ${window} budget`
  if (bad_seconds === null || allowed_seconds === null) return `${what} ${used}.`
  return `${what}${relapses === 0 ? exactDuration(seconds) : ''} ${used} (${spellPart(bad_seconds, allowed_seconds)}).`
}

/** Duration that the subject rounds to minutes, with its seconds: ` of 1 min 30 s`; empty if it has none, or is not 1 to 60 min. */
function exactDuration(seconds: number): string {
  const rest = Math.round(seconds) % 60
  return seconds < 60 || seconds >= 3600 || rest === 0 ? '' : ` of ${Math.floor(seconds / 60)} min ${rest} s`
}

/** Part of the time that may fail, as the page writes it: `12 of 43 min`. */
function spellPart(seconds: number, ofSeconds: number): string {
  const budget = timeBudget(seconds, ofSeconds)
  return `${usedText(budget, seconds, String).replace('\u2009', ' ')} of ${budget.allowed} ${budget.unit}`
}

/** Links to what a person does next; the page asks before it acknowledges or silences. */
function todo(data: TemplateData): string[] {
  const link = data.slo.incident?.link
  const actionLinks = link === undefined ? [] : [`Acknowledge ${link}?acknowledge`, `Silence ${link}?silence`]
  return [...links(data), ...actionLinks]
}

function links({ slo, link }: TemplateData): string[] {
  const { runbook_url: runbook = '', owner = '', incident } = slo
  return [
    owner === '' ? '' : `Owner: ${owner}`,
    runbook === '' ? '' : `Runbook ${runbook}`,
    incident?.link ? `Incident ${incident.link}` : link,
  ]
}

function sloLines(slo: SloData): string[] {
  return [slo.description, labelLine(slo)]
}
