import { visibleLine } from '../mail.ts'
import { formatCount, formatShare, formatSli, spellDuration } from '../notifications/templates/template-data.ts'
import type { ReportData, ReportedChange, ReportedSlo } from './report.ts'

/** Sentence that says how the period went: `9 of 10 SLOs met their target.` */
export function verdict({ summary: { slo_count: all, met, missed, unknown } }: Pick<ReportData, 'summary'>): string {
  if (all === 0) return 'No SLO was in force in this period.'
  const known = met + missed
  const rest = unknown === 0 ? '' : ` ${unknown === 1 ? '1 is' : `${unknown} are`} not known.`
  if (known === 0) return `Nothing is known of ${all === 1 ? 'the SLO' : `the ${all} SLOs`}.`
  if (missed === 0 && met === 1) return `The SLO met its target.${rest}`
  if (missed === 0) return `All ${met} SLOs ${unknown === 0 ? '' : 'that are known '}met their target.${rest}`
  return `${met} of ${known} SLOs met their target; ${missed} missed it.${rest}`
}

/** SLI with its sign, or a dash. */
export function sliText(percent: number | null): string {
  return percent === null ? '–' : `${formatSli(percent)} %`
}

/** Share of a budget with its sign, or a dash; above ten budgets `over 1,000 %`. */
export function budgetText(percent: number | null): string {
  if (percent === null) return '–'
  return percent > 1000 ? 'over 1,000 %' : `${formatShare(percent)} %`
}

/** End of a sentence about the budget of a window: `, 48 % of the budget left`; empty: not known. */
export function leftText(percent: number | null): string {
  if (percent === null) return ''
  return percent < 0 ? `, budget overspent by ${budgetText(-percent)}` : `, ${budgetText(percent)} of the budget left`
}

/** Failures, and how many the target allows: `120 of 1,000`, `12 min of 43 min`. */
export function failedText({ unit, bad, allowed, total }: ReportedSlo): string {
  if (total === 0) return '–'
  if (unit === 'events') return `${formatCount(round(bad))} of ${formatCount(round(allowed))}`
  return `${spellDuration(Math.round(bad))} of ${spellDuration(Math.round(allowed))}`
}

function round(events: number): number {
  return events < 10 ? Number(events.toFixed(1)) : Math.round(events)
}

export function shareText(share: number): string {
  const percent = Math.floor(share * 1000) / 10
  return `${percent} %`
}

const fieldNames: Record<string, string> = {
  metric_query: 'query',
  good_query: 'query of good events',
  bad_query: 'query of bad events',
  total_query: 'query of all events',
  time_window: 'window',
  time_zone: 'time zone',
  source_id: 'source',
  team_id: 'team',
  runbook_url: 'runbook',
  burn_rate_tiers: 'alerts',
  budget_thresholds: 'budget thresholds',
  budget_policy: 'budget policy',
  threshold_op: 'operator of the threshold',
}

/** Fields whose values are short enough to be shown. */
const shownValues = new Set(['name', 'target', 'time_window', 'time_zone', 'threshold', 'threshold_op', 'owner'])

/** Change in one line: `target 99.9 → 99.5, query`; without fields its event: `paused`. */
export function changeText({ event, fields }: ReportedChange): string {
  if (fields.length === 0 || event === 'created') return event
  return fields
    .map(({ field, before, after }) => {
      const name = fieldNames[field] ?? field.replaceAll('_', ' ')
      return shownValues.has(field) ? `${name} ${before ?? 'none'} → ${after ?? 'none'}` : name
    })
    .join(', ')
}

/** Writes times of a report in its zone: `3 Oct, 09:42`. */
export function reportTimes(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, day: 'numeric', month: 'long', year: 'numeric' })
  return {
    minute: (iso: string) => format.format(Date.parse(iso)),
    day: (iso: string) => day.format(Date.parse(iso)),
    /** First and last day of the period. */
    span: ({ starts_at, ends_at }: Pick<ReportData, 'starts_at' | 'ends_at'>) =>
      `${day.format(Date.parse(starts_at))} to ${day.format(Date.parse(ends_at) - 1)}`,
  }
}

const worstShown = 5

/** Text of the message that announces a report, with a summary for recipients who do not open the report. */
export function announcement(data: ReportData): { subject: string; text: string } {
  const { summary, slos } = data
  const missed = slos.filter(({ met }) => met === false)
  const lines = missed.slice(0, worstShown).map((slo) => {
    return `${visibleLine(slo.name)}: ${sliText(slo.sli)} of ${slo.target} %, ${budgetText(slo.budget_used_percent)} of the budget used`
  })
  const more = missed.length > worstShown ? [`and ${missed.length - worstShown} more`] : []
  const counts = [
    summary.incident_count === 1 ? '1 incident' : `${summary.incident_count} incidents`,
    summary.alert_count === 1 ? '1 alert' : `${summary.alert_count} alerts`,
    summary.deploy_count === 1 ? '1 deploy' : `${summary.deploy_count} deploys`,
  ].join(', ')
  return {
    subject: `${visibleLine(data.name)}: ${data.title}`,
    text: [verdict(data), ...lines, ...more, `${counts}.`].join('\n'),
  }
}
