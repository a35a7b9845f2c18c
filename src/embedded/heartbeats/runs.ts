import { minuteMs } from '../../clock.ts'
import type { RunOutcome } from '../../db/tables/tables.ts'
import { nextDue, type Schedule } from './schedule.ts'

/**
 * State of a heartbeat's runs. `dueMs`: due time of the run that is expected; null: there is none before the first success or
 * failure, or with a period the first start.
 */
export type Progress = {
  dueMs: number | null
  runs: number
  goodRuns: number
  /** Outcome of the last run, or of a late report after it; null: no run yet. */
  last: RunOutcome | null
  /** Times (Unix milliseconds) of starts without an end, by the id of their run; the id is '' if the report had none. */
  starts: Readonly<Record<string, number>>
}

/** Schedule of a job, and how long after a due time it may report. */
export type Expectation = { schedule: Schedule; graceMs: number }

export type Report = {
  kind: 'success' | 'fail' | 'start' | 'log'
  atMs: number
  runId?: string | undefined
  durationMs?: number | undefined
}

/**
 * A run, or a report outside any run (`outcome` null). `durationMs`: null if neither a start (within 72 hours) nor a duration was
 * reported.
 */
export type Run = {
  outcome: RunOutcome | null
  dueMs: number | null
  atMs: number
  startedMs: number | null
  durationMs: number | null
}

/** Progress after a report or a deadline. `run`: to be listed; null: nothing is to be listed. */
type Step = { progress: Progress; run: Run | null }

const maxStarts = 20
const maxDurationMs = 72 * 60 * minuteMs // an end that comes later is not that of this start
const maxEarlyMs = minuteMs

/**
 * Applies a report. A success or failure decides the run that is expected, if that may be reported already. Otherwise it counts as
 * no run: it is `late` after a run without a report, and a success ends the state `failed`.
 */
export function afterReport({ schedule, graceMs }: Expectation, former: Progress, report: Report): Step {
  const { kind, atMs, runId = '' } = report
  if (kind === 'log') return { progress: former, run: reportWithoutRun(atMs) }
  if (kind === 'start') {
    const entries = Object.entries(former.starts).filter(([id]) => id !== runId)
    const starts = Object.fromEntries([...entries.slice(1 - maxStarts), [runId, atMs]])
    const dueMs = 'periodMs' in schedule ? Math.min(former.dueMs ?? atMs, atMs) : former.dueMs // with a period, the run is due at its start
    return { progress: { ...former, starts, dueMs }, run: null }
  }
  const startedMs = former.starts[runId] ?? null
  const elapsedMs = startedMs === null ? -1 : atMs - startedMs
  const isTimed = elapsedMs >= 0 && elapsedMs <= maxDurationMs
  const { [runId]: _, ...starts } = former.starts
  const timed = {
    atMs,
    startedMs: isTimed ? startedMs : null,
    durationMs: report.durationMs ?? (isTimed ? elapsedMs : null),
  }
  const isGood = kind === 'success'
  const outcome = isGood ? 'good' : 'failed'
  const wasUnreported = former.last === 'missed' || former.last === 'unknown'
  const counted = (dueMs: number, nextMs: number): Step => ({
    progress: {
      starts,
      dueMs: nextMs,
      runs: former.runs + 1,
      goodRuns: former.goodRuns + (isGood ? 1 : 0),
      last: outcome,
    },
    run: { ...timed, outcome, dueMs },
  })
  const late = (nextMs: number): Step => ({
    progress: { ...former, starts, dueMs: nextMs, last: isGood ? 'late' : 'failed' },
    run: { ...timed, outcome: 'late', dueMs: null },
  })
  if ('periodMs' in schedule) {
    const nextMs = nextDue(schedule, atMs)
    const isOpen = former.dueMs === null || former.dueMs <= atMs
    return wasUnreported && !isOpen ? late(nextMs) : counted(former.dueMs ?? atMs, nextMs)
  }
  const dueMs = former.dueMs ?? cronDueAt(schedule, atMs)
  if (atMs >= dueMs - earlyMs(schedule, dueMs, graceMs)) return counted(dueMs, nextDue(schedule, dueMs))
  if (wasUnreported) return late(dueMs)
  const last = isGood && former.last === 'failed' ? 'late' : former.last
  return { progress: { ...former, starts, last }, run: { ...timed, outcome: null, dueMs: null } }
}

function reportWithoutRun(atMs: number): Run {
  return { outcome: null, dueMs: null, atMs, startedMs: null, durationMs: null }
}

/** Milliseconds by which a report may precede the due time of a cron expression, because the clock of the job may be ahead. */
function earlyMs(schedule: Schedule, dueMs: number, graceMs: number): number {
  return Math.min(maxEarlyMs, graceMs, (nextDue(schedule, dueMs) - dueMs) / 4)
}

/** Due time of the first report: the next one if that is near, otherwise its own time. */
function cronDueAt(schedule: Schedule, atMs: number): number {
  const nextMs = nextDue(schedule, atMs)
  return nextMs - atMs <= Math.min(maxEarlyMs, (nextDue(schedule, nextMs) - nextMs) / 4) ? nextMs : atMs
}

/**
 * Decides the run whose deadline has passed without a report; null if there is none. `watchedSinceMs`: time since which nines has
 * been running without a pause. All runs that were due while nines was off give a single run, `unknown`, which is not counted.
 */
export function afterDeadline(
  { schedule, graceMs }: Expectation,
  former: Progress,
  { nowMs, watchedSinceMs }: { nowMs: number; watchedSinceMs: number },
): { progress: Progress; run: Run } | null {
  const { dueMs } = former
  if (dueMs === null || dueMs + graceMs > nowMs) return null
  const run = { ...reportWithoutRun(dueMs + graceMs), dueMs }
  if (dueMs >= watchedSinceMs) {
    const progress = { ...former, dueMs: nextDue(schedule, dueMs), runs: former.runs + 1, last: 'missed' as const }
    return { progress, run: { ...run, outcome: 'missed' } }
  }
  const firstMs = Math.min(watchedSinceMs, nowMs - graceMs + 1) // runs due before are unknown, and their deadlines have passed
  const nextMs =
    'periodMs' in schedule
      ? dueMs + schedule.periodMs * Math.max(1, Math.ceil((firstMs - dueMs) / schedule.periodMs))
      : nextDue(schedule, Math.max(dueMs, firstMs - 1))
  return { progress: { ...former, dueMs: nextMs, last: 'unknown' }, run: { ...run, outcome: 'unknown' } }
}

/**
 * Moves a due time that is further ahead than the schedule allows to the next one. Needed after the clock was set back, the
 * schedule changed or a pause ended.
 */
export function limitDueTime({ schedule }: Expectation, former: Progress, nowMs: number): Progress {
  if (former.dueMs === null) return former
  return { ...former, dueMs: Math.min(former.dueMs, nextDue(schedule, nowMs)) }
}

/**
 * State by the runs of a heartbeat that is not paused. `waiting`: no run has been reported yet. `due`: the due time has passed, the
 * deadline has not.
 */
export type HeartbeatState = 'waiting' | 'up' | 'due' | 'missed' | 'failed' | 'unknown'

export function stateOf({ dueMs, last }: Progress, nowMs: number): HeartbeatState {
  if (last === 'missed' || last === 'failed' || last === 'unknown') return last
  if (dueMs !== null && dueMs <= nowMs) return 'due'
  return last === null ? 'waiting' : 'up'
}
