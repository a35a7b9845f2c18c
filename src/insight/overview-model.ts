import { ownWindow } from '../slos/arithmetic/own-window.ts'
import { type Static, t } from 'elysia'
import { dayMs, isoTime, isoTimeOrNull } from '../clock.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'
import { objectWithList } from '../http/bodies/streamed-responses.ts'
import { OneOf } from '../http/schemas.ts'
import { presentState, stateFields } from '../evaluation/reads/state-model.ts'
import { presentWindowBudget, WindowBudgetFields, WindowSeconds } from '../sli/model.ts'
import { statuses, round10, windowBudget } from '../slos/arithmetic/budget.ts'
import { listedDescriptionLength } from '../evaluation/state-store.ts'
import { parsePolicy } from '../slos/budget-policy.ts'
import { PolicyLineResponse } from '../slos/budget-policy-model.ts'
import { parseLabels } from '../slos/labels.ts'
import type { OverviewRow } from './overview.ts'

const MaybeNumber = t.Nullable(t.Number())
const MaybeText = t.Nullable(t.String())

/** Most severe first. */
const burnStates = ['burning', 'rising', 'recovering', 'calm'] as const

const FiringAlert = t.Object({
  alert_id: t.Number(),
  name: t.String(),
  severity: t.String(),
  since: t.String(),
  silenced: t.Boolean(),
  acknowledged: t.Boolean(),
})

const Burn = t.Object({
  state: OneOf(
    burnStates,
    'burning: both windows of the tier are over its factor; recovering: only the long one; rising: only the short one; calm: neither',
  ),
  rate: t.Number({
    description: 'the burn rate over the long window of the tier: how many times faster than the target allows',
  }),
  window_seconds: t.Number(),
  factor: t.Number(),
  severity: t.String(),
})

const OverviewSlo = t.Object({
  id: t.Number(),
  name: t.String(),
  description: t.String({ description: `its first ${listedDescriptionLength} characters` }),
  target: t.Number(),
  time_window: t.String(),
  window_seconds: WindowSeconds,
  team_id: t.Number(),
  team_name: MaybeText,
  labels: t.Record(t.String(), t.String()),
  status: OneOf(statuses),
  status_reason: MaybeText,
  status_message: MaybeText,
  ...stateFields,
  stale: t.Boolean(),
  measured_at: MaybeText,
  sli: MaybeNumber,
  coverage: MaybeNumber,
  percentage_remaining: MaybeNumber,
  ...WindowBudgetFields,
  unit: OneOf(['events', 'seconds'], 'what the budget counts'),
  budget_policy: t.Optional(
    t.Array(PolicyLineResponse, {
      description: 'its own error budget policy; absent: it has none, and that of its team in team_policies holds',
    }),
  ),
  burn: t.Nullable(Burn),
  firing: t.Array(FiringAlert),
  exhausts_at: MaybeText,
  days: t.Array(MaybeNumber, {
    description:
      'of each of the last 30 days in UTC, the share of a day’s budget that was used, in percent; the last one is today',
  }),
})

export const OverviewResponse = t.Object(
  {
    slos: t.Array(OverviewSlo),
    total: t.Number(),
    days_end: t.String(),
    team_policies: t.Array(t.Object({ team_id: t.Number(), budget_policy: t.Array(PolicyLineResponse) }), {
      description: 'error budget policies of their teams, for the SLOs without one of their own',
    }),
  },
  { title: 'Overview' },
)
export type OverviewResponse = Static<typeof OverviewResponse>

/** A firing alert of an SLO. */
export type FiringOfSlo = {
  alertId: number
  sloId: number
  name: string
  severity: string
  sinceSeconds: number
  isSilenced: boolean
  isAcknowledged: boolean
}

const msPerSecond = 1000

/** Data of an overview as of `nowMs`. `firing`: the firing alerts, by SLO id. */
export type OverviewData = { rows: OverviewRow[]; firing: ReadonlyMap<number, FiringOfSlo[]>; nowMs: number }

export function presentOverview(overview: OverviewData): OverviewResponse {
  return { slos: [...presentSlos(overview)], ...presentHead(overview) }
}

