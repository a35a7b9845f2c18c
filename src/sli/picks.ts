import { unquoted } from '../promql/literals.ts'
import { memoizeByText } from '../promql/memoize-text.ts'
import { readPromql } from '../promql/read.ts'
import type { Expr } from '../promql/syntax.ts'
import { aggregatorOf, argumentsOf, calledFunction } from '../promql/tree.ts'
import type { Definition, QueryField } from '../slos/definition.ts'
import type { PickedFilter, Picks } from '../slos/picks-model.ts'

type Queries = Pick<Definition, QueryField | 'threshold'> & { threshold_op: string | null }
type Selected = { metric: string; filters: PickedFilter[] }
type Rate = Selected & { range: string }

/**
 * Picks, which are the choices in the form of an SLO, from which it writes queries like these, white space and quotes aside; null if
 * there are none. Picks cannot express a comment, nor a matcher without a value, which the form takes as not chosen yet.
 */
export function picksOf({ metric_query, good_query, bad_query, total_query, threshold, threshold_op }: Queries) {
  return picksOfText(JSON.stringify({ metric_query, good_query, bad_query, total_query, threshold, threshold_op }))
}

const picksOfText = memoizeByText((text) => readPicks(JSON.parse(text) as Queries))

function readPicks(queries: Queries): Picks | null {
  const { good_query, bad_query, total_query, metric_query, threshold, threshold_op } = queries
  const counted = good_query ?? bad_query
  if (counted !== null && total_query !== null)
    return pairPicks(treeOf(counted), treeOf(total_query), good_query === null ? 'bad' : 'good')
  const query = treeOf(metric_query)
  if (threshold === null) return ratioPicks(query) ?? sitePicks(query)
  return threshold_op === 'lte' ? (quantilePicks(query) ?? agePicks(query)) : null
}

/** Longest query that is read: an SLO is read often, and picks are short. */
const maxCharacters = 2000

/** Tree of a query; undefined if it has comments or cannot be read. */
function treeOf(query: string | null): Expr | undefined {
  if (query === null) return undefined
  const { root, quoted } = readPromql(query, maxCharacters)
  return root === null || quoted.some(({ from }) => query.charAt(from) === '#') ? undefined : root
}

function pairPicks(counted: Expr | undefined, total: Expr | undefined, counts: 'good' | 'bad'): Picks | null {
  const picked = sumsPicks(summedRate(counted), summedRate(total), counts)
  if (picked || counts === 'good') return picked
  const [done, added] = (sidesOf(total, '+') ?? []).map(summedRate)
  const failed = summedRate(counted)
  const isSame = done && failed && isEqual(added, failed) && isEqual({ ...done, metric: failed.metric }, failed)
  return isSame ? jobsPicks(failed, done, 'done') : null
}

/** Picks of `good / all` or `1 - bad / all`. */
function ratioPicks(query: Expr | undefined): Picks | null {
  const [one, ratio] = sidesOf(query, '-') ?? []
  const isRest = one?.kind === 'number' && one.text === '1'
  const [counted, total] = sidesOf(isRest ? ratio : query, '/') ?? []
  return sumsPicks(summedRate(counted), summedRate(total), isRest ? 'bad' : 'good')
}

function sumsPicks(counted: Rate | null, total: Rate | null, counts: 'good' | 'bad'): Picks | null {
  if (!counted || !total || counted.range !== total.range) return null
  const { metric, filters, range } = total
  const matching = filtersWithout(counted.filters, filters)
  if (matching === null) return null
  if (counted.metric === metric && metric !== '')
    return matching.length === 0 ? null : { kind: 'requests', metric, filters, counts, matching, range }
  const family = familyOf(counted.metric)
  if (counts === 'good' && family !== null && metric === `${family}_count`) {
    const [le, ...others] = matching
    if (le?.label !== 'le' || le.op !== '=' || others.length > 0) return null
    return { kind: 'latency', by: 'share', metric: family, filters, le: le.value, range }
  }
  return counts === 'bad' && matching.length === 0 ? jobsPicks(counted, total, 'all') : null
}

function jobsPicks(failed: Rate, other: Rate, other_counts: 'all' | 'done'): Picks | null {
  const { filters, range } = failed
  if (failed.metric === '' || other.metric === '') return null
  return { kind: 'jobs', by: 'counters', failed: failed.metric, other: other.metric, other_counts, filters, range }
}

