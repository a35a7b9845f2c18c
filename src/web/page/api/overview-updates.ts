import { round10 } from '../../../slos/arithmetic/budget.ts'
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
 * every 5 seconds if an SLO is new, or an alert, incident, status, state or target changed, otherwise at most every 30. Returns a
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
    const previous = value.peek()
    if (!previous) return
    const { overview, isIncomplete } = withUpdates(previous, changes, gone)
    value.value = overview
    if (changes.size > 0) readAgain(isIncomplete ? minBetweenReadsMs : minBetweenRefreshesMs)
  }
  const collect = () => {
    timer ??= setTimeout(() => {
      if (document.hidden) apply()
      else frame = requestAnimationFrame(apply)
    }, collectMs)
  }
  const end = onMessage((message) => {
    if (message.kind === 'slo') updates.set(message.update.slo_id, message.update)
    if (message.kind === 'deleted') deleted.add(message.sloId)
    if (message.kind === 'slo' || message.kind === 'deleted') collect()
    else readAgain(message.kind === 'gap' ? 0 : minBetweenReadsMs)
  })
  return () => {
    end()
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}

/**
 * Applies updates to the overview. SLOs without an update stay the same objects. `isIncomplete`: the overview must be read again, because
 * an SLO is missing from it, or a status, state or target has changed, and with it values that no message has. Until then, the forecast
 * and tier of an SLO with another state or target are left out, because they would contradict it.
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
    const isOther = update.state !== slo.state || update.target_value !== slo.target
    isIncomplete ||= isOther || update.status !== slo.status
    return [withUpdate(isOther ? { ...slo, exhausts_at: null, burn: null } : slo, update)]
  })
  return { overview: { ...overview, slos, total: slos.length }, isIncomplete }
}

function withUpdate(slo: OverviewSlo, update: Update): OverviewSlo {
  const { error_budget_used: used, target_value: target, window_percent_used, window_percent_estimated } = update
  const updated = { ...slo, ...stateFields(update, slo), target }
  if (used === null) return updated
  const sli = sliOf(used, target) ?? slo.sli
  return { ...updated, sli, percentage_remaining: round10(100 - used), window_percent_used, window_percent_estimated }
}

/**
 * Budget with the state, status and shares of an update, which are of one evaluation; of another target only state and status. If the state
 * has changed, the forecast is left out. Values that no message has stay as they were.
 */
export function withState(budget: Budget, update: Update): Budget {
  const { error_budget_used: used, target_value: target, window_percent_used, window_percent_estimated } = update
  const isOther = update.state !== budget.state
  const forecast = isOther ? { ...budget.forecast, exhausts_at: null, burn_rate: null } : budget.forecast
  const updated = { ...budget, ...stateFields(update, budget), forecast }
  if (used === null || target !== budget.target) return updated
  return {
    ...updated,
    sli: sliOf(used, target) ?? budget.sli,
    error_budget: {
      ...budget.error_budget,
      percentage_used: used,
      percentage_remaining: round10(100 - used),
      window_percent_used,
      window_percent_estimated,
    },
  }
}

/** SLI, in percent, at which `usedPercent` of the error budget is used; null: the target leaves no budget. */
function sliOf(usedPercent: number, target: number): number | null {
  return target < 100 ? round10(100 - (usedPercent * (100 - target)) / 100) : null
}

/** State and status of an update. No message has the reason of an unknown status: if it was unknown before, its known reason stays. */
function stateFields(
  { state, state_since, state_reason, burn_rate_now, timestamp, ...update }: Update,
  previous: Pick<OverviewSlo, 'status'>,
) {
  const status = update.status as OverviewSlo['status']
  const fields = { status, state, state_since, state_reason, burn_rate_now }
  if (status === previous.status && status === 'unknown') return fields
  const known = { ...fields, status_reason: null, status_message: null }
  return status === 'unknown' ? known : { ...known, stale: false, measured_at: timestamp }
}
