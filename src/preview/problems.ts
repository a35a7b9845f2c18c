import { isCalendarWindow } from '../slos/arithmetic/windows.ts'
import type { ProblemFix } from '../errors.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { type Definition, parenthesized } from '../slos/definition.ts'
import type { Tier } from '../slos/arithmetic/burn-rates.ts'
import { groupsLeftOut } from '../sli/measure.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { metricNames } from '../promql/analysis/counters/raw-quantity.ts'
import { readPromql } from '../promql/read.ts'
import type { PreviewProblem } from './selectors.ts'
import type { Measurement, Sli, SliUnit, UnknownReason } from '../sli/sli.ts'

type Previewed = {
  slo: Definition & Pick<SloRow, 'target' | 'time_window' | 'query_unit'>
  plan: SliPlan
  own: Measurement
  sli: Sli
  unit: SliUnit | null
  tiers: Tier[]
  /** Problems of selectors that find nothing. */
  silent: PreviewProblem[]
  /** Problem of a label by whose values the query is grouped. */
  grouping: PreviewProblem | null
  /** Problem of a matcher that excludes nothing. */
  partOfValues: PreviewProblem | null
}

/** Problems of an SLO, from its measurement over its own window, worst first. */
export function problemsOf(previewed: Previewed): PreviewProblem[] {
  return [
    ...previewed.silent,
    noSli(previewed),
    wrongUnit(previewed),
    failuresCountedAsGood(previewed),
    moreGoodThanAll(previewed),
    severalSeries(previewed),
    previewed.partOfValues,
    previewed.grouping,
    noBudget(previewed),
    alertsThatCannotFire(previewed),
  ].filter((problem) => problem !== null)
}

/** Field that a problem of the whole query belongs to. */
function fieldOfQuery({ good_query, bad_query, total_query }: Definition) {
  if (total_query === null) return 'metric_query'
  return good_query === null && bad_query !== null ? 'bad_query' : 'good_query'
}

function noSli({ slo, plan, sli, unit }: Previewed): PreviewProblem | null {
  if (!('reason' in sli) || sli.reason === 'no_data' || sli.reason === 'unknown_member') return null
  const field = fieldOfQuery(slo)
  if (plan.problem !== null) return { field, message: plan.problem, code: 'unmeasurable', params: {}, hint: null }
  const code = sli.reason
  if (code === 'not_a_ratio') {
    return {
      field,
      code,
      params: {},
      message: 'This is a quantity, not a ratio of good to all events.',
      hint: ratioInstead(slo.metric_query),
    }
  }
  const { message } = sli
  if (code === 'out_of_range' && unit === 'ratio' && slo.query_unit === 'ratio') {
    const hint = 'If it is a percentage, set query_unit to percent.'
    return { field: 'query_unit', message, code, params: {}, fix: { query_unit: 'percent' }, hint }
  }
  return { field, message, code, params: {}, hint: hints[code] }
}

const hints: Record<Exclude<UnknownReason, 'no_data' | 'not_a_ratio' | 'unknown_member'>, string> = {
  no_traffic: 'If there should have been events, check the labels of what is counted as all of them.',
  not_a_number:
    'An SLI is one number: put rate(…) around samples over a range, sum(…) around series, and see that nothing is divided by 0.',
  out_of_range: 'What counts as good, or as bad, has to be a part of all events: check the labels of both sides.',
}

/** Hint with both alternatives, a threshold or a ratio, for the metric of the query. */
function ratioInstead(query: string | null): string {
  const { root } = readPromql(query ?? '')
  const name = root ? (metricNames(root).find((one) => one !== '') ?? 'x') : 'x'
  const histogram = /^(.+)_(?:bucket|sum|count)$/.exec(name)?.[1]
  const ratio = histogram
    ? `sum(rate(${histogram}_bucket{le="0.3"}[5m])) / sum(rate(${histogram}_count[5m]))`
    : `sum(rate(${name}{code!~"5.."}[5m])) / sum(rate(${name}[5m]))`
  return `Set a bound, as with threshold: 0.3 and threshold_op: lte, and the SLI is the share of time in which it holds. Or divide good events by all events: ${ratio}.`
}

/** Detects values of at most 1 that are read as percentages. With two sides the unit is certain: such values are an outage. */
function wrongUnit({ slo, plan, own: { result }, unit }: Previewed): PreviewProblem | null {
  if (unit !== 'percent' || (slo.query_unit !== 'percent' && plan.sides)) return null
  if (!('value' in result) || result.largest <= 0 || result.largest > 1.05) return null
  return {
    field: 'query_unit',
    code: 'wrong_unit',
    params: { highest_value: round(result.largest) },
    fix: { query_unit: 'ratio' },
    message: `The highest value of the query is ${round(result.largest)}, which is read as ${round(result.largest)} %.`,
    hint: 'If it is a share between 0 and 1, set query_unit to ratio.',
  }
}

