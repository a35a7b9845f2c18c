import type { HeartbeatRow } from '../../db/tables/tables.ts'
import { minuteMs } from '../../clock.ts'
import { parseSeriesLabels } from '../collection/fields.ts'
import { type Intake, newer } from '../collection/intake.ts'
import { targetLabels } from '../collection/series/target-labels.ts'
import type { Label } from '../exposition/sample.ts'
import type { Expectation, Progress } from './runs.ts'

/** When the job of a row is expected. */
export function expectationOf(
  row: Pick<HeartbeatRow, 'period_seconds' | 'cron' | 'time_zone' | 'grace_seconds'>,
): Expectation {
  const schedule =
    row.period_seconds === null
      ? { cron: row.cron ?? '', timeZone: row.time_zone ?? 'UTC' }
      : { periodMs: row.period_seconds * 1000 }
  return { schedule, graceMs: row.grace_seconds * 1000 }
}

export function progressOf(row: HeartbeatRow): Progress {
  const { due_at: dueMs, runs, good_runs: goodRuns, last_outcome: last } = row
  return { dueMs, runs, goodRuns, last, starts: JSON.parse(row.starts) }
}

/** True if the last run failed or was missed, and no good report has come since; null: not known. */
export function isDown({ last_outcome: last }: Pick<HeartbeatRow, 'last_outcome'>): boolean | null {
  if (last === null || last === 'unknown') return null
  return last === 'missed' || last === 'failed'
}

/** Labels of the series of a heartbeat, without their names. */
export function heartbeatLabels(row: HeartbeatRow): Label[] {
  return targetLabels({ name: row.name, labels: parseSeriesLabels(row) }, row.slug)
}

/** Current samples of a heartbeat, each with its name but without the labels of the heartbeat. */
export function samplesOf(row: HeartbeatRow): { labels: Label[]; value: number }[] {
  const down = isDown(row)
  const values: [string, number | null][] = [
    ['heartbeat_runs_total', row.runs],
    ['heartbeat_runs_good_total', row.good_runs],
    ['heartbeat_success', down === null ? null : down ? 0 : 1],
    ['heartbeat_duration_seconds', row.last_duration_ms === null ? null : row.last_duration_ms / 1000],
    ['heartbeat_last_success_timestamp_seconds', row.last_success_at === null ? null : row.last_success_at / 1000],
  ]
  return values.flatMap(([name, value]) => (value === null ? [] : [{ labels: [['__name__', name]], value }]))
}

/** Intake from these active heartbeats, whose samples are written each minute. `writtenAt`: time of the last, in Unix ms. */
export function intakeOf(rows: readonly HeartbeatRow[], writtenAt: (id: number) => number | undefined): Intake {
  const intake: Intake = { count: rows.length, samplesPerSecond: 0, series: 0, storedMs: null, lastError: null }
  for (const row of rows) {
    intake.series += samplesOf(row).length
    const writtenMs = writtenAt(row.id)
    if (writtenMs !== undefined) intake.storedMs = Math.max(writtenMs, intake.storedMs ?? -Infinity)
    if (isDown(row) && row.since !== null && row.reason !== null)
      intake.lastError = newer(intake.lastError, { of: row.name, text: row.reason, atMs: row.since })
  }
  return { ...intake, samplesPerSecond: (intake.series * 1000) / minuteMs }
}
