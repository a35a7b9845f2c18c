import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import type { HeartbeatRow, HeartbeatRunRow } from '../../db/tables/tables.ts'
import { Anything, Format, Name, OneOf, Text, WholeNumber } from '../../http/schemas.ts'
import { parseSeriesLabels } from '../collection/fields.ts'
import { SeriesLabels } from '../collection/fields-model.ts'
import { progressOf } from './heartbeat.ts'
import { stateOf } from './runs.ts'

const maxSeconds = 31_536_000

const fields = {
  name: Name({ max: 200 }),
  slug: t.Optional(Format('slug', '1 to 100 of a to z, 0 to 9, - and _', (value) => /^[a-z0-9_-]{1,100}$/.test(value))),
  period_seconds: t.Optional(t.Nullable(WholeNumber({ min: 60, max: maxSeconds }))),
  cron: t.Optional(t.Nullable(Text({ max: 100 }))),
  time_zone: t.Optional(t.Nullable(Text({ max: 100 }))),
  grace_seconds: t.Optional(WholeNumber({ min: 60, max: maxSeconds })),
  labels: t.Optional(Anything(SeriesLabels)), // read by readSeriesLabels, because Elysia alters records
  is_active: t.Optional(t.Boolean({ description: 'true or false' })),
}

export const HeartbeatCreation = t.Object(fields, {
  title: 'HeartbeatCreation',
  examples: [
    { name: 'Nightly backup', cron: '30 2 * * *', time_zone: 'Europe/Zurich', grace_seconds: 3600 },
    { name: 'queue worker', period_seconds: 300, grace_seconds: 60 },
  ],
})

export const HeartbeatUpdate = t.Object(
  { ...fields, name: t.Optional(fields.name) },
  { title: 'HeartbeatUpdate', examples: [{ grace_seconds: 7200 }] },
)

export type HeartbeatCreation = Static<typeof HeartbeatCreation>
export type HeartbeatUpdate = Static<typeof HeartbeatUpdate>

const notDue = 'null: it is paused, or no success or failure has been reported yet; with a period, a start is enough'

const fieldsOfHeartbeat = {
  id: t.Number(),
  organization_id: t.Number(),
  name: t.String(),
  slug: t.String(),
  period_seconds: t.Nullable(t.Number({ description: 'null: cron and time_zone say when it is due' })),
  cron: t.Nullable(t.String({ description: 'null: it is due a period after each report' })),
  time_zone: t.Nullable(t.String({ description: 'null: it is due a period after each report' })),
  grace_seconds: t.Number(),
  labels: t.Record(t.String(), t.String()),
  is_active: t.Boolean(),
  state: OneOf(
    ['paused', 'waiting', 'up', 'due', 'missed', 'failed', 'unknown'],
    '`due`: the due time has passed, the deadline has not; `unknown`: nines was off when the last run was due',
  ),
  state_since: t.Nullable(t.String({ description: 'when it began to fail, or was well again; null: not known' })),
  reason: t.Nullable(t.String({ description: 'why the last run failed; null: it did not' })),
  is_running: t.Boolean(),
  next_due_at: t.Nullable(t.String({ description: notDue })),
  deadline_at: t.Nullable(t.String({ description: notDue })),
  runs: t.Number({ description: 'how many were good, failed or missed' }),
  good_runs: t.Number({ description: 'how many of them were good' }),
  last_success_at: t.Nullable(t.String()),
  last_duration_ms: t.Nullable(
    t.Number({
      description:
        'of the last success; null: there was none, or its job reported neither its duration nor a start at most 72 hours before',
    }),
  ),
  ping_url: t.Nullable(
    t.String({ description: 'the secret address that the job calls; null for users who are no administrators' }),
  ),
  created_at: t.String(),
  updated_at: t.String(),
}

export const Heartbeat = t.Object(fieldsOfHeartbeat, { title: 'Heartbeat' })

export const HeartbeatRun = t.Object(
  {
    id: t.Number(),
    at: t.String({ description: 'of the report; of the deadline where none came' }),
    due_at: t.Nullable(t.String({ description: 'null: a late report, a log, or a report beside the schedule' })),
    outcome: t.Nullable(
      OneOf(
        ['good', 'failed', 'missed', 'unknown', 'late'],
        '`late`: a report after a deadline, no run of its own; null: a log, or a report beside the schedule',
      ),
    ),
    report: t.Nullable(OneOf(['success', 'fail', 'log'], 'what the job said; null: nothing came')),
    started_at: t.Nullable(t.String()),
    duration_ms: t.Nullable(t.Number()),
    exit_code: t.Nullable(t.Number({ description: 'exit code of the job, 0 to 255; null: it said none' })),
    message: t.Nullable(t.String({ description: 'what the job sent, its first 10 kB; null: nothing' })),
  },
  { title: 'HeartbeatRun' },
)

export const HeartbeatDetail = t.Object(
  { ...fieldsOfHeartbeat, last_runs: t.Array(HeartbeatRun, { description: 'the last 50, newest first' }) },
  { title: 'HeartbeatDetail' },
)

/** `pingUrl`: null for users who may not see it. */
export function presentHeartbeat(
  row: HeartbeatRow,
  { nowMs, pingUrl }: { nowMs: number; pingUrl: string | null },
): Static<typeof Heartbeat> {
  const isPaused = row.is_active === 0
  const dueMs = isPaused ? null : row.due_at
  const progress = progressOf(row)
  const state = isPaused ? 'paused' : stateOf(progress, nowMs)
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    slug: row.slug,
    period_seconds: row.period_seconds,
    cron: row.cron,
    time_zone: row.time_zone,
    grace_seconds: row.grace_seconds,
    labels: parseSeriesLabels(row),
    is_active: !isPaused,
    state,
    state_since: isoTimeOrNull(row.since),
    reason: state === 'missed' || state === 'failed' ? row.reason : null,
    is_running: Object.keys(progress.starts).length > 0,
    next_due_at: isoTimeOrNull(dueMs),
    deadline_at: isoTimeOrNull(dueMs === null ? null : dueMs + row.grace_seconds * 1000),
    runs: row.runs,
    good_runs: row.good_runs,
    last_success_at: isoTimeOrNull(row.last_success_at),
    last_duration_ms: row.last_duration_ms,
    ping_url: pingUrl,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

export function presentRun(row: HeartbeatRunRow): Static<typeof HeartbeatRun> {
  return {
    id: row.id,
    at: isoTime(row.at),
    due_at: isoTimeOrNull(row.due_at),
    outcome: row.outcome,
    report: row.report,
    started_at: isoTimeOrNull(row.started_at),
    duration_ms: row.duration_ms,
    exit_code: row.exit_code,
    message: row.message,
  }
}