function sitePicks(query: Expr | undefined): Picks | null {
  const series = argumentOf(query, 'avg') ?? query
  const mean = argumentOf(series, 'avg_over_time')
  const { metric, ...picks } = (mean ? rangePicks(mean) : selectorPicks(series)) ?? { metric: '', filters: [] }
  return metric === 'probe_success' && picks.filters.length > 0 ? { kind: 'site', ...picks } : null
}

function quantilePicks(query: Expr | undefined): Picks | null {
  const [rank, sum] = query && calledFunction(query) === 'histogram_quantile' ? argumentsOf(query) : []
  const rate = rateOf(argumentOf(sum, 'sum', ['le']))
  const family = rate && familyOf(rate.metric)
  if (!family || rank?.kind !== 'number' || !/^\d*\.?\d+$/.test(rank.text)) return null
  const { filters, range } = rate
  return { kind: 'latency', by: 'quantile', metric: family, filters, quantile: rank.text, range }
}

/** Picks of `time() - max(…)`. */
function agePicks(query: Expr | undefined): Picks | null {
  const [time, last] = sidesOf(query, '-') ?? []
  const picks = selectorPicks(argumentOf(last, 'max'))
  const isAge = time && calledFunction(time) === 'time' && picks && picks.metric !== ''
  return isAge ? { kind: 'jobs', by: 'age', ...picks } : null
}

const summedRate = (expr: Expr | undefined) => rateOf(argumentOf(expr, 'sum'))
const rateOf = (expr: Expr | undefined) => rangePicks(argumentOf(expr, 'rate'))

/** Only argument of a call, or of an aggregation by these labels. */
function argumentOf(expr: Expr | undefined, name: string, by: string[] = []): Expr | undefined {
  if (!expr || (calledFunction(expr) || aggregatorOf(expr)) !== name) return undefined
  const grouping = (expr.kind === 'aggregate' && expr.grouping) || { without: false, labels: [] }
  const [argument, ...others] = argumentsOf(expr)
  return others.length > 0 || grouping.without || !isEqual(grouping.labels, by) ? undefined : argument
}

/** Operands of a plain binary operation. */
function sidesOf(expr: Expr | undefined, operator: string): [Expr, Expr] | null {
  if (expr?.kind !== 'binary' || expr.operator !== operator || expr.matching || expr.fill !== null) return null
  return [expr.left, expr.right]
}

function rangePicks(expr: Expr | undefined): Rate | null {
  if (expr?.kind !== 'range' || expr.range.kind !== 'number' || !/^\d+[smhdw]$/.test(expr.range.text)) return null
  const picks = selectorPicks(expr.expr)
  return picks && { ...picks, range: expr.range.text }
}

function selectorPicks(expr: Expr | undefined): Selected | null {
  if (expr?.kind !== 'selector') return null
  const names = expr.matchers.flatMap(({ label, value }) => (label === null ? unquoted(value) : []))
  const [metric = '', ...others] = expr.metric === null ? names : [expr.metric, ...names]
  const filters = expr.matchers.flatMap(({ label, operator, value }) =>
    label === null ? [] : { label: unquoted(label), op: operator, value: unquoted(value) },
  )
  return metric === null || others.length > 0 || !filters.every(isFilter) ? null : { metric, filters }
}

/** True for a matcher that can be read and has a value. */
function isFilter(filter: {
  label: string | null
  op: PickedFilter['op']
  value: string | null
}): filter is PickedFilter {
  return filter.label !== null && filter.label !== '__name__' && Boolean(filter.value)
}

/** Name of the histogram whose buckets a metric has; null for any other metric. */
function familyOf(metric: string): string | null {
  return metric.length > '_bucket'.length && metric.endsWith('_bucket') ? metric.slice(0, -'_bucket'.length) : null
}

/** Filters of `all` without those of `some`; null if one of those is missing. */
function filtersWithout(all: PickedFilter[], some: PickedFilter[]): PickedFilter[] | null {
  const rest = [...all]
  for (const filter of some) {
    const at = rest.findIndex((one) => isEqual(one, filter))
    if (at < 0) return null
    rest.splice(at, 1)
  }
  return rest
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
