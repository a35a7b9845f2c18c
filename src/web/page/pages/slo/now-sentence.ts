import { isCalendarWindow } from '../../../../slos/arithmetic/windows.ts'
import type { Budget } from '../../api/types.ts'
import { asSentence, formatShare, formatDuration, formatMoment, formatNumber, formatSecond } from '../../format.ts'
import { budgetWords } from '../../incidents/alert-words.ts'
import { isFast, leftOfAllowed, leftPercent, ofAllowed, overWords, restSeconds } from '../../slo/budget-words.ts'
import { firstCheck, firstFiguresWords, type KnownChecks } from '../../slo/first-figures.ts'
import { formatAmount, formatReturnTime, hasDays, isWhole, largestReturn, type Return } from '../../slo/returns.ts'
import { rateOf, states, type Stated } from '../../slo/states.ts'
import { windowWords } from '../../slo/window-words.ts'

type StatedBudget = Pick<
  Budget,
  'target' | 'time_window' | 'window_seconds' | 'error_budget' | 'events' | 'calendar' | 'forecast'
> &
  Stated & { measured_since?: string } & Partial<Pick<Budget, 'status_reason' | 'sli' | 'measured_at' | 'period'>>
type OpenIncident = Parameters<typeof budgetWords>[0]

/**
 * Sentences about an SLO at a moment, as a person could read them out: its state, since when, why, and what is left of the
 * budget. `incident`: the open one, undefined: there is none, or it is not read yet. `checks`: of an SLO without figures.
 */
export function nowSentence(
  slo: StatedBudget,
  nowMs: number,
  { incident, checks }: { incident?: OpenIncident | undefined; checks?: KnownChecks | undefined } = {},
): string {
  const { state, state_since: since, state_reason: reason } = slo
  const { word, detail } = states[state].words(slo, nowMs)
  const why = reason === null ? '' : `: ${reason}`
  switch (state) {
    case 'down':
      return sentences(`Down${sinceClause(since, nowMs)}${why}`, leftClause(slo, nowMs))
    case 'burning_fast':
    case 'burning':
      return sentences(
        `${burningClause(slo)}${since === null ? '' : ` since ${formatMoment(Date.parse(since), nowMs)}`}${why}`,
        leftClause(slo, nowMs),
      )
    case 'recovering':
      return sentences(word, recoveredClause(slo, incident, nowMs))
    case 'maintenance':
      return sentences(`${word}: nothing counts${reason === null ? '' : ' until then'}`, restWords(slo))
    case 'spent':
      return sentences(spentClause(slo, nowMs))
    case 'unknown':
      return sentences(detail === '' || reason === 'paused' ? word : `${word}; it ${detail} before`, knownClause(slo))
    case 'measuring':
      return sentences(measuringClause(slo, checks, nowMs))
    case 'ok':
      return why
        ? sentences(`${word}${why}`, restWords(slo))
        : sentences(onTrackClause(slo, nowMs), lastMinutesClause(slo))
  }
}

function sentences(...clauses: string[]): string {
  return clauses
    .filter((clause) => clause !== '')
    .map(asSentence)
    .join(' ')
}

function sinceClause(since: string | null, nowMs: number): string {
  if (since === null) return ''
  const seconds = (nowMs - Date.parse(since)) / 1000
  const lasted = seconds < 60 ? '' : ` (${formatDuration(seconds)})`
  return ` since ${formatMoment(Date.parse(since), nowMs)}${lasted}`
}

function burningClause(slo: StatedBudget): string {
  const times = timesTooFast(slo)
  return times === '' ? 'Burning too fast' : `Burning ${times}`
}

/** Why the burn rate beside an SLO that is on track may be high: failures of a few minutes are no incident. */
function lastMinutesClause(slo: StatedBudget): string {
  const times = timesTooFast(slo)
  return times && `the last minutes burned ${times}`
}

/** `2.7 times too fast`; empty at a rate that the budget lasts for. */
function timesTooFast(slo: StatedBudget): string {
  const rate = rateOf(slo)
  return rate === null || rate <= 1 ? '' : `${formatNumber(rate, rate < 10 ? 1 : 0)} times too fast`
}

/** Budget that is used or left, and how long the rest lasts. */
function leftClause(slo: StatedBudget, nowMs: number): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return ''
  const lasts = restSeconds(slo.state, slo.forecast.exhausts_at, nowMs)
  if (left <= 0) return usedUp(slo)
  if (slo.events === null) {
    const used = `${timeUsed(slo)} used`
    if (lasts === null) return used
    return `${used}; the rest ${isFast(slo.state) ? 'is gone in' : 'lasts'} ${formatDuration(lasts)}${basisClause(slo)}`
  }
  const rest = `${formatShare(left)} of the budget is left`
  return lasts === null ? rest : `${rest}, ${formatDuration(lasts)}${basisClause(slo) || ' at this rate'}`
}

const bases: Record<string, string | undefined> = { '24h': 'day', '1h': 'hour' }

function basisClause({ forecast, state }: StatedBudget): string {
  if (isFast(state)) return ''
  const basis = bases[forecast.basis_window]
  return basis === undefined ? '' : ` at the rate of the last ${basis}`
}

function usedUp(slo: StatedBudget): string {
  const used = usedOf(slo) ?? 0
  const times = used > 100 ? overWords(used) : 'used up'
  if (slo.events !== null) return `the budget is ${times}`
  return `the ${allowedWords(slo)} are ${times}`
}

/** `8 of the 43 min that 30 days allow are`. */
function timeUsed(slo: StatedBudget): string {
  const [part = '', allowed = ''] = ofAllowed(usedOf(slo) ?? 0, slo).split(' of ')
  return `${part} of the ${allowed} that ${allowing(slo)} are`
}

