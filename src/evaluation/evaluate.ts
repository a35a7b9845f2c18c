import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, stopwatch } from '../clock.ts'
import { inChunks } from '../concurrency/chunks.ts'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { AppError, isDatabaseDamaged } from '../errors.ts'
import { ceilTo, type MeasuredBuckets, minute } from '../ledger/bucket.ts'
import type { StoredComposite } from '../ledger/composite-store.ts'
import { minutesToMeasure } from '../ledger/ledger-store.ts'
import { masksOf } from '../ledger/excluded/masks.ts'
import { ledgerCacheOf } from '../ledger/memory/ledger-cache.ts'
import { putBucketsAndCache, cacheRecentMinutes } from '../ledger/memory/cache-minutes.ts'
import { measureLedger } from '../ledger/measure/measure-ledger.ts'
import {
  dropIntervalsAhead,
  expectIntervals,
  expectShorterIntervals,
  knownIntervals,
} from '../ledger/sample-intervals.ts'
import { type SloRates, sumRates } from '../ledger/window-sums.ts'
import type { PlannedSlo, SliPlan } from '../sli/plan/plan.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { noData } from '../sli/sli.ts'
import { tiersOf } from '../slos/alerting/tiers.ts'
import { assess, errorBudget } from '../slos/arithmetic/budget.ts'
import { burnRatesOf, existingRateOf } from '../slos/arithmetic/burn-rates.ts'
import { ownWindow, shareOfOwnWindow } from '../slos/arithmetic/own-window.ts'
import type { RecentBurn } from '../slos/arithmetic/state.ts'
import { currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { withSharedDeadline, type Source } from '../sources/source.ts'
import { type AlertRaiser, type Evaluation, type FailureCause, putEvaluations } from './evaluation-store.ts'
import { applyCorrections } from './corrections/apply-corrections.ts'
import { exclusionAt } from './corrections/excluded.ts'
import { allExcluded, withoutExcluded } from './corrections/without-excluded.ts'
import { type FrozenMemory, freezePeriods } from './freeze-periods.ts'
import { outageOf, probesReadBy, type ProbeStatus } from './outage.ts'
import { type Chunk, failedValues, type Memory, measureValues, type Values } from './measure-values.ts'

export type EvaluateDeps = {
  db: Database
  clock: Clock
  planner: Planner
  memory: Memory & { frozen: FrozenMemory }
  alerts: AlertRaiser
  findCauses: CauseFinder
  /** Active probes of an organization's embedded source; null until they have been read. */
  probesOf: (organizationId: number) => readonly ProbeStatus[] | null
}

/** Planned SLO. `counters` null: it has none, so no label explains its failures. */
type Countable = { slo: Pick<SloRow, 'id'>; plan: Pick<SliPlan, 'counters'> }

/**
 * Finds the causes of failures of those SLOs of a chunk that burn, by SLO id, as last answered; undefined: not known; null: no
 * label explains the failures. Takes little time. Made by `createCauseFinder` in `insight/current-cause.ts`.
 */
export type CauseFinder = (
  chunk: Pick<Chunk, 'source' | 'atSeconds'> & { planned: readonly Countable[] },
  evaluations: readonly Evaluation[],
) => Promise<(sloId: number) => FailureCause | null | undefined>

/** Evaluations of a chunk. `isSilent`: the source answered for none of the SLOs. */
export type Evaluated = { evaluations: Evaluation[]; isSilent: boolean }

const readBatchSize = 50
const writeBatchSize = 1000
const changedBatchSize = 50

/**
 * Evaluates SLOs of one source together and stores the results: minutes in the ledger, then SLI, budget, burn rates and status
 * of each SLO. An SLO is stored as `source_error` if the source does not answer for it, or if a damaged database prevents its
 * evaluation. Such an SLO does not hold up the others.
 */
export async function evaluateChunk(deps: EvaluateDeps, chunk: Chunk): Promise<Evaluated> {
  const parts = await aroundDamage(
    chunk.planned,
    async (planned) => [await measureChunk(deps, { ...chunk, planned })],
    ({ slo }, error) => [{ evaluations: [unreadable(slo, error, chunk.atSeconds, deps.clock.now())], isSilent: false }],
  )
  const evaluations = parts.flatMap((part) => part.evaluations)
  await store(deps, chunk, evaluations)
  await freezePeriods(deps, chunk)
  return { evaluations, isSilent: parts.every(({ isSilent }) => isSilent) }
}

async function measureChunk(deps: EvaluateDeps, chunk: Chunk): Promise<Evaluated> {
  const { db, clock } = deps
  const { source, atSeconds } = chunk
  const beganMs = stopwatch.now()
  // Concurrent queries share one timeout. Each later step has a new one, or one slow query would use up the time of all.
  const planned = await deps.planner.verify(withSharedDeadline(source), chunk.planned, atSeconds)
  dropIntervalsAhead(source, atSeconds)
  expectScheduledIntervals(deps, { ...chunk, planned })
  await applyCorrections(deps, source, planned) // queries of days take a timeout each
  const minutes = await bringLedgerUpTo(db, withSharedDeadline(source), planned, atSeconds)
  const measuredValues = await measureValues(deps, { ...chunk, planned }, minutes)
  const values = await withoutExcluded(deps, planned, atSeconds, measuredValues, minutes)
  const rates = await readRates(db, planned, minutes, atSeconds)
  const sparse = planned.filter(({ slo }) =>
    dropValuesOfShortWindows(slo, minutes.get(slo.id), rates.get(slo.id), values),
  )
  const sparseCounters = sparse.flatMap(({ plan }) => plan.counters?.total.map(({ counter }) => counter) ?? [])
  expectShorterIntervals(source, sparseCounters, atSeconds)
  const evaluatedAtMs = clock.now()
  const durationMs = Math.round(stopwatch.now() - beganMs)
  const masks = await masksOf(db)
  const measured = planned.map(({ slo }) => ({
    ...evaluationOf(slo, values.get(slo.id) ?? missing, rates.get(slo.id), atSeconds, evaluatedAtMs),
    exclusion: exclusionAt(masks, slo.id, evaluatedAtMs),
    excludedAtMs: masks.appliedAtMs(slo.id),
    recent: recentOf(recentSeconds(minutes.get(slo.id)), rates.get(slo.id)),
    durationMs,
  }))
  const causeOf = await deps.findCauses({ source, planned, atSeconds }, measured)
  const evaluations = measured.map((one) => {
    const cause = causeOf(one.sloId)
    return cause === undefined ? one : { ...one, cause }
  })
  return { evaluations, isSilent: isSourceSilent(planned, values) }
}

/** Makes the first checks of embedded probes count by the intervals of their schedules, which their samples do not yet show. */
function expectScheduledIntervals({ probesOf }: EvaluateDeps, { isEmbedded, planned, source, atSeconds }: Chunk): void {
  if (!isEmbedded) return
  const known = new Map<number, readonly ProbeStatus[]>()
  for (const { slo, plan } of planned) {
    if (!plan.probes || !plan.samples || knownIntervals(source, plan.samples.selector)) continue
    const probes = known.getOrInsertComputed(slo.organization_id, (id) => probesOf(id) ?? [])
    const seconds = probesReadBy(plan.probes, probes).map(({ intervalMs }) => intervalMs / 1000)
    if (seconds.length === 0) continue
    const intervals = { shortestSeconds: Math.min(...seconds), longestSeconds: Math.max(...seconds) }
    expectIntervals(source, plan.samples.selector, intervals, atSeconds)
  }
}

/** Measures the minutes that each SLO is missing up to now; SLOs missing the same minutes are measured together. */
async function bringLedgerUpTo(
  db: Database,
  source: Source,
  planned: PlannedSlo[],
  atSeconds: number,
): Promise<Map<number, MeasuredBuckets>> {
  await cacheRecentMinutes(db, planned, atSeconds)
  const starts = await minutesToMeasure(db.read, planned, atSeconds)
  const groups = Map.groupBy(planned, ({ slo }) => starts.get(slo.id) ?? atSeconds)
  const measured = await Promise.all(
    [...groups].map(([startSeconds, group]) =>
      measureLedger(source, group, { resolution: minute, startSeconds, endSeconds: atSeconds }),
    ),
  )
  const bySlo = new Map(measured.flatMap((results) => [...results]))
  const rows = planned.flatMap(({ slo: { id: sloId, revision } }) => {
    const result = bySlo.get(sloId)
    if (!result || 'error' in result) return []
    return result.buckets.map((bucket) => ({ ...bucket, sloId, revision, resolution: minute }))
  })
  for (const chunk of inChunks(rows, writeBatchSize)) {
    await putBucketsAndCache(db, chunk)
    await yieldToEventLoop() // SQLite is synchronous, and a new SLO brings an hour of minutes: other requests run in between
  }
  return bySlo
}

/**
 * Burn rates of the tiers' windows, and the coverage of both SLI windows. They are sums over the ledger, so the source's
 * retention does not matter. `compositeOf`: the composite that an SLO is, with its members.
 */
export async function readRates(
  db: Database,
  planned: PlannedSlo[],
  minutes: Map<number, MeasuredBuckets>,
  atSeconds: number,
  compositeOf?: (slo: SloRow) => StoredComposite | undefined,
): Promise<Map<number, SloRates>> {
  const requests = planned.map((one) => {
    const { own, current } = windowsOf(one.slo, atSeconds)
    const tierSeconds = tiersOf(one.slo).flatMap(({ longSeconds, shortSeconds }) => [longSeconds, shortSeconds])
    const recent = recentSeconds(minutes.get(one.slo.id))
    const composite = compositeOf?.(one.slo)
    const lengths = [...new Set([own, current, recent, ...tierSeconds])]
    return { planned: one, lengths, ...(composite && { composite }) }
  })
  const rates = new Map<number, SloRates>()
  for (const chunk of inChunks(requests, readBatchSize)) {
    for (const [id, sloRates] of await sumRates(db.read, chunk, atSeconds, ledgerCacheOf(db))) rates.set(id, sloRates)
    await yieldToEventLoop() // other requests run in between
  }
  return rates
}

/** Length of the window for the newest burn rate: 5 minutes, or two intervals of the samples if those are longer. */
export function recentSeconds(minutes: MeasuredBuckets | undefined): number {
  const { intervalSeconds = 0 } = minutes && 'buckets' in minutes ? minutes : {}
  return Math.max(5 * minute, ceilTo(2 * intervalSeconds, minute))
}

/** Burn rate over the last `seconds`; null: they were not summed. */
export function recentOf(seconds: number, ledger: SloRates | undefined): RecentBurn | null {
  const rate = ledger?.rates.get(seconds)
  if (!rate) return null
  const hasTraffic = rate.totalEvents === null ? rate.coverage > 0 : rate.totalEvents > 0
  return {
    seconds,
    rate: hasTraffic ? existingRateOf(rate) : null,
    events: rate.totalEvents,
    badEvents: rate.badEvents,
    isBeyondChance: rate.isBeyondChance,
    isCovered: rate.coverage > 0,
  }
}

/**
 * Sets values over windows shorter than two sample intervals to unknown: such a window may hold one sample or none. Returns true if
 * there is such a window.
 */
function dropValuesOfShortWindows(
  slo: SloRow,
  minutes: MeasuredBuckets | undefined,
  ledger: SloRates | undefined,
  values: Map<number, Values>,
): boolean {
  const { intervalSeconds = 0 } = minutes && 'buckets' in minutes ? minutes : {}
  const isShort = (seconds: number) => seconds < 2 * intervalSeconds
  const short = [...(ledger?.rates ?? [])].filter(([seconds]) => isShort(seconds))
  for (const [seconds, { partial: _, ...rate }] of short) {
    ledger?.rates.set(seconds, { ...rate, ...unknownRate, hasTooFewSamples: true })
  }
  const sloValues = values.get(slo.id)
  if (sloValues && 'percent' in sloValues.current && isShort(currentSeconds(slo))) sloValues.current = noData
  return short.length > 0
}

function windowsOf(slo: SloRow, atSeconds: number): { own: number; current: number } {
  return { own: ownWindow(slo, atSeconds).seconds, current: currentSeconds(slo) }
}

function currentSeconds({ time_window }: SloRow): number {
  return windowSeconds(currentWindow(time_window))
}

/** Evaluation from measured values, and from the rates of the ledger, if these are known. */
export function evaluationOf(
  slo: SloRow,
  { current, own, events, note, currentMinute }: Values,
  ledger: SloRates | undefined,
  atSeconds: number,
  evaluatedAtMs: number,
): Evaluation {
  const failure = failureOf(current)
  const budget = errorBudget(percentOf(own), slo.target)
  const windows = windowsOf(slo, atSeconds)
  const { rates, reach } = ledger ?? {}
  const firstSeconds = reach?.firstSeconds ?? null
  const endSeconds = atSeconds + (currentMinute?.coveredSeconds ?? 0)
  return {
    sloId: slo.id,
    organizationId: slo.organization_id,
    revision: slo.revision,
    sloUpdatedAtMs: slo.updated_at,
    atSeconds,
    ...(currentMinute && { currentMinute }),
    evaluatedAtMs,
    status: assess(percentOf(current), slo.target, budget.percentageUsed),
    ...(failure ?? reasonOf(current, own, note)),
    isFailed: failure !== null,
    isCurrentExcluded: current === allExcluded,
    current: percentOf(current),
    own: percentOf(own),
    budgetUsed: budget.percentageUsed,
    windowShare: reach ? shareOfOwnWindow(reach, ownWindow(slo, endSeconds)) : null,
    firstSampleAtMs: firstSeconds === null ? null : 1000 * firstSeconds,
    goodEvents: events?.good ?? null,
    totalEvents: events?.total ?? null,
    currentCoverage: rates?.get(windows.current)?.coverage ?? null,
    ownCoverage: rates?.get(windows.own)?.coverage ?? null,
    outage: null,
    recent: null,
    burnRates: rates ? burnRatesOf(tiersOf(slo), (seconds) => rates.get(seconds) ?? unknownRate) : [],
    durationMs: null,
  }
}

const unknownRate = { rate: null, badEvents: null }

function unreadable(slo: SloRow, error: unknown, atSeconds: number, evaluatedAtMs: number): Evaluation {
  if (!(error instanceof AppError)) throw error
  return evaluationOf(slo, failedValues(error), undefined, atSeconds, evaluatedAtMs)
}

const missing = failedValues(new AppError('source_unavailable', 'Metrics source did not answer'))

/** True if SLOs were queried and the source answered for none of them. Refusals and damaged source data count as answers. */
function isSourceSilent(planned: PlannedSlo[], values: Map<number, Values>): boolean {
  const queried = planned.filter(({ plan }) => !plan.isRawQuantity)
  const isUnanswered = ({ slo }: PlannedSlo) => {
    const current = values.get(slo.id)?.current
    if (!current || !('error' in current)) return false
    return current.error.kind !== 'source_refused' && !isDatabaseDamaged(current.error)
  }
  return queried.length > 0 && queried.every(isUnanswered)
}

/**
 * Stores evaluations and raises their alerts. If damage prevents reading or writing alerts, the evaluation is stored without
 * them. An evaluation that cannot be stored is skipped.
 */
export async function store(deps: EvaluateDeps, chunk: Chunk, evaluations: Evaluation[]): Promise<void> {
  const { db, alerts } = deps
  const put = async (some: Evaluation[]) => {
    const read = new Set<ProbeStatus>()
    await db.write.transaction().execute(async (trx) => {
      await putEvaluations(trx, some)
      await alerts.raiseAlerts(trx, withOutages(deps, chunk, some, read))
    })
    for (const { onStored } of read) onStored?.()
    return []
  }
  const withoutAlerts: Evaluation[] = []
  for (const batch of batchesToStore(deps, chunk, evaluations)) {
    withoutAlerts.push(...(await aroundDamage<Evaluation, Evaluation>(batch, put, (one) => [one])))
    await yieldToEventLoop() // an incident that opens takes a millisecond: other requests run in between
  }
  for (const one of withoutAlerts) {
    const stored = db.write.transaction().execute((trx) => putEvaluations(trx, [one]))
    await stored.catch((error: unknown) => {
      if (!isDatabaseDamaged(error)) throw error
    })
  }
}

/** Batches that are each stored in one transaction: smaller ones of SLOs whose alerts may change, which takes longer. */
function batchesToStore(deps: EvaluateDeps, chunk: Chunk, evaluations: Evaluation[]): Evaluation[][] {
  const { outcomes } = deps.memory
  const hasChanged = ({ sloId, status, outage, recent, burnRates }: Evaluation) => {
    const outcome = [status, outage?.isDown, (recent?.rate ?? 0) > 0, ...burnRates.map(({ firing }) => firing)].join()
    const previous = outcomes.get(sloId)
    outcomes.set(sloId, outcome)
    return previous === undefined ? status !== 'healthy' : outcome !== previous
  }
  const changed = new Set(withOutages(deps, chunk, evaluations).flatMap((one) => (hasChanged(one) ? [one.sloId] : [])))
  const same = evaluations.filter(({ sloId }) => !changed.has(sloId))
  const others = evaluations.filter(({ sloId }) => changed.has(sloId))
  return [...(same.length > 0 ? [same] : []), ...inChunks(others, changedBatchSize)]
}

/**
 * Adds the present outages: an evaluation that began before a change of its probes must not undo what followed from it. `read`:
 * receives the statuses whose `onStored` is to be called.
 */
function withOutages(
  { probesOf }: EvaluateDeps,
  { isEmbedded, planned }: Chunk,
  evaluations: Evaluation[],
  read?: Set<ProbeStatus>,
): Evaluation[] {
  if (!isEmbedded) return evaluations
  const planOf = new Map(planned.map((one) => [one.slo.id, one]))
  const known = new Map<number, readonly ProbeStatus[] | null>()
  return evaluations.map((evaluation) => {
    const { sloId, organizationId } = evaluation
    const one = planOf.get(sloId)
    if (!one?.plan.probes) return evaluation
    const probes = known.getOrInsertComputed(organizationId, probesOf)
    const awaited = read && probes ? probes.filter(({ onStored }) => onStored) : []
    for (const status of probesReadBy(one.plan.probes, awaited)) read?.add(status)
    return { ...evaluation, outage: evaluation.exclusion ? null : outageOf(one, probes) }
  })
}

function percentOf(value: Values['own']): number | null {
  return value && 'percent' in value ? value.percent : null
}

function failureOf(current: Values['current']): { reason: string; message: string } | null {
  return 'error' in current ? { reason: 'source_error', message: sentenceOf(current.error) } : null
}

function reasonOf(
  current: Values['current'],
  own: Values['own'],
  note: string | null,
): { reason: string | null; message: string | null } {
  if ('reason' in current) return current
  const isUnknown = own !== null && 'error' in own
  return { reason: null, message: isUnknown ? `The error budget is not known: ${sentenceOf(own.error)}` : note }
}

function sentenceOf({ message, details }: AppError): string {
  return [message, details].filter(Boolean).join(': ')
}
