import type { ApiProblem } from '../../api/client.ts'
import type { Draft } from './draft.ts'
import type { BuilderInputs } from './picks/picks.ts'
import { type Filter, writeFilter } from './picks/promql.ts'

/** A change that solves a problem, with its button label. */
export type Fix = { label: string; apply: (draft: Draft) => Partial<Draft> }

const maxValues = 4

/** Changes of a draft that solve a problem; empty if there are none that can be applied. */
export function fixesOf({ code, params = {}, fix = {} }: ApiProblem, draft: Draft): Fix[] {
  if (code === 'no_matching_series') return otherValues(params as MatcherParams)
  if (code === 'part_of_values') return wholeValues(params as MatcherParams & { pattern: string })
  if (code === 'no_metric') return otherMetrics(params as MetricParams)
  const { query_unit: unit, target, metric_query: query, good_query: good, bad_query: bad } = fix
  if (typeof unit === 'string') return [{ label: `Read it as a ${unit}`, apply: () => ({ queryUnit: unit }) }]
  if (typeof target === 'number') return [{ label: `Use ${target}`, apply: () => ({ target: String(target) }) }]
  if (typeof good === 'string') return countAs(draft, 'good')
  if (typeof bad === 'string') return countAs(draft, 'bad')
  if (typeof query !== 'string' || draft.kind !== 'promql') return []
  const wrapper = code === 'several_series' ? 'avg' : '1 - '
  const apply = ({ picks }: Draft) => ({ picks: { ...picks, promql: { ...picks.promql, metric_query: query } } })
  return [{ label: `Write ${wrapper}(…) around it`, apply }]
}

type MatcherParams = { matcher: string; label: string; operator: Filter['op']; value: string; values: string[] }
type MetricParams = { metric: string; metrics: string[] }

/** Fixes that replace the value of a matcher. */
function otherValues({ matcher, label, operator: op, value: old, values }: MatcherParams): Fix[] {
  return values.slice(0, maxValues).map((value) => ({
    label: `Use ${label}=${value}`,
    apply: (draft) => withFilter(draft, matcher, { label, op, value: old }, { label, op: '=', value }),
  }))
}

/** Fix that lets a matcher match whole values. */
function wholeValues({ matcher, label, operator: op, value, pattern }: MatcherParams & { pattern: string }): Fix[] {
  return [
    {
      label: `Use ${label} ${op} ${pattern}`,
      apply: (draft) => withFilter(draft, matcher, { label, op, value }, { label, op, value: pattern }),
    },
  ]
}

function otherMetrics({ metric, metrics }: MetricParams): Fix[] {
  return metrics.slice(0, maxValues).map((name) => ({
    label: `Use ${name}`,
    apply: (draft) => withMetric(draft, metric, name),
  }))
}

function withFilter(draft: Draft, text: string, from: Filter, to: Filter): Partial<Draft> {
  const { kind, picks } = draft
  if (kind === 'promql') return { picks: rewrite(picks, (query) => query.replaceAll(text, writeFilter(to))) }
  if (kind === 'latency' && from.label === 'le')
    return { picks: { ...picks, latency: { ...picks.latency, le: to.value } } }
  const isReplaced = (one: Filter) => one.label === from.label && one.op === from.op && one.value === from.value
  const withReplacement = (filters: Filter[]) => filters.map((one) => (isReplaced(one) ? to : one))
  const of = picks[kind]
  const filters = withReplacement(of.filters)
  const changed = 'matching' in of ? { ...of, filters, matching: withReplacement(of.matching) } : { ...of, filters }
  return { picks: { ...picks, [kind]: changed } }
}

function withMetric({ kind, picks }: Draft, from: string, to: string): Partial<Draft> {
  if (kind === 'promql') {
    const name = new RegExp(`(?<![\\w:])${from.replace(/[^\w:]/g, '\\$&')}(?![\\w:])`, 'g')
    return { picks: rewrite(picks, (query) => query.replace(name, () => to)) }
  }
  const other = (metric: string) => (metric === from ? to : metric)
  const family = (metric: string) => metric.replace(/_(?:bucket|count)$/, '')
  const { requests, latency, jobs } = picks
  const renamed: BuilderInputs = {
    ...picks,
    requests: { ...requests, metric: other(requests.metric) },
    latency: { ...latency, metric: latency.metric === family(from) ? family(to) : latency.metric },
    jobs: { ...jobs, failed: other(jobs.failed), other: other(jobs.other), metric: other(jobs.metric) },
  }
  return { picks: { ...picks, [kind]: renamed[kind] } }
}

function rewrite(picks: BuilderInputs, write: (query: string) => string): BuilderInputs {
  const { metric_query, counted, total_query } = picks.promql
  const promql = {
    ...picks.promql,
    metric_query: write(metric_query),
    counted: write(counted),
    total_query: write(total_query),
  }
  return { ...picks, promql }
}

/** Fix that counts the events as good, or as bad. */
function countAs({ kind, picks }: Draft, side: 'good' | 'bad'): Fix[] {
  const label = `Count them as ${side}`
  if (kind === 'requests') {
    return [{ label, apply: ({ picks }) => ({ picks: { ...picks, requests: { ...picks.requests, counts: side } } }) }]
  }
  if (kind !== 'promql' || (picks.promql.type !== 'good' && picks.promql.type !== 'bad')) return []
  return [{ label, apply: ({ picks }) => ({ picks: { ...picks, promql: { ...picks.promql, type: side } } }) }]
}
