import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { type Clock, minuteStartSeconds } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { DataSourceRow, SloRow } from '../../db/tables/tables.ts'
import { inChunks } from '../../concurrency/chunks.ts'
import { createSemaphore, createWhileOpen } from '../../concurrency/semaphore.ts'
import type { Log } from '../../log.ts'
import { type BackfillToDo, listBackfillsToDo } from '../../slos/backfills/store.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import type { Source, SourceOpener } from '../../sources/source.ts'
import { findDefaultSource, getSource, openOrFailing } from '../../sources/store.ts'
import { type MeasuredBuckets, withoutBreaks } from '../bucket.ts'
import { countsEvents, type Measure, measureIsolated, measureLedger } from '../measure/measure-ledger.ts'
import { type MeasuredStep, recordSteps, type Step, stepOf, type StepResult } from './steps.ts'

export type Backfills = {
  /**
   * Backfills all SLOs whose backfill is not done, until all are or the app is closing. SLOs that a source does not answer for
   * wait for a later call. A source that an earlier call is working on is skipped. After an interruption, at most one chunk is
   * queried again.
   */
  run(): Promise<void>
  /** Resolves, once `isClosing`, when nothing will be read or written any more, however long sources still take. */
  drain(): Promise<void>
}

export type BackfillDeps = {
  db: Database
  clock: Clock
  stopwatch: Clock
  log: Log
  seal: Seal
  opener: SourceOpener
  planner: Planner
  config: Pick<Config, 'retentionDays'>
  isClosing: () => boolean
}

const maxSlos = 50
const maxConcurrentQueries = 2 // leaves slots of the source to evaluations
const pauseMs = 120_000
const maxPauses = 30
const emptyStepsPerWrite = 25

type Work = { source: DataSourceRow; toDo: BackfillToDo[] }

export function createBackfills(deps: BackfillDeps, measure: Measure = measureLedger): Backfills {
  const { db, clock, stopwatch, log } = deps
  const whileOpen = createWhileOpen(deps.isClosing)
  const busy = new Set<number>()
  /** Number of SLOs a source is queried for at the same time; lowered if it did not answer for more. */
  const sizes = new Map<number, number>()
  /**
   * SLOs that the source does not answer for even when queried alone: when they are queried again, and how often the source was up
   * nevertheless.
   */
  const paused = new Map<number, { untilMs: number; count: number }>()

  function listWork(): Promise<Map<number, Work>> {
    const isPaused = ([, { untilMs }]: [number, { untilMs: number }]) => untilMs > stopwatch.now()
    const pausedIds = [...paused].filter(isPaused).map(([id]) => id)
    return bySource(db.read, pausedIds)
  }

  /** Picks the least advanced backfills, all with the same span. */
  async function nextSteps(sourceId: number): Promise<{ source: Source; steps: Step[] } | undefined> {
    const { source, toDo } = (await listWork()).get(sourceId) ?? { toDo: [] }
    const steps = toDo.map((slo) => stepOf(slo, deps.config.retentionDays))
    const [first] = steps.toSorted((a, b) => a.done - b.done)
    if (!source || !first) return undefined
    const withSameSpan = steps.filter(({ span }) => Bun.deepEquals(span, first.span))
    const size = sizes.get(sourceId) ?? maxSlos
    return { source: throttled(openOrFailing(deps, source)), steps: withSameSpan.slice(0, size) }
  }

  /** Backfills one chunk; true if the source answered and may be queried for more. */
  async function fillNextChunk(sourceId: number): Promise<boolean> {
    const next = await whileOpen.run(() => nextSteps(sourceId))
    const span = next?.steps[0]?.span
    if (!next || !span) return false
    const { source, steps } = next
    const slos = await deps.planner.planAll(steps.map(({ slo }) => slo))
    const planned = await deps.planner.verify(source, slos, minuteStartSeconds(clock.now()), span)
    const measured = await measureIsolated(measure, source, planned, span)
    const withEvents = new Set(planned.filter(({ plan }) => countsEvents(plan)).map(({ slo }) => slo.id))
    const counting = (step: Step): MeasuredStep => ({ ...step, countsEvents: withEvents.has(step.slo.id) })
    const isAnswered = ({ slo }: Step) => !isUnanswered(measured.get(slo.id))
    const answered = steps.filter(isAnswered)
    const results = answered.map((step) => ({
      step: counting(step),
      measured: measured.get(step.slo.id) ?? withoutBreaks([]),
    }))
    for (const batch of writeBatches(results)) {
      for (const { step } of batch) paused.delete(step.slo.id)
      await write(batch)
      await yieldToEventLoop() // SQLite is synchronous: without this, nothing else would run until the last has been written
    }
    const [unanswered, ...others] = steps.filter((step) => !isAnswered(step))
    const size = sizes.get(sourceId) ?? maxSlos
    if (!unanswered) sizes.set(sourceId, Math.min(maxSlos, size + 1))
    else if (others.length > 0) sizes.set(sourceId, Math.ceil(steps.length / 2))
    else
      await pause(source, {
        step: counting(unanswered),
        measured: measured.get(unanswered.slo.id) ?? withoutBreaks([]),
      })
    if (answered.length === 0) log.debug('backfills wait for their source', { source: source.name })
    return answered.length > 0
  }

  async function write(results: readonly StepResult[]): Promise<void> {
    await whileOpen.run(() => recordSteps(db, results, clock.now()))
  }

  /** Pauses the backfill of an SLO. If the source is up but never answers for it, the backfill ends with the source's error. */
  async function pause(source: Source, result: StepResult): Promise<void> {
    const { step } = result
    const isUp = await source.instant('vector(1)', Math.floor(clock.now() / 1000)).then(
      () => true,
      () => false,
    )
    const count = (paused.get(step.slo.id)?.count ?? 0) + (isUp ? 1 : 0)
    paused.set(step.slo.id, { untilMs: stopwatch.now() + pauseMs, count })
    if (count < maxPauses) return
    paused.delete(step.slo.id)
    await write([result])
  }

  async function runSource(sourceId: number): Promise<void> {
    if (busy.has(sourceId)) return
    busy.add(sourceId)
    try {
      while (await fillNextChunk(sourceId));
    } catch (error) {
      if (!deps.isClosing()) throw error // a late answer finds the database closed
    } finally {
      busy.delete(sourceId)
    }
  }

  return {
    async run() {
      const work = await whileOpen.run(listWork)
      const outcomes = await Promise.allSettled([...(work?.keys() ?? [])].map(runSource))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed) throw failed.reason
    },
    drain: whileOpen.drain,
  }
}