/** Detects failures that are taken for successes: the SLI of a healthy service is then near 0. */
function failuresCountedAsGood({ slo, plan, sli, silent }: Previewed): PreviewProblem | null {
  if (silent.length > 0) return null
  if (!('percent' in sli) || sli.percent >= 10 || slo.target < 50 || plan.isAssessed) return null
  const field = fieldOfQuery(slo)
  const counts = field === 'bad_query' ? 'bad_query counts what succeeds' : 'the query counts what fails'
  const fix = otherSide(slo, field)
  const fixes = {
    metric_query: 'write 1 - (…) around it',
    good_query: 'send it as bad_query',
    bad_query: 'send it as good_query',
  }
  return {
    field,
    code: 'inverted',
    params: { sli_percent: round(sli.percent) },
    ...(fix && { fix }),
    message: `The SLI is ${round(sli.percent)} %: it looks as if ${counts}.`,
    hint: `If it does, ${fixes[field]}.`,
  }
}

/** Change of an SLO that counts the events of a query on the other side. */
function otherSide(slo: Definition, field: ReturnType<typeof fieldOfQuery>): ProblemFix | null {
  const query = slo[field]
  if (query === null) return null
  if (field === 'metric_query') return { metric_query: `1 - ${parenthesized(query)}` }
  return field === 'good_query' ? { good_query: null, bad_query: query } : { good_query: query, bad_query: null }
}

function moreGoodThanAll({ slo, own }: Previewed): PreviewProblem | null {
  if (!own.counts) return null
  const { good, total } = own.counts
  if (good >= 0 && good <= total) return null
  const [kind, count] = good < 0 ? ['failing', total - good] : ['good', good]
  return {
    field: fieldOfQuery(slo),
    code: 'more_than_total',
    params: { events: count, total_events: total },
    message: `${count} ${kind} events of ${total} are more than there are.`,
    hint: `What is ${kind} has to be a part of all events: check the labels of both sides.`,
  }
}

function severalSeries({ slo, own }: Previewed): PreviewProblem | null {
  const note = own.notes[0]
  if (note === undefined) return null
  const field = fieldOfQuery(slo)
  if (note === groupsLeftOut) return { field, message: note, code: 'groups_left_out', params: {}, hint: null }
  const query = slo.metric_query
  return {
    field,
    code: 'several_series',
    params: {},
    ...(field === 'metric_query' && query !== null && { fix: { metric_query: `avg${parenthesized(query)}` } }),
    message: `The query answers with ${note.replace('; aggregate them', '')}; their plain mean is taken, whatever their traffic.`,
    hint: 'Put sum(…) around both sides, or avg(…) around the whole.',
  }
}

function noBudget({ slo, own: { counts } }: Previewed): PreviewProblem | null {
  const hint = 'A lower target or a longer time_window makes a budget of several events.'
  if (slo.target === 100) {
    const message = 'A target of 100 leaves no budget: nothing may ever fail.'
    return { field: 'target', message, code: 'no_budget', params: {}, hint }
  }
  if (!counts || counts.total === 0 || (counts.total * (100 - slo.target)) / 100 >= 1) return null
  const events = `${counts.total} ${counts.total === 1 ? 'event' : 'events'}`
  const message = `The budget of ${events} in ${windowWord(slo.time_window)} is less than one failure: the first spends all of it.`
  return { field: 'target', message, code: 'no_budget', params: { total_events: counts.total }, hint }
}

function alertsThatCannotFire({ slo, tiers }: Previewed): PreviewProblem | null {
  const refused = tiers.filter((tier) => tier.refused !== null)
  const [fastest] = refused
  if (!fastest || slo.target === 100) return null
  const minPercent = 100 - 100 / fastest.factor
  const target = nextAbove(minPercent)
  return {
    field: 'target',
    code: 'alerts_cannot_fire',
    params: { alerts: refused.length, total_alerts: tiers.length, above_percent: round(minPercent) },
    ...(target !== null && { fix: { target } }),
    message: `${refused.length} of ${tiers.length} burn-rate alerts can never fire: ${fastest.refused}.`,
    hint: `All can with a target above ${round(minPercent)}.`,
  }
}

/** Next target above a bound, with as few decimals as possible below 100. */
function nextAbove(percent: number): number | null {
  const targets = [1, 10, 100, 1000, 10_000].map((factor) => (Math.floor(percent * factor) + 1) / factor)
  return targets.find((target) => target < 100) ?? null
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}

function windowWord(window: SloRow['time_window']): string {
  return isCalendarWindow(window) ? `a ${window}` : window
}
