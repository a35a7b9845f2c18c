import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises'
import { type Clock, minJumpMs, minuteMs } from '../../clock.ts'
import { createSharedTurns } from '../../concurrency/shared-turns.ts'
import type { Database, Db } from '../../db/open.ts'
import type { HeartbeatRow, HeartbeatReport } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Intake } from '../collection/intake.ts'
import { createStoppedChecks } from '../collection/stopped-checks.ts'
import { createSeriesWriter } from '../collection/series/series-writer.ts'
import type { Label } from '../exposition/sample.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { listDecidedRuns } from './decided-runs.ts'
import { type FoundHeartbeat, heartbeatRows, insertRun, listHeartbeats, storeState } from './heartbeat-store.ts'
import { expectationOf, heartbeatLabels, intakeOf, isDown, progressOf, samplesOf } from './heartbeat.ts'
import { afterDeadline, afterReport, type Progress, type Report, limitDueTime, type Run } from './runs.ts'
import { heartbeatMetrics, type HeartbeatStatus, statusOf, stoppedStatus } from './status.ts'
import { failedReason, missedDetails, missedReason } from './words.ts'

/**
 * Failure of a job that no stored evaluation has read yet. `status`: of the failed job; the failure counts until `untilMs` at the
 * latest.
 */
type Unseen = { status: HeartbeatStatus; untilMs: number }

/** A report as it arrived. `exitCode`: null if it had none. */
export type ArrivedReport = Report & { exitCode: number | null; message: string | null }

/**
 * Keeps the runs of all heartbeats: applies reports, decides runs at their deadlines, and writes their series. Runs are stored in
 * nines.db; memory has a copy.
 */
export type Heartbeats = {
  /** Decides what is due and writes the samples of this second; to be called every second, also while a call is under way. */
  tick(): Promise<void>
  /** The heartbeat whose address has this hash, if memory has it; the database has all. */
  findByToken(hash: string): FoundHeartbeat | undefined
  /** Applies a report and resolves once it is stored. A paused heartbeat ignores it. False if the heartbeat is gone. */
  report(found: FoundHeartbeat, report: ArrivedReport): Promise<boolean>
  /** Reads a heartbeat that was created, changed or deleted. The series of one that is gone end. */
  reload(organizationId: number, id: number): Promise<void>
  /**
   * States of an organization's heartbeats, also of those that are paused or were deleted since nines started. A failed job
   * stays down until an evaluation that read the failure is stored, even if the job succeeds before; for a minute at most.
   */
  statusesOf(organizationId: number): readonly HeartbeatStatus[]
  /** Heartbeats of an organization, also paused ones, with their series; `isWaiting`: no run is due before a first report. */
  listOf(organizationId: number): { name: string; labels: Label[]; metrics: string[]; isWaiting: boolean }[]
  /** Series of a heartbeat; throws `not_found`. */
  checkOf(organizationId: number, id: number): Promise<Pick<HeartbeatStatus, 'labels' | 'metrics'>>
  /** Last runs of a heartbeat as checks; see `listDecidedRuns`. */
  runsOf(organizationId: number, id: number): ReturnType<typeof listDecidedRuns>
  /** Intake from an organization's active heartbeats. */
  intakeOf(organizationId: number): Intake
}

type Deps = {
  db: Pick<Database, 'groupCommit' | 'read'>
  clock: Clock
  log: Log
  store: SampleStore
  /** Called once a run has failed or was missed, once the job is well again, and when its heartbeat is paused, resumed or deleted. */
  onChange: (organizationId: number, labels: Label[], metrics: string[]) => void
  isClosing: () => boolean
}

const maxPauseMs = 10_000
const maxUnseenMs = minuteMs // an evaluation comes within a second, or later on a busy machine; perhaps no SLO reads the heartbeat
const deadlineDelayMs = 1000 // a report that arrived in time may still be on its way to the disk
const batchSize = 10
const reportPauseMs = 250 // reports that arrive within it share a commit, which takes longer than the rest of a report
const maxBatchesPerTick = 1000

type Series = { labelsText: string; writer: ReturnType<typeof createSeriesWriter>; writtenMs: number }

