import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { OneOf } from '../http/schemas.ts'
import { presentWindowBudget, WindowBudgetFields, WindowSeconds } from '../sli/model.ts'
import { round10 } from '../slos/arithmetic/budget.ts'
import type { LabelShares } from './breakdown.ts'
import type { BudgetIncident, BudgetIncidents, IncidentSpan } from './budget-incidents.ts'
import type { BreakdownCause, IncidentBreakdown } from './incident-breakdown.ts'
import type { Stretch } from './incidents.ts'

const MaybeNumber = t.Nullable(t.Number())

const maxStretches = 100

const incident = {
  key: t.String({ description: 'names the incident in the path of its breakdown' }),
  began_at: t.String({ description: 'begin of the first failures that count' }),
  ended_at: t.String({
    description: 'end of the last failures that count; what corrections leave out is not part of it',
  }),
  ongoing: t.Boolean(),
  duration_seconds: t.Number({ description: 'seconds from begin to end; up to now while its incident fails' }),
  failing_seconds: t.Number({
    description: 'seconds of it in which more failed than the target allows: without what was good in between',
  }),
  stretches: t.Array(t.Object({ began_at: t.String(), ended_at: t.String() }), {
    description: `begin and end of each time in which it failed, in order; of more than ${maxStretches}, one from its begin to its end`,
  }),
  resolution_seconds: t.Number({
    description:
      'how exact begin, end and peak are: 60; the interval of the samples, in whole minutes, where they are further apart; or 3600 or 86400 where the ledger has no minutes of that time and the source no longer has its data',
  }),
  bad_events: t.Number({ description: 'how many failed, in the unit of the answer' }),
  total_events: t.Number({ description: 'how many there were, in the unit of the answer' }),
  peak_percent: t.Number({
    description: 'the highest share of failures in one minute, hour or day, or between two samples, in percent',
  }),
  budget_used_percent: t.Number({
    description:
      'its share of the budget used now, without what corrections leave out: in percent of the error budget of the window, as the field of the whole answer. ' +
      'The `budget_percent` of GET /incidents/:id is what it had cost by its end',
  }),
}

const unit = OneOf(['events', 'seconds'])

const CauseFields = t.Nullable(t.Object({ label: t.String(), value: t.String() }), {
  description:
    'the value that explains its failures best; null until its breakdown was requested, and where no value does',
})

export const IncidentsResponse = t.Object(
  {
    slo_id: t.Number(),
    target: t.Number(),
    window_seconds: WindowSeconds,
    unit,
    start_time: t.String(),
    end_time: t.String(),
    budget_used_percent: MaybeNumber,
    ...WindowBudgetFields,
    background_percent: MaybeNumber,
    incidents: t.Array(
      t.Object({
        id: t.Nullable(t.Number({ description: 'the incident of its alerts; null: no alert saw it' })),
        severity: t.Nullable(
          OneOf(['warning', 'critical'], 'of the incident of its alerts, the highest that it has had'),
        ),
        ...incident,
        cause: CauseFields,
      }),
    ),
  },
  { title: 'Incidents' },
)

const BrokenDownLabel = t.Object(
  {
    label: t.String(),
    selects_failures: t.Boolean({ description: 'the query of the SLO itself selects failures by this label' }),
    explains: t.Boolean({ description: 'failures differ between its values more than chance brings about' }),
    values_needed: t.Number({ description: 'how many of the values, the worst first, make up 80 % of the excess' }),
    excess_percent: t.Number({
      description: 'percent of all failures: those beyond the share of traffic of each value',
    }),
    values: t.Array(
      t.Object({
        value: t.String({ description: 'empty for series without the label' }),
        bad_events: t.Number(),
        total_events: MaybeNumber,
        failures_percent: t.Number(),
        traffic_percent: MaybeNumber,
      }),
      {
        description:
          'those that fail most beyond their share of traffic first; without traffic where only failures have the label',
      },
    ),
  },
  { title: 'BrokenDownLabel' },
)

export const BreakdownResponse = t.Object(
  {
    slo_id: t.Number(),
    unit,
    ...incident,
    possible: t.Boolean(),
    reason: t.Nullable(t.String({ description: 'why it is not possible' })),
    labels: t.Array(BrokenDownLabel, { description: 'the label that explains the failures best first' }),
  },
  { title: 'IncidentBreakdown' },
)

type CauseOf = (slo: SloRow, incident: BudgetIncident) => BreakdownCause | null

