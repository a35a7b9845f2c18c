import { minuteMs } from '../../clock.ts'
import type { HeartbeatRow } from '../../db/tables/tables.ts'
import type { Label } from '../exposition/sample.ts'
import { heartbeatLabels, isDown } from './heartbeat.ts'

/** Status of a heartbeat for the state of an SLO, in the form that probes have. A heartbeat has none before its first report. */
export type HeartbeatStatus = {
  name: string
  labels: readonly Label[]
  metrics: readonly string[]
  isDown: boolean | null
  isUnconfirmed: boolean
  sinceMs: number | null
  error: string | null
  intervalMs: number
  failedMs: number | null
  isOfJob: true
  nextAtMs: number
  /** Id of the heartbeat. */
  heartbeatId: number
  /** Why nothing is reported any more, since `sinceMs`; absent: the heartbeat is active. */
  stopped?: string
  /** To be called once an evaluation that read this status is stored. */
  onStored?: () => void
}

export const heartbeatMetrics = ['heartbeat_runs_total', 'heartbeat_runs_good_total', 'heartbeat_success']

/** Status of a heartbeat; empty before its first report, unless it is paused. */
export function statusOf(row: HeartbeatRow): HeartbeatStatus[] {
  if (row.is_active === 0) return [stoppedStatus(row, `${row.name} is paused`, row.updated_at)]
  if (row.due_at === null) return []
  const down = isDown(row)
  return [
    {
      name: row.name,
      labels: heartbeatLabels(row),
      metrics: heartbeatMetrics,
      isDown: down,
      isUnconfirmed: false,
      sinceMs: row.since,
      error: down ? row.reason : null,
      intervalMs: minuteMs,
      failedMs: null,
      isOfJob: true,
      nextAtMs: row.due_at,
      heartbeatId: row.id,
    },
  ]
}

/** Status of a heartbeat for which nothing is reported any more since `sinceMs`. `stopped`: sentence that says why. */
export function stoppedStatus(row: HeartbeatRow, stopped: string, sinceMs: number): HeartbeatStatus {
  return {
    name: row.name,
    labels: heartbeatLabels(row),
    metrics: heartbeatMetrics,
    isDown: null,
    isUnconfirmed: false,
    sinceMs,
    error: null,
    intervalMs: minuteMs,
    failedMs: null,
    isOfJob: true,
    nextAtMs: sinceMs,
    heartbeatId: row.id,
    stopped,
  }
}