export function createHeartbeats({ db, clock, log, store, onChange, isClosing }: Deps): Heartbeats {
  const rows = new Map<number, HeartbeatRow>()
  const byToken = new Map<string, HeartbeatRow>() // saves reading the database, which takes longer than the rest of a report
  const series = new Map<number, Series>()
  const statuses = new Map<number, HeartbeatStatus[]>()
  const unseen = new Map<number, Unseen>()
  const stoppedChecks = createStoppedChecks<HeartbeatStatus>()
  let isLoaded = false
  let isBusy = false
  let seenMs: number | null = null // time of the last tick
  let watchedSinceMs = clock.now()
  let mustRestart = true // due times may be too far ahead: after a start, a pause or a change of the clock
  let sampledSecond: number | null = null
  const reportTurn = createSharedTurns(() => sleep(reportPauseMs))

  /** Notes that nines is running. After a pause, and after the clock was set, nines counts as having been off until now. */
  function watch(nowMs: number): void {
    const elapsedMs = nowMs - (seenMs ?? -Infinity)
    if (elapsedMs > maxPauseMs || elapsedMs < -minJumpMs) {
      watchedSinceMs = nowMs
      mustRestart = true
    }
    seenMs = nowMs
  }

  function put(row: HeartbeatRow): void {
    const former = rows.get(row.id)
    if (former && former.token_hash !== row.token_hash) byToken.delete(former.token_hash)
    byToken.set(row.token_hash, row)
    rows.set(row.id, row)
    statuses.delete(row.organization_id)
  }

  function drop(row: HeartbeatRow): void {
    const { id, organization_id } = row
    rows.delete(id)
    byToken.delete(row.token_hash)
    statuses.delete(organization_id)
    unseen.delete(id)
    endSeries(id)
    stoppedChecks.add(organization_id, stoppedStatus(row, `${row.name} was deleted`, clock.now()))
    requestEvaluation(row)
  }

  function endSeries(id: number): void {
    void series.get(id)?.writer.end(clock.now())
    series.delete(id)
  }

  /** Writes the samples of a heartbeat; none at a time that its series have passed already, when the clock was set back. */
  function write(row: HeartbeatRow): void {
    const nowMs = clock.now()
    const labelsText = labelsTextOf(row)
    if (series.get(row.id)?.labelsText !== labelsText) {
      endSeries(row.id)
      const labels = heartbeatLabels(row)
      const writer = createSeriesWriter({ store, clock, organizationId: row.organization_id, labels })
      series.set(row.id, { labelsText, writer, writtenMs: -Infinity })
    }
    const own = series.get(row.id)
    if (!own || nowMs <= own.writtenMs) return
    try {
      own.writer.write(samplesOf(row), nowMs)
      own.writtenMs = nowMs
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.warn('samples of a heartbeat not written', { heartbeat: row.id, error: error.details ?? error.message })
    }
  }

  /** Stores the state of a heartbeat after a report or a deadline, and the run that this decided. */
  async function storeStep(
    trx: Db,
    row: HeartbeatRow,
    { progress, run }: { progress: Progress; run: Run | null },
    sent?: ArrivedReport,
  ): Promise<HeartbeatRow> {
    const changed = stateAfter(row, progress, run, sent)
    await storeState(trx, changed)
    if (run) {
      await insertRun(trx, {
        heartbeat_id: row.id,
        at: run.atMs,
        due_at: run.dueMs,
        outcome: run.outcome,
        report: sent ? (sent.kind as HeartbeatReport) : null,
        started_at: run.startedMs,
        duration_ms: run.durationMs,
        exit_code: sent?.exitCode ?? null,
        message: sent?.message ?? null,
      })
    }
    return changed
  }

  /** Takes over a stored change; writes its samples and has the SLOs evaluated if the job failed, or is well again. */
  function noteChange(former: HeartbeatRow, updated: HeartbeatRow): void {
    if (!isDown(former)) noteFailure(updated)
    put(updated)
    if (
      updated.last_outcome === former.last_outcome &&
      updated.runs === former.runs &&
      updated.reason === former.reason
    )
      return
    write(updated)
    if (isDown(former) || isDown(updated)) requestEvaluation(updated)
  }

  function requestEvaluation(row: HeartbeatRow): void {
    onChange(row.organization_id, heartbeatLabels(row), heartbeatMetrics)
  }

  function noteFailure(row: HeartbeatRow): void {
    if (!isDown(row)) return
    for (const status of statusOf(row)) unseen.set(row.id, { status, untilMs: clock.now() + maxUnseenMs })
  }

  function statusNow(row: HeartbeatRow): HeartbeatStatus[] {
    const failure = unseen.get(row.id)
    if (!failure || row.is_active === 0) return statusOf(row)
    const onStored = () => dropUnseen(row.id, failure)
    return (isDown(row) ? statusOf(row) : [failure.status]).map((status) => ({ ...status, onStored }))
  }

  /** Ends the time in which an unseen failure counts even if the job has succeeded since. */
  function dropUnseen(id: number, failure: Unseen): void {
    const row = rows.get(id)
    if (!row || unseen.get(id) !== failure) return
    unseen.delete(id)
    statuses.delete(row.organization_id)
    if (!isDown(row)) requestEvaluation(row)
  }

  type Decided = { former: HeartbeatRow; updated: HeartbeatRow }

  /** Applies `step` to each of these heartbeats, `batchSize` of them in a transaction. */
  async function change(due: HeartbeatRow[], step: (row: HeartbeatRow) => ReturnType<typeof afterDeadline>) {
    for (let at = 0; at < due.length && at < batchSize * maxBatchesPerTick && !isClosing(); at += batchSize) {
      const batch = due.slice(at, at + batchSize)
      const decided = await db.groupCommit(async (trx) => {
        const done: (Decided | HeartbeatRow)[] = []
        for (const known of batch) {
          const former = await heartbeatRows.find(trx, known.organization_id, known.id)
          const made = former?.is_active === 1 ? step(former) : null
          if (!former || !made) done.push(former ?? known)
          else
            done.push({
              former,
              updated: await storeStep(trx, former, { ...made, run: made.run?.outcome ? made.run : null }),
            })
        }
        return done
      })
      for (const one of decided) {
        if ('updated' in one) noteChange(one.former, one.updated)
        else if (rows.has(one.id)) put(one)
      }
      await yieldToEventLoop()
    }
  }

  async function work(nowMs: number): Promise<void> {
    if (!isLoaded) {
      for (const row of await db.groupCommit((trx) => listHeartbeats(trx))) {
        noteFailure(row)
        put(row)
      }
      isLoaded = true
    }
    if (mustRestart) {
      mustRestart = false
      const ahead = chooseActive((row) => limitDueTime(expectationOf(row), progressOf(row), nowMs).dueMs !== row.due_at)
      await change(ahead, (row) => ({
        progress: limitDueTime(expectationOf(row), progressOf(row), nowMs),
        // no outcome: only the due time is stored
        run: { outcome: null, dueMs: null, atMs: nowMs, startedMs: null, durationMs: null },
      }))
    }
    for (const [id, failure] of unseen) if (failure.untilMs <= nowMs) dropUnseen(id, failure)
    const decidedMs = nowMs - deadlineDelayMs
    const due = chooseActive(
      ({ due_at, grace_seconds }) => due_at !== null && due_at + grace_seconds * 1000 <= decidedMs,
    )
    await change(due, (row) => afterDeadline(expectationOf(row), progressOf(row), { nowMs: decidedMs, watchedSinceMs }))
    // each heartbeat is written at its own second of the minute, by its id; `seconds` is how many have passed since the last tick
    const second = Math.floor(nowMs / 1000)
    const seconds = sampledSecond === null ? 1 : Math.min(60, Math.max(0, second - sampledSecond))
    sampledSecond = second
    for (const row of chooseActive(({ id }) => Math.abs(second - id) % 60 < seconds)) write(row)
  }

  /** Active heartbeats that pass the test. Makes no list of all, because it is called every second with thousands of them. */
  function chooseActive(test: (row: HeartbeatRow) => boolean): HeartbeatRow[] {
    const chosen: HeartbeatRow[] = []
    for (const row of rows.values()) if (row.is_active === 1 && test(row)) chosen.push(row)
    return chosen
  }

  return {
    async tick() {
      if (isClosing()) return
      const nowMs = clock.now()
      watch(nowMs)
      if (isBusy) return
      isBusy = true
      try {
        await work(nowMs)
      } finally {
        isBusy = false
      }
    },
    findByToken: (hash) => byToken.get(hash),
    async report({ id, organization_id }, sent) {
      await reportTurn()
      const decided = await db.groupCommit(async (trx) => {
        const former = await heartbeatRows.find(trx, organization_id, id)
        if (former?.is_active !== 1) return former && null // null: paused; undefined: gone
        return {
          former,
          updated: await storeStep(trx, former, afterReport(expectationOf(former), progressOf(former), sent), sent),
        }
      })
      const known = rows.get(id)
      if (decided) noteChange(decided.former, decided.updated)
      else if (decided === undefined && known) drop(known) // the heartbeat was deleted with its organization
      return decided !== undefined
    },
    async reload(organizationId, id) {
      const row = await db.groupCommit((trx) => heartbeatRows.find(trx, organizationId, id))
      const former = rows.get(id)
      if (!row) return former && drop(former)
      const isRelabelled = labelsTextOf(row) !== series.get(id)?.labelsText
      put(row)
      stoppedChecks.resume(organizationId, heartbeatLabels(row))
      if (row.is_active === 0) endSeries(id)
      else if (isRelabelled) write(row)
      if (former && labelsTextOf(former) !== labelsTextOf(row)) {
        stoppedChecks.add(organizationId, stoppedStatus(former, `${former.name} has other labels now`, row.updated_at))
        requestEvaluation(former)
      }
      if (former && former.is_active !== row.is_active) requestEvaluation(row)
    },
    statusesOf: (organizationId) =>
      statuses.getOrInsertComputed(organizationId, () => [
        ...[...rows.values()].filter((row) => row.organization_id === organizationId).flatMap(statusNow),
        ...stoppedChecks.listOf(organizationId),
      ]),
    listOf: (organizationId) =>
      [...rows.values()]
        .filter((row) => row.organization_id === organizationId)
        .map((row) => ({
          name: row.name,
          labels: heartbeatLabels(row),
          metrics: heartbeatMetrics,
          isWaiting: row.due_at === null,
        })),
    async checkOf(organizationId, id) {
      const row = await heartbeatRows.get(db.read, organizationId, id)
      return { labels: heartbeatLabels(row), metrics: heartbeatMetrics }
    },
    runsOf: (organizationId, id) => listDecidedRuns(db.read, organizationId, id),
    intakeOf: (organizationId) =>
      intakeOf(
        chooseActive((row) => row.organization_id === organizationId),
        (id) => series.get(id)?.writtenMs,
      ),
  }
}

