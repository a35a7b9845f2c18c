import { clearIntervals } from '../ledger/sample-intervals.ts'
import { createJumpWatch } from '../clock.ts'
import type { Db } from '../db/open.ts'
import { isDatabaseDamaged } from '../errors.ts'
import { type Evaluation, listActiveSlos, listNewSlos, type SourceSlos } from './evaluation-store.ts'
import { immediately, lateMs, type RoundDeps, type RoundState, runRound } from './round.ts'

/**
 * Evaluates every active SLO, in rounds. No round begins once the app is closing, and closing does not wait for unanswered
 * queries: their round ends when it next finds the database closed.
 */
export type Evaluator = {
  /** Begins the rounds that are due; to be called every second. */
  tick(): void
  /** Evaluates new and edited SLOs at the next tick. */
  soon(): void
  /** Evaluates SLOs of an organization that read probes, at the next tick. */
  soonAfterProbe(organizationId: number): void
  /** Evaluates all SLOs immediately and returns the stored evaluations. */
  evaluateAll(): Promise<Evaluation[]>
}

export function createEvaluator(deps: RoundDeps): Evaluator {
  const { db, clock, stopwatch, log, config, planner, isClosing } = deps
  const jumpedMs = createJumpWatch(deps)
  const intervalMs = config.evaluationIntervalSeconds * 1000
  const memory = { ownWindows: new Map(), minutes: new Map(), complete: new Map() }
  const state: RoundState = { memory, busy: new Map(), isolatedUntilMs: new Map(), closed: new Map() }
  let lastRound: number | null = null // the first round begins immediately: stored states may be old
  let hasNew = false
  let probed = new Set<number>()

  const warnOfBusy = (source: string) => log.warn('evaluation skipped: the source is busy with the last', { source })
  const runAll = (groups: SourceSlos[], startMs: number) =>
    runRound(deps, state, { kind: 'all', groups, startMs, onBusy: startMs === immediately ? null : warnOfBusy })
  const runNew = (groups: SourceSlos[]) =>
    runRound(deps, state, { kind: 'new', groups, startMs: immediately, onBusy: () => (hasNew = true) })

  const runProbed = (groups: SourceSlos[]) => {
    const read = groups.map(({ source, slos }) => ({
      source,
      slos: slos.filter((slo) => planner.plan(slo).plan.probes),
    }))
    const onBusy = () => read.forEach(({ slos }) => slos.forEach((slo) => probed.add(slo.organization_id)))
    return runRound(deps, state, { kind: 'probed', groups: read, startMs: immediately, onBusy })
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
      const hasJumped = jumpedMs() !== 0 // the clock was set and states are of another time: nothing waits
      if (hasJumped) clearIntervals()
      if (probed.size > 0) {
        const ids = [...probed]
        probed = new Set()
        void begin((read) => listActiveSlos(read, ids), runProbed)
      }
      if (round !== lastRound || hasJumped) {
        const inMs = round * intervalMs + lateMs - nowMs
        const startMs = lastRound === null || hasJumped ? immediately : stopwatch.now() + inMs
        lastRound = round
        void begin(listActiveSlos, (groups) => runAll(groups, startMs))
      } else if (hasNew) {
        hasNew = false
        void begin(listNewSlos, runNew)
      }
    },
    soon() {
      hasNew = true
    },
    soonAfterProbe: (organizationId) => void probed.add(organizationId),
    async evaluateAll() {
      const groups = await listActiveSlos(db.read)
      return runRound(deps, state, { kind: 'requested', groups, startMs: immediately, onBusy: warnOfBusy })
    },
  }
}
