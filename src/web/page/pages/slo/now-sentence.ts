import type { Budget, Incident } from '../../api/types.ts'
import { asSentence, formatBudget, formatDuration, formatMoment, formatNumber } from '../../format.ts'
import { isFast, leftPercent, ofAllowed, overWords, restSeconds } from '../../slo/budget-words.ts'
import { formatReturnTime, hasDays, largestReturn } from '../../slo/returns.ts'
import { rateOf, states, type Stated } from '../../slo/states.ts'
import { formatCause } from './incidents/words.ts'

type StatedBudget = Pick<Budget, 'target' | 'time_window' | 'error_budget' | 'events' | 'calendar' | 'forecast'> &
  Stated & { measured_since?: string }
type Costly = Pick<Incident, 'began_at' | 'ended_at' | 'duration_seconds' | 'budget_percent' | 'cause'>

/**
 * Sentences about an SLO at a moment, as a person could read them out: its state, since when, why, and what is left of the
 * budget. `incidents`: those of its window; undefined: not read yet.
 */
export function nowSentence(slo: StatedBudget, incidents: readonly Costly[] | undefined, nowMs: number): string {
  const { state, state_since: since, state_reason: reason } = slo
  const latest = incidents
    ?.toSorted((a, b) => Date.parse(b.began_at) - Date.parse(a.began_at))
    .find(({ ended_at }) => Date.parse(ended_at) >= endOf(slo, nowMs) - nearMs)
  const { word, detail } = states[state].words(slo, nowMs)
  switch (state) {
    case 'down':
      return sentences(
        `Down${sinceClause(since, nowMs)}${reason === null ? '' : `: ${reason}`}`,
        leftClause(slo, nowMs),
      )
    case 'burning_fast':
    case 'burning':
      return sentences(
        `${burningClause(slo)}${since === null ? '' : ` since ${formatMoment(Date.parse(since), nowMs)}`}${reason === null ? causeClause(latest) : `: ${reason}`}`,
        leftClause(slo, nowMs),
      )
    case 'recovering':
      return sentences(word, recoveredClause(slo, latest, nowMs))
    case 'spent':
      return sentences(spentClause(slo, nowMs))
    case 'unknown':
      return sentences(detail === '' ? word : `${word}; it ${detail} before`, knownClause(slo))
    case 'measuring':
      return `Measuring${slo.measured_since === undefined ? '' : ` since ${formatMoment(Date.parse(slo.measured_since), nowMs)}`}: the first figures come within a minute or two.`
    case 'ok':
      return sentences(onTrackClause(slo, nowMs))
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
  const rate = rateOf(slo)
  if (rate === null || rate <= 1) return 'Burning too fast'
  return `Burning ${formatNumber(rate, rate < 10 ? 1 : 0)} times too fast`
}

function causeClause(incident: Costly | undefined): string {
  return incident?.cause ? `, most of it with ${formatCause(incident.cause)}` : ''
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
  const rest = `${formatBudget(left)} of the budget is left`
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
  return `${part} of the ${allowed} that ${windowWords(slo.time_window)} allow are`
}

function allowedWords(slo: StatedBudget): string {
  return `${ofAllowed(0, slo).split(' of ')[1] ?? ''} that ${windowWords(slo.time_window)} allow`
}

const windowNames: Record<string, string | undefined> = { '1h': '60 minutes', '24h': '24 hours' }

function windowWords(window: string): string {
  return windowNames[window] ?? window.replace(/^(\d+)d$/, '$1 days')
}

function usedOf({ error_budget }: StatedBudget): number | null {
  return error_budget.window_percent_used
}

const nearMs = 600_000

/** Time at which what the state is about ended: of what recovers, the start of that; otherwise now. */
function endOf({ state, state_since }: StatedBudget, nowMs: number): number {
  return state === 'recovering' && state_since !== null ? Date.parse(state_since) : nowMs
}

function recoveredClause(slo: StatedBudget, latest: Costly | undefined, nowMs: number): string {
  const cost = latest
    ? `the ${slo.events === null ? 'outage' : 'incident'} of ${formatDuration(latest.duration_seconds)} used ${formatBudget(latest.budget_percent)} of the budget`
    : ''
  return [cost, `${restWords(slo)}${backClause(slo, nowMs)}`].filter((clause) => clause !== '').join('; ')
}

/** Budget that is left: `15 of 43 min are left`, `72 % of the budget is left`. */
function restWords(slo: StatedBudget): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return ''
  if (left <= 0) return usedUp(slo)
  return slo.events === null ? `${ofAllowed(left, slo)} are left` : `${formatBudget(left)} of the budget is left`
}

function backClause({ calendar, time_window, error_budget }: StatedBudget, nowMs: number): string {
  const back = largestReturn(calendar)
  if (!back || error_budget.window_percent_used === null) return ''
  const when = formatReturnTime(back, time_window, nowMs)
  return hasDays(time_window)
    ? ` until ${when} gives ${formatBudget(back.gives_back_percent)} back`
    : `, and ${formatBudget(back.gives_back_percent)} more ${when}`
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
  return left <= 0 ? 'the budget was spent then' : `${formatBudget(left)} of the budget was left then`
}

function onTrackClause(slo: StatedBudget, nowMs: number): string {
  const left = leftPercent(slo.error_budget)
  if (left === null) return 'On track'
  if (left < 0) return `On track now, but ${usedUp(slo)}`
  const rest =
    left === 100 ? 'On track: nothing of the budget is used' : `On track: ${formatBudget(left)} of the budget is left`
  const lasts = restSeconds(slo.state, slo.forecast.exhausts_at, nowMs)
  if (lasts !== null) return `${rest}, enough for ${formatDuration(lasts)}${basisClause(slo)}`
  if (slo.forecast.burn_rate === null || left === 100) return rest
  return `${rest}, and${basisClause(slo) || ' at this rate'} it lasts`
}