/** Batches that are each written in one transaction: several steps without data, or one step with data, which may be thousands of buckets. */
function writeBatches(results: readonly StepResult[]): StepResult[][] {
  const hasData = ({ measured }: StepResult) =>
    'buckets' in measured && measured.buckets.some(({ coveredSeconds }) => coveredSeconds > 0)
  const { full = [], empty = [] } = Object.groupBy(results, (one) => (hasData(one) ? 'full' : 'empty'))
  return [...inChunks(empty, emptyStepsPerWrite), ...full.map((one) => [one])]
}

/** Groups backfills by source id, except those of the SLOs `exceptIds`; SLOs without an active source wait. */
async function bySource(db: Db, exceptIds: number[]): Promise<Map<number, Work>> {
  const work = new Map<number, Work>()
  const listed = await listBackfillsToDo(db, maxSlos, exceptIds)
  for (const toDo of Map.groupBy(listed, (one) => `${one.organization_id} ${one.source_id}`).values()) {
    const source = await sourceOf(db, toDo[0])
    if (source?.is_active !== 1) continue
    work.set(source.id, { source, toDo: [...(work.get(source.id)?.toDo ?? []), ...toDo] })
  }
  return work
}

async function sourceOf(db: Db, slo: SloRow | undefined): Promise<DataSourceRow | undefined> {
  if (!slo) return undefined
  const { organization_id, source_id } = slo
  return source_id === null ? findDefaultSource(db, organization_id) : getSource(db, organization_id, source_id)
}

function isUnanswered(measured: MeasuredBuckets | undefined): boolean {
  return measured !== undefined && 'error' in measured && measured.error.kind === 'source_unavailable'
}

function throttled(source: Source): Source {
  const semaphore = createSemaphore(maxConcurrentQueries)
  return {
    ...source,
    identity: source.identity ?? source,
    instant: (...query) => semaphore.run(() => source.instant(...query)),
    range: (...query) => semaphore.run(() => source.range(...query)),
  }
}
