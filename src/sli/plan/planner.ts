import { type Clock, hourMs } from '../../clock.ts'
import { createYielder } from '../../concurrency/yielder.ts'
import type { Database } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { parseComposite } from '../../slos/arithmetic/composite.ts'
import { ownWindow } from '../../slos/arithmetic/own-window.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import type { TimeSpan } from '../../slos/corrections/spans.ts'
import { createQuerySession } from '../../sources/query-session.ts'
import type { Source } from '../../sources/source.ts'
import { measure } from '../measure.ts'
import { inferUnit, unitOfPlan } from '../sli.ts'
import { isNamedCounter } from '../../promql/analysis/counters/raw-counters.ts'
import { type InferredKind, inferMetricKinds, kindsOf, metricOf } from './metric-kinds.ts'
import { type PlannedSlo, planSli, type SliPlan } from './plan.ts'

/** Plans how each SLO is measured, once for each revision, which begins with a change of its queries. */
export type Planner = {
  /** Plan of an SLO; without sides if these were found not to reproduce the whole. */
  plan(slo: SloRow): PlannedSlo
  /** Plans of SLOs, in their order. Yields to the event loop: a long query takes several milliseconds. */
  planAll(slos: readonly SloRow[]): Promise<PlannedSlo[]>
  /** Queries the source for metric kinds that the plan depends on, until they are certain; returns the updated plan. */
  resolveMetricKinds(source: Source, planned: PlannedSlo, atSeconds: number): Promise<PlannedSlo>
  /**
   * Runs `resolveMetricKinds`, and finds out once for each SLO if its sides reproduce the whole, or what the unit of its values is. A
   * unit that is still unknown is inferred from the values of `past`, before these are measured.
   */
  verify(source: Source, planned: PlannedSlo[], atSeconds: number, past?: TimeSpan): Promise<PlannedSlo[]>
  /**
   * True if the sides are sums that were found to reproduce the whole, so that they can stand for it. False for an hour after
   * the source rejected a query of both.
   */
  isReproduced(planned: PlannedSlo): boolean
  /** Records that the source rejected a query of both sides, and answered the whole. */
  recordRefusal(planned: PlannedSlo): void
  /** Records that the sides of this plan reproduced the whole. */
  recordReproduction(planned: PlannedSlo): void
}

/** Plan of an SLO. `triedAt`: last attempt to verify it; `decidedAt`: last query for metric kinds; both in Unix seconds. */
type PlannerEntry = {
  revision: number
  plan: SliPlan
  kinds: Map<string, InferredKind>
  decidedAt: number
  isVerified: boolean
  triedAt: number
}

const verifiedOverSeconds = 3600
const tryAgainSeconds = 3600

/**
 * Seconds until metric kinds are queried again. `named`: all have counter names, so only metadata is queried; `ambiguous`: values
 * changed too little to decide; `silent`: some had no answer.
 */
const decideAgainSeconds = { named: 3600, ambiguous: 300, silent: 60 }

const refusedForMs = hourMs
const maxRefusals = 10_000

/** Key of a source as its SLOs refer to it. */
const sourceKeyOf = ({ slo }: PlannedSlo) => `${slo.organization_id} ${slo.source_id ?? 'default'}`

