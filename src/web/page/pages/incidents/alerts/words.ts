import type { Alert } from '../../../api/history.ts'
import { formatNumber, plural } from '../../../format.ts'

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