/** Presents the overview as pieces of its JSON. */
export function writeOverview(overview: OverviewData): Iterable<string> {
  return objectWithList(presentHead(overview), 'slos', presentSlos(overview))
}

/** Approximate length of the JSON in characters. */
export function lengthOfOverview({ rows }: OverviewData): number {
  return rows.reduce(
    (sum, { slo }) => sum + charactersOfSlo + slo.labels.length + slo.budget_policy.length + slo.description.length,
    0,
  )
}

const charactersOfSlo = 750

function presentHead({ rows, nowMs }: OverviewData) {
  const policies = new Map(rows.map(({ slo, teamPolicy }) => [slo.team_id, teamPolicy]))
  return {
    total: rows.length,
    days_end: isoTime((Math.floor(nowMs / dayMs) + 1) * dayMs),
    team_policies: [...policies].flatMap(([team_id, budget_policy]) =>
      budget_policy === '[]' ? [] : [{ team_id, budget_policy: parsePolicy({ budget_policy }) }],
    ),
  }
}

function* presentSlos({ rows, firing, nowMs }: OverviewData): Generator<Static<typeof OverviewSlo>> {
  for (const { slo, teamName, currentState, countsEvents, exhaustsAtMs, days } of rows) {
    const { lastMeasured } = currentState
    const measured = currentState.budgetUsed === null && lastMeasured ? lastMeasured : currentState
    const used = measured.budgetUsed
    yield {
      id: slo.id,
      name: slo.name,
      description: slo.description,
      target: slo.target,
      time_window: slo.time_window,
      window_seconds: ownWindow(slo, Math.floor(nowMs / 1000)).wholeSeconds,
      team_id: slo.team_id,
      team_name: teamName,
      labels: parseLabels(slo),
      status: currentState.status,
      status_reason: currentState.reason,
      status_message: currentState.message,
      ...presentState(currentState),
      stale: currentState.isStale,
      measured_at: measuredAt(currentState, nowMs),
      sli: round10(currentState.own ?? lastMeasured?.own ?? null),
      coverage: currentState.ownCoverage,
      percentage_remaining: used === null ? null : round10(100 - used),
      ...presentWindowBudget(windowBudget(used, slo.target, measured)),
      unit: countsEvents ? 'events' : 'seconds',
      ...(slo.budget_policy !== '[]' && { budget_policy: parsePolicy(slo) }),
      burn: burnOf(currentState.burnRates),
      firing: (firing.get(slo.id) ?? []).map(
        ({ alertId, name, severity, sinceSeconds, isSilenced, isAcknowledged }) => ({
          alert_id: alertId,
          name,
          severity,
          since: isoTime(sinceSeconds * msPerSecond),
          silenced: isSilenced,
          acknowledged: isAcknowledged,
        }),
      ),
      exhausts_at: isoTimeOrNull(exhaustsAtMs),
      days,
    }
  }
}

/**
 * Time of the measurement; a current one is rounded to the minute, so that an answer in which nothing else has changed stays the
 * same.
 */
function measuredAt({ ageSeconds, lastMeasured }: OverviewRow['currentState'], nowMs: number): string | null {
  if (lastMeasured) return isoTime(lastMeasured.atMs)
  return ageSeconds === null ? null : isoTime(Math.round((nowMs / msPerSecond - ageSeconds) / 60) * 60 * msPerSecond)
}

/** Picks the tier to show: the most severe state first, then the highest rate in relation to its factor. */
function burnOf(rates: BurnRate[]) {
  const knownRates = rates.flatMap(({ enabled, long, short, factor, long_seconds, severity }) => {
    if (!enabled || long === null) return []
    const state = burnState(long, short ?? 0, factor)
    return [{ state, rate: long, window_seconds: long_seconds, factor, severity }]
  })
  return (
    knownRates.toSorted(
      (a, b) => burnStates.indexOf(a.state) - burnStates.indexOf(b.state) || b.rate / b.factor - a.rate / a.factor,
    )[0] ?? null
  )
}

function burnState(long: number, short: number, factor: number): (typeof burnStates)[number] {
  if (long > factor) return short > factor ? 'burning' : 'recovering'
  return short > factor ? 'rising' : 'calm'
}
