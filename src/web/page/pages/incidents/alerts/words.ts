import type { Alert } from '../../../api/history.ts'
import { formatBurn, formatNumber, formatWindow, plural } from '../../../format.ts'
import { aboutOf, alertTitle, capitalized, certificateCondition } from '../../../incidents/alert-words.ts'

/** `3 alerts of 2 SLOs, 1 of them still firing.` */
export function timelineSentence(alerts: number, slos: number, firing: number): string {
  if (alerts === 0) return 'No alert fired in this time.'
  const of = `${plural(alerts, '# alert', '# alerts')} of ${plural(slos, '# SLO', '# SLOs')}`
  return firing === 0 ? `${of}.` : `${of}, ${formatNumber(firing)} of them still firing.`
}

/** An SLO with checks that all fail, or all failed, and the reason of the last. */
export function downSentence(name: string, { reason, ended_at }: Pick<Alert, 'reason' | 'ended_at'>): string {
  if (ended_at === null) {
    return reason === null ? `Every check of ${name} fails.` : `Every check of ${name} fails: ${reason}.`
  }
  return reason === null ? `Every check of ${name} failed.` : `Every check of ${name} failed: ${reason}.`
}

/** Line below a list that holds only the newest of all. */
export function newestOf(listed: number, total: number): string {
  return `These are the newest ${formatNumber(listed)} of ${formatNumber(total)}. Older ones are not listed.`
}

/** Alerts that the chart draws, if there are more. */
export function newestSentence(drawn: number): string {
  return `The newest ${formatNumber(drawn)} alerts are drawn.`
}

/** Sentence that describes an alert. */
export function sentenceOf(alert: Alert): string {
  const name = aboutOf(alert)
  const { kind, threshold_percent: percent } = alert
  if (alert.condition === certificateCondition)
    return `${capitalized(alert.reason ?? 'a certificate must be renewed')}.`
  if (kind === 'condition') return `Something is wrong with nines itself: ${alert.reason ?? alertTitle(alert)}.`
  if (kind === 'budget') {
    return percent === 0 ? `The error budget of ${name} was used up.` : `${name} had ${alertTitle(alert)} or less.`
  }
  if (kind === 'down') return downSentence(name, alert)
  if (kind === 'status') {
    return `${name} was below its target over the last hour, or over the last 5 min if its window is 1 h. Over its whole window it may meet the target.`
  }
  const rate = alert.burn_rate
  if (rate && rate.long !== null) {
    const long = `${formatBurn(rate.long)} over ${formatWindow(rate.long_window)}`
    const short = `${formatBurn(rate.short ?? 0)} over ${formatWindow(rate.short_window)}`
    return `${name} burns its error budget: ${long}, ${short}. The tier fires above ${formatNumber(rate.factor, 1)}× over both.`
  }
  return `${name} burned its error budget too fast.`
}

/** Title of the alerts that ended. `window`: the time before now that is listed. */
export function endedTitle(window: string): string {
  return `Ended, last ${window}`
}

/** Caption of the table of alerts that ended. */
export function endedCaption(window: string): string {
  return `Alerts that ended in the last ${window}`
}

/** An alert that fires at the time `now`, in the column of its end. */
export function firingWords(now: string): string {
  return `firing, ${now}`
}
