import type { NewExecution } from '../db/tables.ts'
import type { Asked } from './ask.ts'
import type { Measured } from './measured.ts'

type AskedFor = {
  organizationId: number
  sloId: number
  /** The stored source query, where one was asked. */
  queryId: number | null
  sourceName: string
  method: Measured['method']
  nowMs: number
}

/** The row that keeps a question and what came of it. */
export function executionOf(question: Asked, askedFor: AskedFor) {
  return {
    organization_id: askedFor.organizationId,
    slo_id: askedFor.sloId,
    query_id: askedFor.queryId,
    executed_at: question.atMs,
    duration_ms: question.durationMs,
    status: question.error === null ? 'success' : 'error',
    error: question.error,
    result_samples: question.samples,
    metadata: JSON.stringify({
      time_range: question.timeRange,
      source_name: askedFor.sourceName,
      part: question.part,
      expression: question.expression,
      window_method: question.part === 'as_stored' ? 'as_stored' : askedFor.method,
    }),
    created_at: askedFor.nowMs,
  } satisfies NewExecution
}
