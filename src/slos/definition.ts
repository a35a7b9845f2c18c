import type { SloRow } from '../db/tables/tables.ts'
import type { Problem, ProblemCode } from '../errors.ts'
import { policyProblems } from './budget-policy.ts'
import { isCalendarWindow, type SloWindow } from './arithmetic/windows.ts'
import { compositeProblems } from './composites/composites.ts'
import type { SentComposite } from './composites/model.ts'
import { serviceHoursProblems } from './corrections/read-service-hours.ts'
import { labelProblems } from './labels.ts'

/** Definition of how an SLO is measured; docs/slo-math.md, "SLI". */
export type Definition = Pick<
  SloRow,
  'metric_query' | 'good_query' | 'bad_query' | 'total_query' | 'threshold' | 'threshold_op' | 'window_method'
>

/** Review of a definition. `isPromql`: every query was read as PromQL. `warnings`: likely mistakes, in sentences. */
export type Review = { isPromql: boolean; warnings: string[] }

export const queryFields = ['metric_query', 'good_query', 'bad_query', 'total_query'] as const
export type QueryField = (typeof queryFields)[number]

/** Definition as sent, completed with defaults. */
export function completeDefinition(sent: { [Field in keyof Definition]?: Definition[Field] | undefined }): Definition {
  return {
    metric_query: sent.metric_query ?? null,
    good_query: sent.good_query ?? null,
    bad_query: sent.bad_query ?? null,
    total_query: sent.total_query ?? null,
    threshold: sent.threshold ?? null,
    threshold_op: sent.threshold_op ?? null,
    window_method: sent.window_method ?? 'auto',
  }
}

/** Window of an SLO as sent; a calendar window without a zone has that of the organization. */
export type SentWindow = { time_window: SloWindow; time_zone?: string | null | undefined }

/** Problem of a time zone sent with a rolling window, which has none. */
export function windowProblems({ time_window, time_zone = null }: SentWindow): Problem[] {
  if (time_zone === null || isCalendarWindow(time_window)) return []
  const message = `needs a calendar window (week, month, quarter or year); time_window is ${time_window}`
  return [{ field: 'time_zone', message, code: 'exclusive' }]
}

type Sent = Parameters<typeof completeDefinition>[0] &
  SentWindow & {
    labels?: unknown
    budget_policy?: unknown
    service_hours?: unknown
    composite?: SentComposite | null | undefined
    source_id?: number | null | undefined
  }

/** Problems of a new SLO as sent, beyond those that the schemas of its fields find. */
export function creationProblems(sent: Sent): Problem[] {
  return [
    ...windowProblems(sent),
    ...labelProblems(sent.labels),
    ...policyProblems(sent.budget_policy),
    ...serviceHoursProblems(sent.service_hours),
    ...compositeProblems(sent.composite),
    ...definitionProblems({
      ...completeDefinition(sent),
      composite: sent.composite,
      source_id: sent.source_id,
      service_hours: sent.service_hours,
    }),
  ]
}

/** Problems of a definition whose parts do not fit together. */
export function definitionProblems(
  slo: Definition & { composite?: unknown; source_id?: number | null | undefined; service_hours?: unknown },
): Problem[] {
  if (slo.composite) {
    const fields = [...queryFields, 'threshold', 'threshold_op', 'source_id', 'service_hours'] as const
    const sentFields = fields.filter((field) => (slo[field] ?? null) !== null)
    return sentFields.map((field) => ({ field, message: 'cannot be sent with composite', code: 'exclusive' }))
  }
  const hasCounts = slo.good_query !== null || slo.bad_query !== null
  const hasTotal = slo.total_query !== null
  const problems: [isWrong: boolean, code: ProblemCode, field: keyof Definition, message: string][] = [
    [
      slo.good_query !== null && slo.bad_query !== null,
      'exclusive',
      'bad_query',
      'cannot be sent with good_query: send one of the two',
    ],
    [hasCounts && !hasTotal, 'required', 'total_query', 'is required with good_query or bad_query'],
    [!hasCounts && hasTotal, 'required', 'total_query', 'needs good_query or bad_query'],
    [
      slo.metric_query === null && !hasCounts && !hasTotal,
      'required',
      'metric_query',
      'is required, or total_query with good_query or bad_query, or composite',
    ],
    [
      (slo.threshold === null) !== (slo.threshold_op === null),
      'required',
      'threshold',
      'must be given as threshold and threshold_op together',
    ],
    [slo.threshold !== null && hasCounts, 'exclusive', 'threshold', 'cannot be sent with good_query or bad_query'],
  ]
  return problems.flatMap(([isWrong, code, field, message]) => (isWrong ? [{ field, message, code }] : []))
}

/** A query inside a composed expression, by offsets: `[from, to)` is its text, `[from - 1, closedAt)` includes its parentheses. */
export type ComposedQuery = {
  field: 'good_query' | 'bad_query' | 'total_query'
  from: number
  to: number
  closedAt: number
}

type Queries = Pick<Definition, 'good_query' | 'bad_query' | 'total_query'>

/** Composes a pair of counting queries into one expression, with their positions; `null` without a pair. With both, `good_query` counts. */
export function composePair(queries: Queries): { text: string; parts: [ComposedQuery, ComposedQuery] } | null {
  const field = queries.good_query === null ? 'bad_query' : 'good_query'
  const counted = queries[field]
  if (counted === null || queries.total_query === null) return null
  const first = enclosed(field, counted, field === 'bad_query' ? '1 - ' : '')
  const second = enclosed('total_query', queries.total_query, `${first.text} / `)
  return { text: second.text, parts: [first.part, second.part] }
}

/** A query in parentheses. It may end in a comment, which would swallow what follows on its line. */
export function parenthesized(query: string): string {
  return `(${query}${query.includes('#') ? '\n' : ''})`
}

function enclosed(field: ComposedQuery['field'], query: string, prefix: string): { text: string; part: ComposedQuery } {
  const text = prefix + parenthesized(query)
  const from = prefix.length + 1
  return { text, part: { field, from, to: from + query.length, closedAt: text.length } }
}
