import { readAlertName } from '../alerts/alert-name.ts'
import { type AlertType, causeOf } from '../causes.ts'
import type { Facts } from '../facts.ts'
import { secondsOf, shownDuration, shownLabels, shownNumber, shownValue, type TemplateData } from './template-data.ts'

/** What a notification says where its rule has no words of its own: what, how bad, since when, and where to look. */
export function standardWords(story: TemplateData): { subject: string; message: string } {
  const { head, headline, opening } = say(story)
  const message = asParagraphs([[opening, ...standardFacts(story)], aboutLines(story)])
  return { subject: `${head}: ${headline}`, message }
}

/** Without lines and paragraphs that are empty. */
export function asParagraphs(paragraphs: string[][]): string {
  const written = paragraphs.map((lines) => lines.filter((line) => line !== '').join('\n'))
  return written.filter((paragraph) => paragraph !== '').join('\n\n')
}

/** How the SLO stands, a sentence a line; lines that do not apply are empty. */
export function standardFacts(story: TemplateData): string[] {
  const { facts } = story
  return [burnRateLine(facts), valueLine(facts), budgetLine(story), timeLine(story)]
}

/** What the SLO is, likewise. */
export function aboutLines({ facts, link }: TemplateData): string[] {
  return [facts.description, labelLine(facts), link]
}

type Said = { head: string; headline: string; opening: string }
type Topic = 'value' | 'budget' | 'burn_rate'

function say(story: TemplateData): Said {
  const { event, facts } = story
  const topic = topicOf(story)
  if (event === 'alert') return { head: severityOf(story), ...alerts[topic](facts) }
  if (event === 'message') return { head: capital(facts.status), headline: standing(facts), opening: '' }
  if (hasRecovered(facts, topic)) return { head: 'Recovered', ...recoveries[topic](facts) }
  return {
    head: 'Over',
    headline: `the alert on ${objects[topic]} of ${facts.slo_name}`,
    opening: `This alert is over. That ${facts.slo_name} has recovered was not measured.`,
  }
}

const alerts: Record<Topic, (facts: Facts) => Omit<Said, 'head'>> = {
  value: (facts) => ({
    headline: standing(facts),
    opening: facts.status === 'warning' || facts.status === 'critical' ? `${facts.slo_name} is below its target.` : '',
  }),
  budget: ({ slo_name: name, alert, error_budget_used: used, error_budget_remaining: left }) => {
    if (left === null) return { headline: `${name} runs out of error budget`, opening: '' }
    if (left <= 0) {
      const headline = `${name} has used ${shownNumber(used)} % of its error budget`
      return { headline, opening: `The error budget of ${name} is used up.` }
    }
    const threshold = alert?.threshold ?? null
    return {
      headline: `${name} has ${shownNumber(left)} % of its error budget left`,
      opening: threshold === null ? '' : `${name} has no more than ${threshold} % of its error budget left.`,
    }
  },
  burn_rate: ({ slo_name: name, alert }) => {
    const rate = alert?.burn_rate?.long ?? null
    const pace = rate === null ? 'too fast' : `${shownNumber(rate)} times as fast as it may`
    return { headline: `${name} burns its error budget ${pace}`, opening: `${name} burns its error budget too fast.` }
  },
}

const recoveries: Record<Topic, (facts: Facts) => Omit<Said, 'head'>> = {
  value: (facts) => ({ headline: standing(facts), opening: `${facts.slo_name} meets its target again.` }),
  budget: ({ slo_name: name, alert, error_budget_remaining: left }) => ({
    headline: `${name} has ${shownNumber(left)} % of its error budget left`,
    opening: alert?.threshold
      ? `${name} has more than ${alert.threshold} % of its error budget left again.`
      : `${name} has error budget left again.`,
  }),
  burn_rate: ({ slo_name: name }) => ({
    headline: `${name} no longer burns its error budget too fast`,
    opening: `${name} no longer burns its error budget too fast.`,
  }),
}