/**
 * Presents incidents of the budget. Each has the id of the latest incident of alerts that overlaps it, and the begin and end of that one
 * where they differ by less than the resolution.
 */
export function presentIncidents(
  result: BudgetIncidents,
  causeOf: CauseOf,
  nowSeconds: number,
): typeof IncidentsResponse.static {
  const { slo, countsEvents, startSeconds, endSeconds, usedPercent, backgroundPercent } = result
  return {
    slo_id: slo.id,
    target: slo.target,
    window_seconds: result.windowSeconds,
    unit: unitOf(countsEvents),
    start_time: isoTime(startSeconds * 1000),
    end_time: isoTime(endSeconds * 1000),
    budget_used_percent: usedPercent,
    ...presentWindowBudget(result.windowBudget),
    background_percent: backgroundPercent,
    incidents: result.incidents
      .toSorted((a, b) => b.sharePercent - a.sharePercent)
      .map((one) => {
        const { id = null, severity = null } = spanOf(one, result.spans) ?? {}
        return { id, severity, ...presentIncident(one, result.spans, nowSeconds), cause: causeOf(slo, one) }
      }),
  }
}

function spanOf(
  { startSeconds, endSeconds }: BudgetIncident,
  spans: readonly IncidentSpan[],
): IncidentSpan | undefined {
  return spans.findLast(
    ({ began_at, ended_at }) => began_at < endSeconds && (ended_at === null || ended_at > startSeconds),
  )
}

export function presentBreakdown(result: IncidentBreakdown, nowSeconds: number): typeof BreakdownResponse.static {
  const { slo, countsEvents, spans, incident, breakdown } = result
  return {
    slo_id: slo.id,
    unit: unitOf(countsEvents),
    ...presentIncident(incident, spans, nowSeconds),
    possible: 'labels' in breakdown,
    reason: 'reason' in breakdown ? breakdown.reason : null,
    labels: 'labels' in breakdown ? breakdown.labels.map(presentLabel) : [],
  }
}

const unitOf = (countsEvents: boolean) => (countsEvents ? 'events' : 'seconds')

function presentIncident(one: BudgetIncident, spans: readonly IncidentSpan[], nowSeconds: number) {
  const span = spanOf(one, spans)
  const exact = (rounded: number, known: number | null | undefined) =>
    Math.min(nowSeconds, known && Math.abs(known - rounded) < one.resolutionSeconds ? known : rounded)
  const startSeconds = exact(one.startSeconds, span?.began_at)
  const times = { startSeconds, endSeconds: Math.max(startSeconds, exact(one.endSeconds, span?.ended_at)) }
  const isFailing = span?.ended_at === null && one.isOngoing
  const stretches = one.stretches.map((stretch) => ({
    startSeconds: stretch.startSeconds === one.startSeconds ? startSeconds : stretch.startSeconds,
    endSeconds: stretch.endSeconds === one.endSeconds ? times.endSeconds : stretch.endSeconds,
  }))
  return {
    key: String(one.startSeconds),
    ...presentTimes(times),
    ongoing: one.isOngoing,
    duration_seconds: (isFailing ? nowSeconds : times.endSeconds) - times.startSeconds,
    failing_seconds: stretches.reduce((sum, stretch) => sum + secondsOf(stretch), 0),
    stretches: (stretches.length > maxStretches ? [times] : stretches).map(presentTimes),
    resolution_seconds: one.resolutionSeconds,
    bad_events: round10(one.bad),
    total_events: round10(one.total),
    peak_percent: round10(100 * one.peak),
    budget_used_percent: one.sharePercent,
  }
}

const secondsOf = ({ startSeconds, endSeconds }: Stretch) => endSeconds - startSeconds

function presentTimes({ startSeconds, endSeconds }: Stretch) {
  return { began_at: isoTime(startSeconds * 1000), ended_at: isoTime(endSeconds * 1000) }
}

function presentLabel({ label, isSelecting, explains, needed, excessPercent, values }: LabelShares) {
  return {
    label,
    selects_failures: isSelecting,
    explains,
    values_needed: needed,
    excess_percent: round10(excessPercent),
    values: values.map((one) => ({
      value: one.value,
      bad_events: round10(one.bad),
      total_events: one.total === null ? null : round10(one.total),
      failures_percent: round10(one.failuresPercent),
      traffic_percent: one.trafficPercent === null ? null : round10(one.trafficPercent),
    })),
  }
}
