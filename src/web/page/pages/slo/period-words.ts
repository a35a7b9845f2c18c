import type { Periods } from '../../api/history.ts'
import { formatDuration, formatMoment, formatSli, formatTarget } from '../../format.ts'
import { zone } from '../../zone.ts'

type Period = Periods['periods'][number]

/** Name of a calendar period in its zone: `Nov 2026`, `Q4 2026`, `2026`, `week of 23 Nov 2026`. */
export function periodName({
  time_window: window,
  time_zone: timeZone,
  starts_at,
}: Pick<Period, 'time_window' | 'time_zone' | 'starts_at'>): string {
  const { locale } = zone.value
  const text = (fields: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(locale, { timeZone, ...fields }).format(Date.parse(starts_at))
  if (window === 'year') return text({ year: 'numeric' })
  if (window === 'month') return text({ month: 'short', year: 'numeric' })
  if (window === 'week') return `week of ${text({ day: 'numeric', month: 'short', year: 'numeric' })}`
  const month = Number(new Intl.DateTimeFormat('en', { timeZone, month: 'numeric' }).format(Date.parse(starts_at)))
  return `Q${Math.ceil(month / 3)} ${text({ year: 'numeric' })}`
}

/** `99.9 % met`, `99.9 % missed`; the reason if the SLI is not known. */
export function resultWords({ met, target, note }: Pick<Period, 'met' | 'target' | 'note'>): string {
  if (met === null) return note ?? 'not known'
  const objective = `${formatTarget(target)}\u2009%`
  return met ? `${objective} met` : `${objective} missed`
}

/** Time of a period that corrections leave out, with the SLI as if it counted: `1 h; 99.859 % with it`. */
export function periodExcludedWords({ excluded, target }: Pick<Period, 'excluded' | 'target'>): string {
  if (excluded === null) return '–'
  const { seconds, sli_without: sli } = excluded
  const leftOut = formatDuration(seconds)
  return sli === null ? leftOut : `${leftOut}; ${formatSli(sli, target)}\u2009% with it`
}

/** When the figures of a period were computed again; empty: never. */
export function recomputedWords({ recomputed_at: at }: Pick<Period, 'recomputed_at'>, nowMs: number): string {
  return at === null ? '' : `computed again ${formatMoment(Date.parse(at), nowMs)}`
}

/** Message after a period was computed again. */
export function computedText(period: string): string {
  return `${period}: computed again with the corrections of now.`
}

/** Error message; its reason follows. */
export function notComputedText(period: string): string {
  return `${period}: not computed again.`
}

export function computeLabel(period: string): string {
  return `Compute ${period} again, with the corrections of now`
}
