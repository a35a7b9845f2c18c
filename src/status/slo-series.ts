import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { StateRow } from '../db/tables/tables.ts'
import { statuses, type Status, windowBudget } from '../slos/arithmetic/budget.ts'
import { sloStates, type SloState } from '../slos/arithmetic/state.ts'
import { type Families, labelText } from '../metrics/families.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'
import { windowName } from '../slos/arithmetic/windows.ts'
import { parseLabels } from '../slos/labels.ts'
import { countActiveAfter, type ListedSlo, listActiveAfter, type SloPage, type SloScope } from './exposition-store.ts'

/**
 * State of an SLO now; null: not known. `current`, `own`: SLIs of the current window and of its own, in percent, as is `budgetUsed`.
 * `windowShare`: part of its own window that has passed since the first sample, 0..1.
 */
type SloSeriesState = {
  status: Status
  state: SloState
  burnRateNow: number | null
  current: number | null
  own: number | null
  budgetUsed: number | null
  windowShare: number | null
  countsEvents: boolean
  burnRates: BurnRate[]
}

export type SloSeriesDeps = {
  db: Database
  clock: Clock
  stateOf: (state: StateRow | null, nowMs: number) => SloSeriesState
  maxSlos: number
}

const slosPerBatch = 50

/**
 * Adds the series of active SLOs, of the oldest `maxSlos` if there are more, and returns the number of the others. Values that are
 * not known have no sample. Yields to the event loop in between.
 */
export async function addSloSeries(deps: SloSeriesDeps, families: Families, scope: SloScope): Promise<number> {
  const { db, clock, stateOf, maxSlos } = deps
  const add = sloFamilies(families)
  let [count, afterId]: [number, number | null] = [0, 0]
  while (afterId !== null && count < maxSlos) {
    const { slos, lastId }: SloPage = await listActiveAfter(
      db.read,
      afterId,
      Math.min(slosPerBatch, maxSlos - count),
      scope,
    )
    for (const slo of slos) add(slo, stateOf(slo.state, clock.now()))
    families.pack()
    count += slos.length
    afterId = lastId
    await yieldToEventLoop()
  }
  return afterId === null ? 0 : countActiveAfter(db.read, afterId, scope)
}

function sloFamilies({ family }: Families): (slo: ListedSlo, state: SloSeriesState) => void {
  const status = family('slo_status', 'gauge', 'The status of an SLO: 1 for the one it has, 0 for the others.')
  const stateGauge = family(
    'slo_state',
    'gauge',
    'The state of an SLO from its newest data: 1 for the one it has, 0 for the others.',
  )
  const burnNow = family(
    'slo_burn_rate_now',
    'gauge',
    'The burn rate over the last 5 minutes, or since its incident began.',
  )
  const ownSli = family('slo_sli_ratio', 'gauge', "The SLI over the SLO's own time window, 0 to 1.")
  const current = family(
    'slo_current_sli_ratio',
    'gauge',
    'The SLI over the current window (1h; 5m of an SLO over 1h), 0 to 1.',
  )
  const budget = family(
    'slo_error_budget_remaining_ratio',
    'gauge',
    'What is left of the error budget: 1 all, below 0 overspent.',
  )
  const windowUsed = family(
    'slo_window_error_budget_used_ratio',
    'gauge',
    'Part of the error budget of the whole time window that is used: 1 all, above it overspent.',
  )
  const target = family('slo_target_ratio', 'gauge', 'What the SLI is to be, 0 to 1.')
  const burnRate = family('slo_burn_rate', 'gauge', 'How many times faster than the target allows the budget burns.')
  const info = family('slo_labels_info', 'gauge', 'The labels of an SLO that has some; always 1.')

  return (slo, state) => {
    const { id, name, organization, team } = slo
    const labels = labelText({ slo_id: String(id), slo_name: name, organization, team })
    for (const one of statuses) status(one === state.status ? 1 : 0, `${labels},status="${one}"`)
    for (const one of sloStates) stateGauge(one === state.state ? 1 : 0, `${labels},state="${one}"`)
    if (state.burnRateNow !== null) burnNow(state.burnRateNow, labels)
    if (state.own !== null) ownSli(ratio(state.own), labels)
    if (state.current !== null) current(ratio(state.current), labels)
    if (state.budgetUsed !== null) budget(ratio(100 - state.budgetUsed), labels)
    const { usedPercent } = windowBudget(state.budgetUsed, slo.target, state)
    if (usedPercent !== null) windowUsed(ratio(usedPercent), labels)
    target(ratio(slo.target), labels)
    for (const [seconds, rate] of ratesByWindow(state)) burnRate(rate, `${labels},window="${windowName(seconds)}"`)
    const labelPairs = labelsOf(slo)
    if (labelPairs !== '') info(1, `${labels},${labelPairs}`)
  }
}

function ratesByWindow({ burnRates }: SloSeriesState): Map<number, number> {
  const rates = burnRates.flatMap(({ long_seconds, long, short_seconds, short }) => [
    [long_seconds, long] as const,
    [short_seconds, short] as const,
  ])
  return new Map(rates.flatMap(([seconds, rate]) => (rate === null ? [] : [[seconds, rate]])))
}

/** Label pairs of an SLO. Of names equal in Prometheus the first is used: a duplicate makes the whole scrape invalid. */
function labelsOf(slo: ListedSlo): string {
  const named = Object.entries(parseLabels(slo)).map(
    ([key, value]) => [`label_${key.replace(/[^a-zA-Z0-9_]/g, '_')}`, value] as const,
  )
  return labelText(Object.fromEntries(named.toReversed()))
}

/** Ratio of a percentage, without floating-point error: 99.9 % is 0.999. */
function ratio(percent: number): number {
  return Number((percent / 100).toPrecision(12))
}
