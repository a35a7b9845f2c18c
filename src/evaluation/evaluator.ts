import { setImmediate as nextTurn } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import { type Clock, createJumpWatch } from '../clock.ts'
import type { Config } from '../config.ts'
import { aroundDamage } from '../db/failures/damage.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { AppError, isDatabaseDamaged } from '../errors.ts'
import type { Log } from '../log.ts'
import { familyText } from '../ledger/counters/families.ts'
import { settle } from '../sources/ask.ts'
import { closeBuckets } from '../ledger/close.ts'
import type { PlannedSlo } from '../sli/plan/planned-slo.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { silentSource, type Source, type SourceOpener } from '../sources/source.ts'
import { openOrSilent } from '../sources/sources.ts'
import { type Evaluated, evaluateBatch, type OnEvaluations } from './evaluate.ts'
import { listEvaluated, listNew, stillActive, type SourceSlos } from './evaluated-store.ts'
import type { Evaluation } from './evaluation.ts'
import type { Memory } from './measure-values.ts'

/**
 * Evaluates every active SLO, each source at its own pace: one that is slow is passed over until it is done. Nothing begins
 * once the app is closing, and nothing waits for what a source has not answered by then: it ends where it next finds the
 * database closed.
 */
export type Evaluator = {
  /** Begins what is due by the clock; to be called every second. */
  tick(): void
  /** Evaluates what is new, or has been edited since, at the next tick. */
  soon(): void
  /** Evaluates everything at once, and gives what was stored. */
  evaluateAll(): Promise<Evaluation[]>
}

export type EvaluatorDeps = {
  db: Database
  clock: Clock
  /** By which rounds are timed: the clock may be set while one is under way. */
  stopwatch: Clock
  log: Log
  seal: Seal
  opener: SourceOpener
  planner: Planner
  config: Pick<Config, 'evaluationIntervalSeconds'>
  isClosing: () => boolean
  onEvaluations: OnEvaluations
  /** After a batch of them, which took so long, has been committed. */
  onStored: (evaluations: Evaluation[], seconds: number) => void
  /** The SLOs of a source were evaluated together, and it has answered something or nothing. */
  onAsked?: (sourceId: number, answered: boolean) => void
}

/** When a source's first batch is due, and until when it is asked for what can wait, by the stopwatch. */
type Times = { startMs: number; lastMs: number }

type Round = 'all' | 'new' | 'asked'

const batchSize = 250
const batchesAtOnce = 2
const closedAtOnce = 50
const plannedAtOnce = 25
const apartForMs = 3_600_000
const quickMs = 5000 // an SLO that is answered for alone in less can be asked for with others again
const settleMs = 5000 // samples of the last seconds may still be on their way
const shareOfInterval = 0.8
const atOnce = -Infinity

