import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import type { ExecutionRow } from '../db/tables/tables.ts'

/** A question to a source and what came of it, as the API shows it. */
export const Execution = t.Object(
  {
    id: t.Number(),
    query_id: t.Nullable(t.Number()),
    slo_id: t.Number(),
    execution_time: t.String(),
    execution_duration_ms: t.Number(),
    status: t.String(),
    error: t.Optional(t.String()),
    result_samples: t.Number(),
    metadata: t.Object({
      time_range: t.String({ description: 'what was read: a window or range, or instant' }),
      start_time: t.Optional(t.String({ description: 'the first point, or what an instant query reaches back to' })),
      end_time: t.Optional(t.String()),
      step_seconds: t.Optional(t.Nullable(t.Number({ description: 'null: an instant query at end_time' }))),
      source_name: t.String(),
      part: t.String(),
      expression: t.String(),
      window_method: t.String(),
    }),
    created_at: t.String(),
  },
  { title: 'Execution' },
)

export function presentExecution(row: ExecutionRow) {
  return {
    id: row.id,
    query_id: row.query_id,
    slo_id: row.slo_id,
    execution_time: isoTime(row.executed_at),
    execution_duration_ms: row.duration_ms,
    status: row.status,
    ...(row.error === null ? {} : { error: row.error }),
    result_samples: row.result_samples,
    metadata: JSON.parse(row.metadata),
    created_at: isoTime(row.created_at),
  }
}
