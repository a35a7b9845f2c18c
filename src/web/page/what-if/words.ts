import { isCalendarWindow } from '../../../slos/arithmetic/windows.ts'
import {
  formatCount,
  formatDuration,
  formatMoment,
  formatNumber,
  formatShare,
  formatSli,
  formatTarget,
  formatWindow,
  list,
  plural,
  sentence,
} from '../format.ts'
import type { PastAlert } from '../../../slos/arithmetic/past-alerts.ts'
import { inPageWords } from '../api/page-words.ts'
import { overWords } from '../slo/budget-words.ts'
import { canBeDown } from '../slo/recipients/recipients.ts'
import { existingSeconds, type WhatIf } from './what-if.ts'

const thin = '\u2009'

/** Remaining budget and number of notifications: `34 % left; 4 pages and 2 tickets in 30 d.`. */
export function summaryOf(result: WhatIf): string {
  const { usedPercent } = result
  return `${usedPercent === null ? 'No SLI' : leftWords(usedPercent)}; ${countsOf(result)}.`
}

/** Budget that is left: `34 % left`; beyond the budget `used 3.2 times over`. */
export function leftWords(usedPercent: number): string {
  return usedPercent > 100 ? overWords(usedPercent) : `${formatShare(100 - usedPercent)} left`
}

/** Past that was looked at: `the last 30 d`; of a calendar period `the month so far`; of a service that is younger, `the 12 min since there is data`. */
export function pastWords(known: Parameters<typeof existingSeconds>[0]): string {
  if (isCalendarWindow(known.measured.window)) return `the ${known.measured.window} so far`
  return known.share === 1
    ? `the last ${formatWindow(known.measured.window)}`
    : `the ${formatDuration(existingSeconds(known))} since there is data`
}

/** Number of notifications: `Burn-rate alerts: 4 pages and 2 tickets in 30 d.`; where the queries read checks, also what is not counted. */
export function alertsSentence(result: WhatIf, queries: readonly Query[]): string {
  return [`Burn-rate alerts: ${countsOf(result)}.`, outagesSentence(queries)].join(' ').trim()
}

type Query = string | null | undefined

/** Says that outages are not among the alerts of burn rates; empty where the queries read no checks. */
export function outagesSentence(queries: readonly Query[]): string {
  if (!canBeDown(...queries)) return ''
  return 'Outages are not counted here: checks that fail notify by themselves, whatever the target.'
}

/** Time in which alerts were searched: `30 d`. */
export function spanOf({ alertsFromSeconds, alertsToSeconds }: WhatIf): string {
  const seconds = alertsToSeconds - alertsFromSeconds
  return seconds === 86_400 ? `24${thin}h` : formatDuration(seconds)
}

function countsOf(result: WhatIf): string {
  const count = (severity: string) => result.alerts.filter(({ tier }) => tier.severity === severity).length
  const [pages, tickets] = [count('page'), count('ticket')]
  const found = [
    ...(pages > 0 ? [plural(pages, '# page', '# pages')] : []),
    ...(tickets > 0 ? [plural(tickets, '# ticket', '# tickets')] : []),
  ]
  return `${list(found) || 'none'} in ${spanOf(result)}`
}

/** Why there is no SLI, as a sentence of the page. */
export function noSliWords(reason: string | null, message: string): string {
  return reason === 'no_data' && message.startsWith('The source has no data')
    ? 'The query has found nothing yet.'
    : inPageWords(message)
}

const fewEvents = 100

/** Allowed failures: `43.2 min or 103,679 failures allowed`; of few events, such as runs of a job: `1 of 10 events may fail`. */
export function allowedSentence({ minutes, events }: Pick<WhatIf, 'minutes' | 'events'>): string {
  const time = minutes >= 1 && minutes < 60 ? `${formatNumber(minutes, 1)}${thin}min` : formatDuration(minutes * 60)
  if (events === null) return `${time} allowed`
  const allowed = Math.floor(events.allowed)
  if (events.total > 0 && events.total < fewEvents)
    return `${allowed === 0 ? 'none' : formatNumber(allowed)} of ${plural(events.total, '# event', '# events')} may fail`
  return `${time} or ${plural(allowed, '# failure', '# failures')} allowed`
}

/** Text about the exhaustion of the budget, and since when; empty: it was never gone in a window that does not exist whole yet. */
export function exhaustionText({ usedPercent, exhaustedSeconds }: WhatIf, nowMs: number, share = 1): string {
  if ((usedPercent ?? 0) < 100) return share === 1 ? 'never gone' : ''
  return exhaustedSeconds === null ? 'gone' : `gone since ${formatMoment(exhaustedSeconds * 1000, nowMs)}`
}

/** Begin and duration of an alert. */
export function episodeSentence({ startedSeconds, endedSeconds }: PastAlert, nowMs: number): string {
  const began = formatMoment(startedSeconds * 1000, nowMs)
  return endedSeconds === null ? `${began}, still firing` : `${began}, ${formatDuration(endedSeconds - startedSeconds)}`
}

type Left<Part> = {
  window: string
  sli: number
  target: number
  usedPercent: number
  /** An element with a text. */
  strong: (text: string) => Part
  gone: { atMs: number; isExact: boolean } | null
  result: Pick<WhatIf, 'minutes' | 'events'>
}

/** Budget that a target would leave of what was measured, when it would have been used up, and what it allows. */
export function leftSentence<Part>(left: Left<Part>, nowMs: number): (Part | string)[] {
  const { window, sli, target, usedPercent, strong, gone, result } = left
  const budget =
    usedPercent > 100
      ? sentence`The budget of ${formatWindow(window)} would be ${strong(overWords(usedPercent))}`
      : sentence`${strong(formatShare(100 - usedPercent))} of the budget of ${formatWindow(window)} would be left`
  const measured = `${formatSli(sli, target)} % of ${formatTarget(target)} %. ${allowedSentence(result)}`
  const facts = result.events ? `${measured}; ${formatCount(result.events.bad)} failed.` : `${measured}.`
  if (gone === null) return [...budget, `: ${facts}`]
  const at = formatMoment(gone.atMs, nowMs)
  return [...budget, gone.isExact ? `, used up since ${at}: ${facts}` : `, used up by ${at}: ${facts}`]
}
