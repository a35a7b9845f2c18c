import { createClosedMemory } from '../ledger/close.ts'
import { clearIntervals } from '../ledger/sample-intervals.ts'
import { createJumpWatch } from '../clock.ts'
import type { Db } from '../db/open.ts'
import { isDatabaseDamaged } from '../errors.ts'
import { type Evaluation, listActiveSlos, listNewSlos, type SourceSlos } from './evaluation-store.ts'
import type { ProbeStatus } from './outage.ts'
import { createProbeReaders, type Probed } from './probe-readers.ts'
import { undoMs } from '../slos/store.ts'
import { immediately, sampleDelayMs, type RoundDeps, type RoundState, runRound } from './round.ts'
import { createMemory } from './measure-values.ts'

/**
 * Evaluates every active SLO, in rounds. No round begins once the app is closing, and closing does not wait for unanswered
 * queries: their round ends when it next finds the database closed.
 */
export type Evaluator = {
  /** Begins the rounds that are due; to be called every second. */
  tick(): void
  /** Evaluates new and edited SLOs at the next tick, and again once the edit can no longer be undone: alerts wait for that. */
  soon(): void
  /**
   * Evaluates SLOs of an organization that read the probe or heartbeat with these labels, at the next tick. `minIntervalMs`: see
   * `Probed`; `metrics`: see `ProbeStatus`.
   */
  soonAfterProbe(
    organizationId: number,
    labels: ProbeStatus['labels'],
    minIntervalMs?: number,
    metrics?: ProbeStatus['metrics'],
  ): void
  /** Evaluates SLOs with these ids immediately and returns the stored evaluations. */
  evaluateSlos(ids: number[]): Promise<Evaluation[]>
  /** Evaluates all SLOs immediately and returns the stored evaluations. */
  evaluateAll(): Promise<Evaluation[]>
}

export function createEvaluator(deps: RoundDeps): Evaluator {
  const { db, clock, stopwatch, log, config, planner, isClosing } = deps
  const jumpedMs = createJumpWatch(deps)
  const intervalMs = config.evaluationIntervalSeconds * 1000
  const memory = { ...createMemory(), frozen: new Map() }
  const nowSeconds = () => Math.floor(clock.now() / 1000)
  const state: RoundState = {
    memory,
    running: new Map(),
    isolatedUntilMs: new Map(),
    closed: createClosedMemory(nowSeconds()),
  }
  let lastRound: number | null = null // the first round begins immediately: stored states may be old
  let hasNew = false
  const reevaluateAtMs: number[] = [] // times by the stopwatch from which edits can no longer be undone
  const probeReaders = createProbeReaders(planner)
  let probed: Probed[] = []

  const warnOfBusy = (source: string) => log.warn('evaluation skipped: the source is busy with the last', { source })
  const runAll = (groups: SourceSlos[], startMs: number) =>
    runRound(deps, state, { kind: 'all', groups, startMs, onBusy: startMs === immediately ? null : warnOfBusy })
  const runNew = (groups: SourceSlos[]) =>
    runRound(deps, state, { kind: 'new', groups, startMs: immediately, onBusy: () => (hasNew = true) })

  const runProbed = (groups: SourceSlos[], taken: Probed[]) => {
    const onBusy = () => void (probed = [...taken.map((one) => ({ ...one, minIntervalMs: 0 })), ...probed])
    return runRound(deps, state, { kind: 'probed', groups, startMs: immediately, onBusy })
  }

  async function begin(list: (db: Db) => Promise<SourceSlos[]>, run: typeof runNew): Promise<void> {
    try {
      await run(await list(db.read))
    } catch (error) {
      if (!isClosing() && !isDatabaseDamaged(error)) log.error('evaluation failed', { error })
    }
  }

  return {
    tick() {
      if (isClosing() || intervalMs === 0) return
      const nowMs = clock.now()
      const round = Math.floor(nowMs / intervalMs)
      const jumpMs = jumpedMs()
      const hasJumped = jumpMs !== 0 // the clock was set and states are of another time: nothing waits
      if (hasJumped) clearIntervals()
      if (jumpMs < 0) state.closed = createClosedMemory(nowSeconds())
      while ((reevaluateAtMs[0] ?? Infinity) <= stopwatch.now()) {
        reevaluateAtMs.shift()
        hasNew = true
      }
      if (probed.length > 0) {
        const taken = probed
        probed = []
        void begin(
          (read) => probeReaders.list(read, taken, stopwatch.now()),
          (groups) => runProbed(groups, taken),
        )
      }
      if (round !== lastRound || hasJumped) {
        const inMs = round * intervalMs + sampleDelayMs - nowMs
        const startMs = lastRound === null || hasJumped ? immediately : stopwatch.now() + inMs
        lastRound = round
        probeReaders.clear()
        void begin(listActiveSlos, (groups) => runAll(groups, startMs))
      } else if (hasNew) {
        hasNew = false
        void begin((read) => listNewSlos(read, nowMs), runNew)
      }
    },
    soon() {
      hasNew = true
      probeReaders.clear()
      reevaluateAtMs.push(stopwatch.now() + undoMs)
    },
    soonAfterProbe: (organizationId, labels, minIntervalMs = 0, metrics) =>
      void probed.push({ organizationId, labels, minIntervalMs, ...(metrics && { metrics }) }),
    async evaluateSlos(ids) {
      if (isClosing()) return []
      const groups = await listActiveSlos(db.read, { ids })
      return runRound(deps, state, { kind: 'requested', groups, startMs: immediately, onBusy: null })
    },
    async evaluateAll() {
      const groups = await listActiveSlos(db.read)
      return runRound(deps, state, { kind: 'requested', groups, startMs: immediately, onBusy: warnOfBusy })
    },
  }
}
