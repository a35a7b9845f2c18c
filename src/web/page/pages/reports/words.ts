import {
  formatCount,
  formatDuration,
  formatPercent,
  formatShare,
  formatSli,
  formatNumber,
  formatWindow,
  plural,
} from '../../format.ts'
import type { ListedReport, Report, ReportedSlo, Schedule } from './types.ts'

export const intervalWords = { week: 'Each week', month: 'Each month', quarter: 'Each quarter' } as const

/** Result of a report in a list: `9 of 10 met`, or the reason why it has none. */
export function resultWords({ status, met_count: met, missed_count: missed, slo_count: all }: ListedReport): string {
  if (status === 'failed') return 'Could not be made'
  if (status === 'pending' || met === null || missed === null || all === null) return 'Is being made'
  if (met + missed === 0) return all === 0 ? 'No SLOs' : 'Not known'
  return `${formatCount(met)} of ${formatCount(met + missed)} met`
}

/** Sentence about the result at the top of a report. */
export function verdictWords({ summary: { met, missed, unknown, slo_count: all } }: Report): string {
  if (all === 0) return 'No SLO was in force in this period.'
  const rest = unknown === 0 ? '' : plural(unknown, ' # is not known.', ' # are not known.')
  if (met + missed === 0) return 'Too little was measured to say.'
  if (missed === 0) return plural(met, 'The SLO met its target.', 'All # SLOs met their target.') + rest
  return `${formatCount(met)} of ${formatCount(met + missed)} SLOs met their target.${rest}`
}

/** Counts below that sentence: `4 incidents, 3 alerts, 3 deploys and changes`. */
export function countWords({ summary }: Report): string {
  return [
    plural(summary.incident_count, '# incident', '# incidents'),
    plural(summary.alert_count, '# alert', '# alerts'),
    plural(summary.deploy_count, '# deploy or change', '# deploys and changes'),
  ].join(', ')
}

export function metWords({ met }: Pick<ReportedSlo, 'met'>): string {
  if (met === null) return 'Not known'
  return met ? 'Met' : 'Missed'
}

export function sliWords({ sli, target }: Pick<ReportedSlo, 'sli' | 'target'>): string {
  return sli === null ? '–' : `${formatSli(sli, target)} %`
}

/** Used share of an error budget, from its percentage. */
export function usedWords(percent: number | null): string {
  if (percent === null) return '–'
  return percent > 1000 ? 'over 10 times' : formatShare(percent)
}

/** Failures, and how many the target allows: `12,600 of 8,940`, `21 min of 45 min`. */
export function failedWords({ unit, bad, allowed, total }: ReportedSlo): string {
  if (total === 0) return '–'
  if (unit === 'seconds') return `${formatDuration(bad)} of ${formatDuration(allowed)}`
  return `${formatNumber(Math.round(bad))} of ${formatNumber(Math.round(allowed))}`
}

/**
 * Share of the period that was measured, the resolution to which the ends of the period were rounded if it is not a minute, and the
 * share that corrections exclude: `100 %, cut at 1 d, 0.3 % does not count`.
 */
export function measuredWords({ coverage, resolution, excluded }: ReportedSlo): string {
  const share = formatPercent(Math.floor(coverage * 1000) / 10, coverage < 1 ? 1 : 0)
  const measured = resolution === '1m' ? share : `${share}, cut at ${formatWindow(resolution)}`
  return excluded ? `${measured}, ${formatPercent(100 * excluded.share, 1)} does not count` : measured
}

/** Scope of a schedule or a report: all, labels, or a team by its name. */
export function scopeWords(
  { selector }: Pick<Schedule, 'selector'>,
  teams: readonly { id: number; name: string }[],
): string {
  if (selector.labels)
    return Object.entries(selector.labels)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')
  const { team_id } = selector
  if (team_id === undefined) return 'All SLOs'
  return teams.find(({ id }) => id === team_id)?.name ?? 'A deleted team'
}

/** Names of the channels of a schedule. */
export function channelWords({ channel_ids }: Schedule, channels: readonly { id: number; name: string }[]): string {
  const names = channels.filter(({ id }) => channel_ids.includes(id)).map(({ name }) => name)
  return names.length === 0 ? 'Only listed here' : names.join(', ')
}

/** Labels of the links that download a report. */
export const fileWords = { html: 'HTML, to print', csv: 'CSV', json: 'JSON' } as const

/** Message after the deletion of a schedule. */
export function scheduleDeletedText(name: string): string {
  return `${name}: deleted. Its reports stay.`
}
