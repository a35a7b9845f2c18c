import { LRUCache } from 'lru-cache'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import { notFound } from '../errors.ts'
import type { SloRow } from '../db/tables/tables.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { openSource } from '../sources/store.ts'
import { type LabelShares, rankLabels, valuesCompared } from './breakdown.ts'
import { countByLabel, selectingLabels } from './breakdown-series.ts'
import type { BudgetIncident, BudgetIncidents, IncidentDeps } from './budget-incidents.ts'

/** Common labels of an incident's failures, or a sentence why there is no breakdown. */
export type Breakdown = { reason: string } | { labels: LabelShares[] }

export type IncidentBreakdown = Pick<BudgetIncidents, 'slo' | 'countsEvents' | 'spans'> & {
  incident: BudgetIncident
  breakdown: Breakdown
}

export type BreakdownCause = { label: string; value: string }

const maxLabels = 20
const maxCachedCharacters = 8_000_000
const charactersPerValue = 100
const freshMs = 30_000

type Deps = Omit<IncidentDeps, 'listSpans'> & {
  budgetIncidents: (organizationId: number, sloId: number) => Promise<BudgetIncidents>
}

/**
 * Breaks down the incident that includes the second `keySeconds`. A breakdown is kept for good once the incident is over,
 * because its data does not change any more; any other result is kept for half a minute. Throws `not_found` and the source's
 * errors.
 */
export function createIncidentBreakdown({ budgetIncidents, ...deps }: Deps) {
  const { clock, planner } = deps
  const cache = new LRUCache<string, Breakdown>({
    maxSize: maxCachedCharacters,
    sizeCalculation: sizeOf,
    perf: clock,
    ttlResolution: 0,
  })
  const singleFlight = createSingleFlight<Breakdown>()

  async function breakDown(slo: SloRow, { startSeconds, endSeconds }: BudgetIncident): Promise<Breakdown> {
    const planned = planner.plan(slo)
    if (!planned.plan.counters && planned.plan.selectorsOfUnknownKind.length === 0)
      return { reason: reasonOf(planned.plan) }
    const source = await openSource(deps, slo.organization_id, slo.source_id)
    const { plan } = await planner.resolveMetricKinds(source, planned, endSeconds)
    if (!plan.counters) return { reason: reasonOf(plan) }
    const { seriesCount, labels } = await countByLabel(source, { counters: plan.counters, startSeconds, endSeconds })
    if (seriesCount === 0) return { reason: reasons.countersGone }
    if (seriesCount === 1) return { reason: reasons.oneSeries }
    const ranked = rankLabels(labels, { counts: plan.counters.counts, selecting: selectingLabels(plan.counters) })
    return ranked.length > 0 ? { labels: ranked.slice(0, maxLabels) } : { reason: reasons.nothingToCompare }
  }

  return {
    async breakdownOf(organizationId: number, sloId: number, keySeconds: number): Promise<IncidentBreakdown> {
      const incidents = await budgetIncidents(organizationId, sloId)
      const { slo } = incidents
      const incident = incidentAt(incidents, keySeconds)
      if (!incident) throw notFound('Incident')
      const key = keyOf(slo, incident)
      const work = async () => {
        const breakdown = await breakDown(slo, incident)
        // A source that has lost its counters may be repaired.
        const isPast = 'labels' in breakdown && !incident.isOngoing
        cache.set(key, breakdown, isPast ? {} : { ttl: freshMs })
        return breakdown
      }
      return { ...incidents, incident, breakdown: cache.get(key) ?? (await singleFlight.join(key, work)) }
    },
    /** Value that explains an incident best, if its breakdown is known already; sends no query. */
    causeOf(slo: SloRow, incident: BudgetIncident): BreakdownCause | null {
      const cached = cache.get(keyOf(slo, incident))
      const first = cached && 'labels' in cached ? cached.labels[0] : undefined
      const value = first?.explains ? first.values[0] : undefined
      return first && value ? { label: first.label, value: value.value } : null
    },
  }
}

/**
 * Incident that includes a second. If none does, and a coarse incident (from whole hours, as listed before its minutes were read)
 * began at that second, the incident with the most failures of those that overlap the coarse one.
 */
function incidentAt({ incidents, coarse }: BudgetIncidents, keySeconds: number): BudgetIncident | undefined {
  const found = incidents.find(({ startSeconds, endSeconds }) => startSeconds <= keySeconds && keySeconds < endSeconds)
  const listed = coarse.find(({ startSeconds }) => startSeconds === keySeconds)
  if (found || !listed) return found
  const parts = incidents.filter(
    ({ startSeconds, endSeconds }) => startSeconds < listed.endSeconds && endSeconds > listed.startSeconds,
  )
  return parts.toSorted((one, other) => other.bad - one.bad)[0]
}

function keyOf(slo: SloRow, { startSeconds, endSeconds }: BudgetIncident): string {
  return [slo.id, slo.revision, startSeconds, endSeconds].join(' ')
}

const reasons = {
  assessed: 'This SLI is the share of time in which a threshold holds. It counts no events that labels could separate.',
  mean: 'This SLI is a mean over time. It counts no events that labels could separate.',
  noCounters: 'The query of this SLI is not a ratio of sums of counters, so its events cannot be separated by label.',
  countersGone: 'The source no longer has the counters of that time.',
  oneSeries: 'All events are counted in one series, so there is nothing to compare.',
  nothingToCompare: `No label of the series has ${valuesCompared.min} to ${valuesCompared.max} values between which failures can be compared.`,
}

function reasonOf({ isAssessed, sides }: SliPlan): string {
  if (isAssessed) return reasons.assessed
  return sides ? reasons.noCounters : reasons.mean
}

/** Approximate size in characters. */
function sizeOf(breakdown: Breakdown): number {
  if ('reason' in breakdown) return charactersPerValue
  const values = breakdown.labels.flatMap(({ label, values }) => [{ value: label }, ...values])
  return values.reduce((sum, { value }) => sum + value.length + charactersPerValue, 0)
}