/** Columns that the labels of a row are made of: equal for equal labels, without reading them. */
function labelsTextOf({ name, slug, labels }: HeartbeatRow): string {
  return `${name}\n${slug}\n${labels}`
}

/** Row after a report or a deadline. `since` changes when the job begins to fail, and when it is well again. */
function stateAfter(
  row: HeartbeatRow,
  progress: Progress,
  run: Run | null,
  sent: ArrivedReport | undefined,
): HeartbeatRow {
  const updated: HeartbeatRow = {
    ...row,
    due_at: progress.dueMs,
    runs: progress.runs,
    good_runs: progress.goodRuns,
    last_outcome: progress.last,
    starts: JSON.stringify(progress.starts),
  }
  if (!run) return updated
  if (sent?.kind === 'success') {
    updated.last_success_at = run.atMs
    updated.last_duration_ms = run.durationMs
  }
  if (isDown(updated) !== isDown(row)) updated.since = run.atMs
  if (progress.last === 'missed' && run.outcome === 'missed')
    updated.reason = `${missedReason(row, run.atMs)}; ${missedDetails(row, run.dueMs ?? run.atMs)}`
  if (sent?.kind === 'fail' && progress.last === 'failed') updated.reason = failedReason(row, sent.exitCode)
  return updated
}