function allowedWords(slo: StatedBudget): string {
  return `${ofAllowed(0, slo).split(' of ')[1] ?? ''} that ${allowing(slo)}`
}

/** `30 days allow`, `the month allows`. */
function allowing({ time_window: window }: StatedBudget): string {
  if (isCalendarWindow(window)) return `the ${window} allows`
  return `${several[window] ?? windowWords(window)} allow`
}

/** Windows of one unit, in several of a smaller one. */
const several: Record<string, string | undefined> = { '1h': '60 minutes', '1d': '24 hours', '1w': '7 days' }

function usedOf({ error_budget }: StatedBudget): number | null {
  return error_budget.window_percent_used
}

function recoveredClause(slo: StatedBudget, incident: OpenIncident | undefined, nowMs: number): string {
  const used = incident ? budgetWords(incident) : null
  const cost = incident && used !== null ? `${outageWords(slo, incident)} used ${used}` : ''
  return [cost, `${restWords(slo)}${backClause(slo, nowMs)}`].filter((clause) => clause !== '').join('; ')
}

/** `the outage of 12 min`; of one that failed again, whose time includes that in which it was up: `3 outages within 20 min`. */
function outageWords({ events }: StatedBudget, { relapses, duration_seconds }: OpenIncident): string {
  const [one, many] = events === null ? ['outage', 'outages'] : ['incident', 'failures']
  const lasted = formatDuration(duration_seconds)
  return relapses > 0 ? `${relapses + 1} ${many} within ${lasted}` : `the ${one} of ${lasted}`
}

/** When the first check ran, or runs, and when figures come; of an SLO that was resumed or restored, of when its figures are. */
function measuringClause(
  { measured_since: since, status_reason, sli = null, measured_at: measuredAt = null }: StatedBudget,
  checks: KnownChecks | undefined,
  nowMs: number,
): string {
  if (status_reason === 'warming_up' && sli !== null && measuredAt !== null) {
    const moment = formatMoment(Date.parse(measuredAt), nowMs)
    return `Measuring again: the figures are of ${moment}, new ones come within a minute or two`
  }
  const first = checks && firstCheck(checks)
  if (first) {
    const when = firstFiguresWords(checks, nowMs)
    const figures = when === 'soon' ? 'figures come within a minute or two' : `figures ${when}`
    const result = first.ok ? 'was good' : `failed${first.error === null ? '' : ` (${first.error})`}`
    return `Measuring: the first check ran at ${formatMoment(Date.parse(first.at), nowMs)} and ${result}; ${figures}`
  }
  if (checks?.checks.length === 0 && checks.next_at !== null)
    return `Measuring: the first check runs at ${formatSecond(Date.parse(checks.next_at), nowMs)}, figures come a minute later`
  const start = since === undefined ? '' : ` since ${formatMoment(Date.parse(since), nowMs)}`
  return `Measuring${start}: the first figures come within a minute or two`
}

/** Budget that is left: `15 of 43 min are left`, `72 % of the budget is left`. */
function restWords(slo: StatedBudget): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return ''
  if (left <= 0) return usedUp(slo)
  return slo.events === null
    ? `${leftOfAllowed(100 - left, slo)} are left`
    : `${formatShare(left)} of the budget is left`
}

function backClause(slo: StatedBudget, nowMs: number): string {
  const { calendar, time_window, error_budget } = slo
  const back = largestReturn(calendar)
  if (!back || error_budget.window_percent_used === null) return ''
  const when = formatReturnTime(back, slo, nowMs)
  if (error_budget.window_percent_used >= 100)
    return `; ${spentBack(back, slo)} ${hasDays(time_window) ? 'on ' : ''}${when}`
  return hasDays(time_window)
    ? ` until ${when} gives ${formatShare(back.gives_back_percent)} back`
    : `, and ${formatShare(back.gives_back_percent)} more ${when}`
}

/** `90 % of it comes back`; of more than a whole budget `all of it comes back`, or `288 min of failures leave the window`. */
function spentBack(back: Return, slo: StatedBudget): string {
  if (isWhole(back)) return 'all of it comes back'
  const amount = formatAmount(back.gives_back_percent, slo)
  return `${amount} of ${back.gives_back_percent > 100 ? 'failures leave the window' : 'it comes back'}`
}

function spentClause(slo: StatedBudget, nowMs: number): string {
  const used = usedOf(slo)
  const spent = used !== null && used > 100 ? `The budget is spent (${overWords(used)})` : 'The budget is spent'
  const back = slo.calendar.find(({ remaining_after_percent }) => remaining_after_percent > 0)
  if (!back) return `${spent}, and nothing burns now`
  const seconds = (Date.parse(back.starts_at) - nowMs) / 1000
  return `${spent}: ${formatDuration(Math.max(60, seconds))} until some comes back`
}

function knownClause(slo: StatedBudget): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return ''
  return left <= 0 ? 'the budget was spent then' : `${formatShare(left)} of the budget was left then`
}

function onTrackClause(slo: StatedBudget, nowMs: number): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return 'On track'
  if (left < 0) return `On track now, but ${usedUp(slo)}`
  const rest =
    left === 100 ? 'On track: nothing of the budget is used' : `On track: ${formatShare(left)} of the budget is left`
  const lasts = restSeconds(slo.state, slo.forecast.exhausts_at, nowMs)
  if (lasts !== null) return `${rest}, enough for ${formatDuration(lasts)}${basisClause(slo)}`
  if (slo.forecast.burn_rate === null || left === 100) return rest
  return `${rest}, and${basisClause(slo) || ' at this rate'} it lasts`
}