export function createEvaluator(deps: EvaluatorDeps): Evaluator {
  const { db, clock, stopwatch, log, config, isClosing } = deps
  const jumpedMs = createJumpWatch(deps)
  const intervalMs = config.evaluationIntervalSeconds * 1000
  const spreadMs = shareOfInterval * intervalMs
  const memory: Memory = { wholes: new Map(), minutes: new Map() }
  const busy = new Set<string>()
  /** SLOs that could not be answered for together with others, and until when they are asked for alone, by the stopwatch. */
  const apartUntilMs = new Map<number, number>()
  let lastRound: number | null = null // the first begins at once: what is stored may be old
  let isWanted = false

  async function later(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!isClosing() && !isDatabaseDamaged(error)) log.error('evaluation failed', { error })
    }
  }

  async function evaluateSlos(source: Source, origin: string, slos: SloRow[], lastMs: number): Promise<Evaluated> {
    const atSeconds = Math.floor((clock.now() - settleMs) / 60_000) * 60
    const planned = slos.map(deps.planner.plan)
    const hasTime = () => stopwatch.now() < lastMs
    const began = performance.now()
    const done = await evaluateBatch({ ...deps, memory }, { source, origin, planned, atSeconds, hasTime })
    deps.onStored(done.evaluations, (performance.now() - began) / 1000)
    if (done.isSilent) return done
    const failed = new Set(done.evaluations.flatMap(({ failed, sloId }) => (failed ? [sloId] : [])))
    const [first, ...others] = slos
    if (others.length > 0) for (const sloId of failed) apartUntilMs.set(sloId, stopwatch.now() + apartForMs)
    else if (first && failed.size === 0 && performance.now() - began < quickMs) apartUntilMs.delete(first.id)
    const answered = planned.filter(({ slo }) => !failed.has(slo.id))
    for (const some of inChunks(answered, closedAtOnce)) await closeAround(some, source, atSeconds)
    return done
  }

  async function closeAround(planned: PlannedSlo[], source: Source, atSeconds: number): Promise<void> {
    const close = async (some: PlannedSlo[]) => {
      await closeBuckets(deps, some, source, atSeconds)
      return []
    }
    await aroundDamage(planned, close, () => []) // what is damaged stays open, and the condition says so
  }

  /**
   * Two batches at once, so that the source is at work while we are. Once it has answered nothing of a batch, it is not
   * asked for the rest of the round.
   */
  async function runBatches(
    { source: row }: SourceSlos,
    batches: SloRow[][],
    { startMs, lastMs }: Times,
  ): Promise<Evaluation[]> {
    let source = row ? openOrSilent(deps, row) : silentSource('none', noSource())
    const origin = row ? `${row.id} ${row.api_url} ${Bun.hash(row.sealed_auth ?? '')}` : 'none'
    const evaluations: Evaluation[] = []
    const waiting = batches.entries()
    let silences = 0
    const work = async () => {
      for (const [place, batch] of waiting) {
        await until(startMs + (place / batches.length) * spreadMs)
        if (isClosing()) return
        const live = await aroundDamage(
          batch,
          (some) => stillActive(db.read, some),
          () => [],
        ) // the round may have begun long ago
        if (live.length === 0) continue
        const done = await evaluateSlos(source, origin, live, lastMs)
        evaluations.push(...done.evaluations)
        const [first] = done.evaluations
        silences = done.isSilent ? silences + 1 : 0
        if (row && done.evaluations.length > 0) deps.onAsked?.(row.id, !done.isSilent)
        if (done.isSilent && (batch.length > 1 || silences > 1)) {
          // one SLO alone may be at fault itself
          const message = first?.message ?? 'Metrics source did not answer'
          source = silentSource(source.name, new AppError('source_unavailable', message))
        }
      }
    }
    await settle(Array.from({ length: batchesAtOnce }, work)) // both end before another round may begin
    return evaluations
  }

  async function until(timeMs: number): Promise<void> {
    while (!isClosing() && stopwatch.now() < timeMs) await Bun.sleep(Math.min(1000, timeMs - stopwatch.now()))
  }

  /** Runs a source's batches unless its last are still under way. */
  async function runOnce(
    { round, part }: { round: Round; part: 'together' | 'alone' },
    group: SourceSlos,
    batches: SloRow[][],
    times: Times,
  ): Promise<Evaluation[]> {
    const key = `${round} ${part} ${group.source?.id ?? 'none'}`
    if (busy.has(key)) {
      if (round === 'new') isWanted = true
      else log.warn('a source is still being evaluated and is passed over', { source: group.source?.name ?? 'none' })
      return []
    }
    busy.add(key)
    try {
      return await runBatches(group, batches, times)
    } finally {
      busy.delete(key)
    }
  }

  /** A plan takes a fraction of a millisecond: those of a thousand SLOs are not made in one go. */
  async function planAll(groups: SourceSlos[]): Promise<void> {
    for (const [place, slo] of groups.flatMap(({ slos }) => slos).entries()) {
      deps.planner.plan(slo)
      if (place % plannedAtOnce === 0) await nextTurn()
    }
  }

  /** Sources begin one after the other, so that not all are asked in the same second. */
  async function runRound(round: Round, groups: SourceSlos[], startMs = atOnce): Promise<Evaluation[]> {
    await planAll(groups)
    const lastMs = startMs === atOnce ? Infinity : startMs + 0.9 * intervalMs
    const nowMs = stopwatch.now()
    const isApart = ({ id }: SloRow) => (apartUntilMs.get(id) ?? 0) > nowMs
    const work = groups.flatMap((group, place) => {
      const together = group.slos.filter((slo) => !isApart(slo)).map(deps.planner.plan)
      const alone = group.slos.filter(isApart).map((slo) => [slo])
      const times = { startMs: startMs + (place / groups.length) * spreadMs, lastMs }
      return [
        runOnce({ round, part: 'together' }, group, batchesOf(together), times),
        alone.length > 0 ? runOnce({ round, part: 'alone' }, group, alone, times) : [],
      ]
    })
    return (await Promise.all(work)).flat()
  }

  return {
    tick() {
      if (isClosing() || intervalMs === 0) return
      const nowMs = clock.now()
      const round = Math.floor(nowMs / intervalMs)
      const hasJumped = jumpedMs() !== 0 // what is known is of another time: nothing waits for its turn
      if (round !== lastRound || hasJumped) {
        const inMs = round * intervalMs + settleMs - nowMs
        const startMs = lastRound === null || hasJumped ? atOnce : stopwatch.now() + inMs
        lastRound = round
        void later(listEvaluated(db.read).then((groups) => runRound('all', groups, startMs)))
      } else if (isWanted) {
        isWanted = false
        void later(listNew(db.read).then((groups) => runRound('new', groups)))
      }
    },
    soon() {
      isWanted = true
    },
    evaluateAll: async () => runRound('asked', await listEvaluated(db.read)),
  }
}

/** SLOs that can share questions lie together. */
function batchesOf(planned: PlannedSlo[]): SloRow[][] {
  const keyOf = ({ slo, plan }: PlannedSlo) =>
    `${slo.time_window} ${[...(plan.counters?.counted ?? []), ...(plan.counters?.total ?? [])]
      .map(({ counter }) => familyText(counter))
      .join(' ')}`
  const sorted = planned
    .map((one) => ({ slo: one.slo, key: keyOf(one) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.slo.id - b.slo.id))
  return inChunks(sorted, batchSize).map((some) => some.map(({ slo }) => slo))
}

function noSource(): AppError {
  return new AppError('source_unavailable', 'No active metrics source', {
    details: 'an administrator adds one with POST /api/v1/tsdb/sources',
  })
}
