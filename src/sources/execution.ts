import { isoTime } from '../clock.ts'
import type { NewExecution } from '../db/tables/tables.ts'
import { calculationWindows, windowName, windowSeconds } from '../slos/arithmetic/windows.ts'
import type { Asked } from './ask.ts'
import { maxRange } from '../promql/analysis/widen.ts'

type AskedFor = {
  organizationId: number
  sloId: number
  /** The stored source query, where one was asked. */
  queryId: number | null
  sourceName: string
  method: string
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
      ...rangeOf(question),
      source_name: askedFor.sourceName,
      part: question.part,
      expression: question.expression,
      window_method: question.part === 'as_stored' ? 'as_stored' : askedFor.method,
    }),
    created_at: askedFor.nowMs,
  } satisfies NewExecution
}

/** What was really read: of an instant query, what its longest range reaches back to, whichever window it is asked for. */
function rangeOf({ timeRange, expression, points }: Asked) {
  const { startSeconds, endSeconds, stepSeconds } = points
  const askedSeconds = windowSeconds(timeRange)
  const seconds = stepSeconds === null ? (maxRange(expression) ?? askedSeconds) : askedSeconds
  const from = stepSeconds === null ? endSeconds - seconds : startSeconds
  return {
    time_range: seconds === askedSeconds ? timeRange : nameOf(seconds),
    start_time: isoTime(from * 1000),
    end_time: isoTime(endSeconds * 1000),
    step_seconds: stepSeconds,
  }
}

function nameOf(seconds: number): string {
  if (seconds === 0) return 'instant'
  const known = calculationWindows.find((window) => windowSeconds(window) === seconds)
  return known ?? (seconds % 60 === 0 ? windowName(seconds) : `${seconds}s`)
}