const objects: Record<Topic, string> = { value: 'the value', budget: 'the error budget', burn_rate: 'the burn rate' }

/** An alert also ends with its SLO, or its tier or threshold. */
function hasRecovered({ status, alert, error_budget_remaining: left }: Facts, topic: Topic): boolean {
  if (topic === 'value') return status === 'healthy'
  if (topic === 'budget') return left !== null && left > (alert?.threshold ?? 0)
  const rate = alert?.burn_rate
  if (!rate || rate.long === null || rate.short === null) return false
  return rate.long <= rate.factor || rate.short <= rate.factor
}

function topicOf({ facts: { alert }, alertType }: TemplateData): Topic {
  if (alert) {
    const { kind } = readAlertName(alert.name)
    return kind === 'budget' || kind === 'burn_rate' ? kind : 'value'
  }
  const cause = isAlertType(alertType) ? causeOf[alertType] : null
  if (cause === 'burn_rate_too_fast') return 'burn_rate'
  return cause === 'error_budget_low' || cause === 'error_budget_exhausted' ? 'budget' : 'value'
}

/** Of an alert raised by hand, as that of the alert it stands for. */
function severityOf({ facts: { alert }, alertType }: TemplateData): string {
  if (alert) return capital(alert.severity)
  const cause = isAlertType(alertType) ? causeOf[alertType] : null
  return cause === 'violation' || cause === 'error_budget_exhausted' ? 'Critical' : 'Warning'
}

function isAlertType(text: string): text is AlertType {
  return Object.hasOwn(causeOf, text)
}

function standing({ slo_name, current_value, target }: Facts): string {
  const value = current_value === null ? 'at an unknown value' : `at ${shownValue(current_value)} %`
  return `${slo_name} ${value}, target ${target} %`
}

function burnRateLine({ alert }: Facts): string {
  if (!alert?.burn_rate) return ''
  const { factor, long, short, long_window, short_window } = alert.burn_rate
  const rates = `${shownNumber(long)} over ${long_window}, ${shownNumber(short)} over ${short_window}`
  return `Burn rate: ${rates}; too fast is more than ${shownNumber(factor)} over both.`
}

function valueLine({ current_value, target, time_window }: Facts): string {
  if (current_value === null) return `Value: unknown, target ${target} %.`
  const window = time_window === '1h' ? '5m' : '1h' // see currentWindow
  return `Value: ${shownValue(current_value)} % over the last ${window}, target ${target} %.`
}

function budgetLine(story: TemplateData): string {
  const { time_window, error_budget_used: used, error_budget_remaining: left } = story.facts
  if (used === null || left === null) return `Error budget of ${time_window}: unknown.`
  const parts = `${shownNumber(used)} % used, ${shownNumber(left)} % left.`
  return `Error budget of ${time_window}: ${parts}${exhaustion(story)}`
}

/** With what it extrapolates, without which it would be a promise. */
function exhaustion({ event, facts: { forecast } }: TemplateData): string {
  if (event !== 'alert' || !forecast) return ''
  const { basis, exhausted_in_seconds: seconds } = forecast
  return ` At ${basis} the rest is used up in ${shownDuration(seconds)}.`
}

/** Without how long it has gone on: what is sent twice would say something else each time, and be no duplicate. */
function timeLine({ facts: { alert, measured_at }, nowMs }: TemplateData): string {
  const measured = measured_at === null ? '' : `Measured ${clockTime(measured_at)}.`
  if (!alert) return measured
  if (alert.ended_at === null) return `Since ${clockTime(alert.began_at)}. ${measured}`.trim()
  const lasted = shownDuration(secondsOf(alert, nowMs))
  return `From ${clockTime(alert.began_at)} to ${clockTime(alert.ended_at)} (${lasted}).`
}

function labelLine({ labels }: Facts): string {
  const shown = shownLabels(labels)
  return shown === '' ? '' : `Labels: ${shown}`
}

/** `2026-11-21 10:00 UTC` */
export function clockTime(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

export function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}
