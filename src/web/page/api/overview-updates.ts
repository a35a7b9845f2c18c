import { now } from '../clock.ts'
import { onMessage, type Update } from './live.ts'
import type { Resource } from './resource.ts'
import type { Budget, Overview, OverviewSlo } from './types.ts'

const collectMs = 100 // the evaluator sends all SLOs of one round within this time
const minBetweenReadsMs = 5000
const minBetweenRefreshesMs = 30_000
const settleMs = 500

/**
 * Keeps the overview up to date with the messages of the server. A message has status, state, burn rate of now, SLI and budget; they are
 * applied for all SLOs of a round in one frame. Forecast, alerts and daily values are in no message and are read again: at most
 * every 5 seconds if an SLO is new, an alert began or ended, or a status or state changed, otherwise at most every 30. Returns a
 * function that ends this.
 */
export function followOverview({ value, readAtMs, readSoon }: Resource<Overview>): () => void {
  let updates = new Map<number, Update>()
  let deleted = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let frame = 0

  const readAgain = (minBetweenMs: number) => readSoon(Math.max(settleMs, readAtMs.peek() + minBetweenMs - now()))
  const apply = () => {
    timer = undefined
    const [changes, gone] = [updates, deleted]
    updates = new Map()
    deleted = new Set()
    const before = value.peek()
    if (!before) return
    const { overview, isIncomplete } = withUpdates(before, changes, gone)
    value.value = overview
    if (changes.size > 0) readAgain(isIncomplete ? minBetweenReadsMs : minBetweenRefreshesMs)
  }
  const collect = () => {
    timer ??= setTimeout(() => {
      if (document.hidden) apply()
      else frame = requestAnimationFrame(apply)
    }, collectMs)
  }
  const end = onMessage((heard) => {
    if (heard.kind === 'slo') updates.set(heard.update.slo_id, heard.update)
    if (heard.kind === 'deleted') deleted.add(heard.sloId)
    if (heard.kind === 'slo' || heard.kind === 'deleted') collect()
    else readAgain(heard.kind === 'gap' ? 0 : minBetweenReadsMs)
  })
  return () => {
    end()
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}

/**
 * Applies updates to the overview. SLOs without an update stay the same objects. `isIncomplete`: an SLO is missing from the
 * overview, or a status or state has changed, and with it values that are not in the message.
 */
export function withUpdates(
  overview: Overview,
  updates: ReadonlyMap<number, Update>,
  deleted: ReadonlySet<number>,
): { overview: Overview; isIncomplete: boolean } {
  const ids = new Set(overview.slos.map(({ id }) => id))
  let isIncomplete = [...updates.keys()].some((id) => !ids.has(id) && !deleted.has(id))
  const slos = overview.slos.flatMap((slo) => {
    if (deleted.has(slo.id)) return []
    const update = updates.get(slo.id)
    if (!update) return [slo]
    if (update.status !== slo.status || update.state !== slo.state) isIncomplete = true
    return [withUpdate(slo, update)]
  })
  return { overview: { ...overview, slos, total: slos.length }, isIncomplete }
}

function withUpdate(slo: OverviewSlo, update: Update): OverviewSlo {
  const { error_budget_used: used, target_value: target, timestamp } = update
  const status = update.status as OverviewSlo['status']
  const now = { ...slo, status, ...stateOf(slo, update) }
  if (status === 'unknown') return slo.status === status ? now : { ...now, status_message: null }
  const known = {
    ...now,
    target,
    status_reason: null,
    status_message: null,
    stale: false,
    measured_at: timestamp,
  }
  if (used === null) return known
  const sli = sliOf(used, target) ?? slo.sli
  const { window_percent_used, window_percent_estimated } = update
  return { ...known, sli, percentage_remaining: tidy(100 - used), window_percent_used, window_percent_estimated }
}

/** State of an update. A forecast and tier of another state would contradict it: they are left out until they are read. */
function stateOf(slo: OverviewSlo, update: Update) {
  const now = stateFields(update)
  return now.state === slo.state ? now : { ...now, exhausts_at: null, burn: null }
}

/**
 * A budget with the state, status and shares of an update, so that they are of one evaluation, and without the forecast of another state.
 * What is in no message stays until it is read.
 */
export function withState(budget: Budget, update: Update): Budget {
  const { state, forecast, error_budget } = budget
  const { error_budget_used: used, target_value: target } = update
  const status = update.status as Budget['status']
  const isOther = status !== budget.status
  const now = {
    ...budget,
    status,
    ...stateFields(update),
    forecast: update.state === state ? forecast : { ...forecast, exhausts_at: null, burn_rate: null },
  }
  if (status === 'unknown') return isOther ? { ...now, status_reason: null, status_message: null } : now
  const known = { ...now, status_reason: null, status_message: null, stale: false, measured_at: update.timestamp }
  if (used === null || target !== budget.target) return known
  const { window_percent_used, window_percent_estimated } = update
  return {
    ...known,
    sli: sliOf(used, target) ?? budget.sli,
    error_budget: {
      ...error_budget,
      percentage_used: used,
      percentage_remaining: tidy(100 - used),
      window_percent_used,
      window_percent_estimated,
    },
  }
}

/** SLI of which so many percent of the budget are used; null: the target leaves no budget. */
function sliOf(usedPercent: number, target: number): number | null {
  return target < 100 ? tidy(100 - (usedPercent * (100 - target)) / 100) : null
}

function stateFields({ state, state_since, state_reason, burn_rate_now }: Update) {
  return { state, state_since, state_reason, burn_rate_now }
}

/** Rounds to 10 decimals, to remove floating-point noise. */
function tidy(value: number): number {
  return Number(value.toFixed(10))
}
