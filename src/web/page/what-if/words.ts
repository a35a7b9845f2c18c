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

const thinSpace = '\u2009'

/** Remaining budget and number of notifications: `34 % left; 4 pages and 2 tickets in 30 d.`. */
export function summaryOf(result: WhatIf): string {
  const { usedPercent } = result
  return `${usedPercent === null ? 'No SLI' : remainingWords(usedPercent)}; ${countsOf(result)}.`
}

/** Remaining budget: `34 % left`, or, for an overspent budget, `used 3.2 times over`. */
function remainingWords(usedPercent: number): string {
  return usedPercent > 100 ? overWords(usedPercent) : `${formatShare(100 - usedPercent)} left`
}

/**
 * Period that was measured: `the last 30 d`, for a calendar window `the month so far`, for a service younger than its window
 * `the 12 min since there is data`.
 */
export function pastWords(known: Parameters<typeof existingSeconds>[0]): string {
  if (isCalendarWindow(known.measured.window)) return `the ${known.measured.window} so far`
  return known.share === 1
    ? `the last ${formatWindow(known.measured.window)}`
    : `the ${formatDuration(existingSeconds(known))} since there is data`
}

/** Number of notifications: `Burn-rate alerts: 4 pages and 2 tickets in 30 d.`, with `outagesSentence`. */
export function alertsSentence(result: WhatIf, queries: readonly Query[]): string {
  return [`Burn-rate alerts: ${countsOf(result)}.`, outagesSentence(queries)].join(' ').trim()
}

type Query = string | null | undefined

/** Sentence that outages are not counted as burn-rate alerts; empty if the queries read no checks of the embedded source. */
export function outagesSentence(queries: readonly Query[]): string {
  if (!canBeDown(...queries)) return ''
  return 'Outages are not counted here: checks that fail notify by themselves, whatever the target.'
}

/** Time in which alerts were searched: `30 d`. */
export function spanOf({ alertsFromSeconds, alertsToSeconds }: WhatIf): string {
  const seconds = alertsToSeconds - alertsFromSeconds
  return seconds === 86_400 ? `24${thinSpace}h` : formatDuration(seconds)
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
  const time =
    minutes >= 1 && minutes < 60 ? `${formatNumber(minutes, 1)}${thinSpace}min` : formatDuration(minutes * 60)
  if (events === null) return `${time} allowed`
  const allowed = Math.floor(events.allowed)
  if (events.total > 0 && events.total < fewEvents)
    return `${allowed === 0 ? 'none' : formatNumber(allowed)} of ${plural(events.total, '# event', '# events')} may fail`
  return `${time} or ${plural(allowed, '# failure', '# failures')} allowed`
}

/**
 * Time since which the budget is used up: `used up since 14:00`, `never used up`. `share`: part of the window that has data. If that
 * is not all of it, the text is empty instead of `never used up`.
 */
export function exhaustionText({ usedPercent, exhaustedSeconds }: WhatIf, nowMs: number, share = 1): string {
  if ((usedPercent ?? 0) < 100) return share === 1 ? 'never used up' : ''
  return exhaustedSeconds === null ? 'used up' : `used up since ${formatMoment(exhaustedSeconds * 1000, nowMs)}`
}

/** Start and duration of an alert: `Thu 14:00, 35 min`. */
export function episodeSentence({ startedSeconds, endedSeconds }: PastAlert, nowMs: number): string {
  const began = formatMoment(startedSeconds * 1000, nowMs)
  return endedSeconds === null ? `${began}, still firing` : `${began}, ${formatDuration(endedSeconds - startedSeconds)}`
}

type RemainingBudget<Part> = {
  window: string
  sli: number
  target: number
  usedPercent: number
  /** Renders a text with emphasis. */
  strong: (text: string) => Part
  /** Time by which the budget would have been used up; `isExact`: to the minute. Null: it would remain, or not known. */
  exhausted: { atMs: number; isExact: boolean } | null
  result: Pick<WhatIf, 'minutes' | 'events'>
}

/** Budget that would remain with another target, by the measured SLI; when it would have been used up; and the failures it allows. */
export function remainingSentence<Part>(remaining: RemainingBudget<Part>, nowMs: number): (Part | string)[] {
  const { window, sli, target, usedPercent, strong, exhausted, result } = remaining
  const length = formatWindow(window)
  const measured = `${formatSli(sli, target)} % of ${formatTarget(target)} %. ${allowedSentence(result)}`
  const facts = result.events ? `${measured}; ${formatCount(result.events.bad)} failed.` : `${measured}.`
  const at = exhausted === null ? '' : formatMoment(exhausted.atMs, nowMs)
  if (usedPercent > 100) {
    const over = strong(overWords(usedPercent))
    if (exhausted === null) return sentence`The budget of ${length} would be ${over}: ${facts}`
    return exhausted.isExact
      ? sentence`The budget of ${length} would be ${over}, used up since ${at}: ${facts}`
      : sentence`The budget of ${length} would be ${over}, used up by ${at}: ${facts}`
  }
  const left = strong(formatShare(100 - usedPercent))
  if (exhausted === null) return sentence`${left} of the budget of ${length} would be left: ${facts}`
  return exhausted.isExact
    ? sentence`${left} of the budget of ${length} would be left, used up since ${at}: ${facts}`
    : sentence`${left} of the budget of ${length} would be left, used up by ${at}: ${facts}`
}

/** Label of the button that gives the SLO a tried target and window. */
export function applyWords(target: number, window: string): string {
  return `Use ${formatTarget(target)} % in ${formatWindow(window)}`
}

/** Message after a tried target and window were saved. */
export function triedSavedText(slo: string, targetPercent: number, window: string): string {
  return `${slo}: ${formatTarget(targetPercent)} % in ${formatWindow(window)}.`
}