export function createPlanner({ db, clock }: { db: Database; clock: Clock }): Planner {
  const entries = new Map<number, PlannerEntry>()
  const refusedAtMs = new Map<string, number>()

  function entryOf(slo: SloRow): PlannerEntry {
    const known = entries.get(slo.id)
    if (known?.revision === slo.revision) return known
    return addEntry(slo, { kinds: new Map(), decidedAt: 0 })
  }

  function addEntry(slo: SloRow, { kinds, decidedAt }: Pick<PlannerEntry, 'kinds' | 'decidedAt'>): PlannerEntry {
    const plan = { ...planSli(slo, kindsOf(kinds)), composite: parseComposite(slo) }
    const isKnown = plan.counters === null && unitOfPlan(plan, slo, []) !== null
    const isVerified = isKnown || plan.isRawQuantity
    const entry = { revision: slo.revision, plan, kinds, decidedAt, isVerified, triedAt: 0 }
    entries.set(slo.id, entry)
    return entry
  }

  const plan = (slo: SloRow): PlannedSlo => ({ slo, plan: entryOf(slo).plan })

  async function resolveMetricKinds(source: Source, { slo }: PlannedSlo, atSeconds: number): Promise<PlannedSlo> {
    const { plan, kinds, decidedAt } = entryOf(slo)
    const undecided = plan.selectorsOfUnknownKind.filter((selector) => !kinds.get(selector)?.isSure)
    const unnamed = undecided.filter((selector) => !isNamedCounter(metricOf(selector)))
    const isSilent = unnamed.some((selector) => !kinds.has(selector))
    const waitSeconds = decideAgainSeconds[unnamed.length === 0 ? 'named' : isSilent ? 'silent' : 'ambiguous']
    if (undecided.length === 0 || Math.abs(atSeconds - decidedAt) < waitSeconds) return { slo, plan }
    const decided = await inferMetricKinds(source, undecided, atSeconds)
    const isNew = [...decided].some(([selector, { kind }]) => kinds.get(selector)?.kind !== kind)
    const all = new Map([...kinds, ...decided])
    if (isNew) return { slo, plan: addEntry(slo, { kinds: all, decidedAt: atSeconds }).plan }
    Object.assign(entryOf(slo), { kinds: all, decidedAt: atSeconds })
    return { slo, plan }
  }

  async function verifyOne(source: Source, planned: PlannedSlo, atSeconds: number): Promise<PlannedSlo> {
    const { slo, plan } = await resolveMetricKinds(source, planned, atSeconds)
    const entry = entryOf(slo)
    if (entry.isVerified || Math.abs(atSeconds - entry.triedAt) < tryAgainSeconds) return { slo, plan: entry.plan }
    const session = createQuerySession({ source, clock })
    const own = ownWindow(slo, atSeconds)
    const seconds = plan.counters ? verifiedOverSeconds : own.seconds
    const options = { windowSeconds: seconds, endSeconds: atSeconds, withCounts: true, withCoverage: false }
    const measurement = await measure(session.over(own.name), plan, options)
    entry.triedAt = atSeconds
    if (session.isPartial || !('value' in measurement.result)) return { slo, plan }
    if (plan.counters) {
      entry.isVerified = true
      if (measurement.counts === null) entry.plan = { ...plan, sides: null, counters: null }
    }
    const unit = await inferUnit(db, slo, plan, [measurement])
    entry.isVerified ||= unit !== null
    return { slo: { ...slo, inferred_unit: unit ?? slo.inferred_unit }, plan: entry.plan }
  }

  /** Infers the unit of values, if it is unknown, from those of a span. */
  async function inferUnitIn(source: Source, planned: PlannedSlo, { startSeconds, endSeconds }: TimeSpan) {
    const { slo, plan } = planned
    if (plan.isRawQuantity || unitOfPlan(plan, slo, []) !== null) return planned
    const seconds = endSeconds - startSeconds
    const session = createQuerySession({ source, clock })
    const options = { windowSeconds: seconds, endSeconds, withCounts: false, withCoverage: false }
    const measurement = await measure(session.over(windowName(seconds)), plan, options)
    const unit = session.isPartial ? null : await inferUnit(db, slo, plan, [measurement])
    return { slo: { ...slo, inferred_unit: unit ?? slo.inferred_unit }, plan }
  }

  /** State of a plan whose sides are sums (`isVerified`: they reproduce the whole); null if the SLO has a newer plan. */
  const sumsOf = ({ slo, plan }: PlannedSlo) => {
    const entry = entryOf(slo)
    return plan.areSums && entry.plan === plan ? entry : null
  }

  const isRefused = (planned: PlannedSlo) => {
    const atMs = refusedAtMs.get(sourceKeyOf(planned))
    return atMs !== undefined && Math.abs(clock.now() - atMs) < refusedForMs
  }

  async function planAll(slos: readonly SloRow[]): Promise<PlannedSlo[]> {
    const yielder = createYielder(1)
    const planned: PlannedSlo[] = []
    for (const slo of slos) {
      planned.push(plan(slo))
      if (yielder.isDue()) await yielder.next()
    }
    return planned
  }

  return {
    plan,
    planAll,
    resolveMetricKinds,
    isReproduced: (planned) => sumsOf(planned)?.isVerified === true && !isRefused(planned),
    recordRefusal(planned) {
      if (refusedAtMs.size >= maxRefusals) refusedAtMs.clear()
      refusedAtMs.set(sourceKeyOf(planned), clock.now())
    },
    recordReproduction(planned) {
      const entry = sumsOf(planned)
      if (entry) entry.isVerified = true
    },
    verify: (source, planned, atSeconds, past) =>
      Promise.all(
        planned.map(async (one) => {
          try {
            const verified = await verifyOne(source, one, atSeconds)
            return past ? await inferUnitIn(source, verified, past) : verified
          } catch (error) {
            if (error instanceof AppError) return one // the same error follows when the value is queried
            throw error
          }
        }),
      ),
  }
}
