import { isCalendarWindow } from '../../../../slos/arithmetic/windows.ts'
import type { Budget } from '../../api/types.ts'
import {
  asSentence,
  formatShare,
  formatDuration,
  formatMoment,
  formatNumber,
  formatSecond,
  formatTimeSince,
} from '../../format.ts'
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
  switch (state) {
    case 'down':
      return sentences(withReason(downClause(since, nowMs), reason), leftClause(slo, nowMs))
    case 'burning_fast':
    case 'burning':
      return sentences(withReason(burningClause(slo, nowMs), reason), leftClause(slo, nowMs))
    case 'recovering':
      return sentences(word, recoveredClause(slo, incident, nowMs))
    case 'maintenance': {
      const counts = reason === null ? `${word}: nothing counts` : `${word}: nothing counts until then`
      return sentences(counts, restWords(slo))
    }
    case 'spent':
      return sentences(spentClause(slo, nowMs))
    case 'unknown':
      return sentences(detail === '' || reason === 'paused' ? word : `${word}; it ${detail} before`, knownClause(slo))
    case 'measuring':
      return sentences(measuringClause(slo, checks, nowMs))
    case 'ok':
      return reason === null
        ? sentences(onTrackClause(slo, nowMs), lastMinutesClause(slo))
        : sentences(withReason(word, reason), restWords(slo))
  }
}

function sentences(...clauses: string[]): string {
  return clauses
    .filter((clause) => clause !== '')
    .map(asSentence)
    .join(' ')
}

function withReason(clause: string, reason: string | null): string {
  return reason === null ? clause : `${clause}: ${reason}`
}

function downClause(since: string | null, nowMs: number): string {
  if (since === null) return 'Down'
  const moment = formatMoment(Date.parse(since), nowMs)
  const time = formatTimeSince(since, nowMs)
  return time ? `Down since ${moment} (${time})` : `Down since ${moment}`
}

function burningClause(slo: StatedBudget, nowMs: number): string {
  const times = timesTooFast(slo)
  const clause = times === '' ? 'Burning too fast' : `Burning ${times}`
  const { state_since: since } = slo
  return since === null ? clause : `${clause} since ${formatMoment(Date.parse(since), nowMs)}`
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
  const time = lasts === null ? '' : formatDuration(lasts)
  const basis = basisOf(slo)
  if (slo.events === null) {
    const used = `${timeUsed(slo)} used`
    if (time === '') return used
    if (isFast(slo.state)) return `${used}; the rest is gone in ${time}`
    return basis === undefined
      ? `${used}; the rest lasts ${time}`
      : `${used}; the rest lasts ${time} at the rate of the last ${basis}`
  }
  const rest = `${formatShare(left)} of the budget is left`
  if (time === '') return rest
  return basis === undefined ? `${rest}, ${time} at this rate` : `${rest}, ${time} at the rate of the last ${basis}`
}

const bases: Record<string, string | undefined> = { '24h': 'day', '1h': 'hour' }

/** Window of the forecast's burn rate in words; undefined: the forecast is made of the current rate. */
function basisOf({ forecast, state }: StatedBudget): string | undefined {
  return isFast(state) ? undefined : bases[forecast.basis_window]
}

function usedUp(slo: StatedBudget): string {
  const used = usedOf(slo) ?? 0
  const times = used > 100 ? overWords(used) : 'used up'
  if (slo.events !== null) return `the budget is ${times}`
  return `the ${allowedWords(slo)} are ${times}`
}

/** `8 of the 43 min that 30 days allow are`. */
function timeUsed(slo: StatedBudget): string {
  // `8 of 43 min`
  const [part = '', allowed = ''] = ofAllowed(usedOf(slo) ?? 0, slo).split(' of ')
  return `${part} of the ${allowed} that ${allowing(slo)} are`
}

/** `43 min that 30 days allow`. */
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
  return [cost, restAndBack(slo, nowMs)].filter((clause) => clause !== '').join('; ')
}

/** `the outage of 12 min`; of one that failed again, whose time includes that in which it was up: `3 outages within 20 min`. */
function outageWords({ events }: StatedBudget, { relapses, duration_seconds }: OpenIncident): string {
  const [one, many] = events === null ? ['outage', 'outages'] : ['incident', 'failures']
  const lasted = formatDuration(duration_seconds)
  return relapses > 0 ? `${relapses + 1} ${many} within ${lasted}` : `the ${one} of ${lasted}`
}

/** When the first check ran, or runs, and when figures come. For an SLO that was resumed or restored: the time of its old figures. */
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
    const ran = `Measuring: the first check ran at ${formatMoment(Date.parse(first.at), nowMs)}`
    if (first.ok) return `${ran} and was good; ${figures}`
    return first.error === null ? `${ran} and failed; ${figures}` : `${ran} and failed (${first.error}); ${figures}`
  }
  if (checks?.checks.length === 0 && checks.next_at !== null)
    return `Measuring: the first check runs at ${formatSecond(Date.parse(checks.next_at), nowMs)}, figures come a minute later`
  return since === undefined
    ? 'Measuring: the first figures come within a minute or two'
    : `Measuring since ${formatMoment(Date.parse(since), nowMs)}: the first figures come within a minute or two`
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

/** Budget that is left, and when the most of it comes back. */
function restAndBack(slo: StatedBudget, nowMs: number): string {
  const rest = restWords(slo)
  const used = usedOf(slo)
  const back = largestReturn(slo.calendar)
  if (!back || used === null) return rest
  const when = formatReturnTime(back, slo, nowMs)
  const isDay = hasDays(slo.time_window)
  if (used >= 100)
    return isDay ? `${rest}; ${spentBack(back, slo)} on ${when}` : `${rest}; ${spentBack(back, slo)} ${when}`
  const share = formatShare(back.gives_back_percent)
  return isDay ? `${rest} until ${when} gives ${share} back` : `${rest}, and ${share} more ${when}`
}

/** `90 % of it comes back`; of more than a whole budget `all of it comes back`, or `288 min of failures leave the window`. */
function spentBack(back: Return, slo: StatedBudget): string {
  if (isWhole(back)) return 'all of it comes back'
  const amount = formatAmount(back.gives_back_percent, slo)
  return back.gives_back_percent > 100 ? `${amount} of failures leave the window` : `${amount} of it comes back`
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
  const basis = basisOf(slo)
  if (lasts !== null) {
    const enough = `${rest}, enough for ${formatDuration(lasts)}`
    return basis === undefined ? enough : `${enough} at the rate of the last ${basis}`
  }
  if (slo.forecast.burn_rate === null || left === 100) return rest
  return basis === undefined
    ? `${rest}, and at this rate it lasts`
    : `${rest}, and at the rate of the last ${basis} it lasts`
}
