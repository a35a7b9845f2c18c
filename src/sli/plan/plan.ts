import type { SloRow } from '../../db/tables/tables.ts'
import {
  isScalar,
  assessedByThreshold,
  assessedComparison,
  numbersOnly,
  topComparison,
} from '../../promql/analysis/comparison.ts'
import { type CounterTerm, counterSum, isUnlabelledSum } from '../../promql/analysis/counters/counter-sum.ts'
import { increaseEdits, consistsOfRates, rateNameSpans } from '../../promql/analysis/counters/as-increases.ts'
import { edited } from '../../promql/print.ts'
import { placeholderEdits, readTemplate, type Template } from '../../promql/analysis/placeholders.ts'
import { planNotes } from './notes.ts'
import type { Expr, Range, Span } from '../../promql/syntax.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { descendants, selectorsIn } from '../../promql/tree.ts'
import { isNoNumber, isRawQuantity, percentByText } from '../../promql/analysis/counters/raw-quantity.ts'
import type { EventKind } from '../../promql/analysis/side-kind.ts'
import { type MetricKinds, type RawCounters, rawCounters } from '../../promql/analysis/counters/raw-counters.ts'
import { type ReadDefinition, readDefinition, type WindowMethod } from './definition.ts'
import { type Side, type TwoSides, twoSides } from '../../promql/analysis/two-sides.ts'
import { AppError } from '../../errors.ts'
import type { Composite } from '../../slos/arithmetic/composite.ts'
import type { Definition } from '../../slos/definition.ts'
import { findRanges, literalRange, type Ranges, wideningEdits } from '../../promql/analysis/widen.ts'
import { type SampledValue, sampledValue } from '../../promql/analysis/samples.ts'
import { planSamples, type SamplesPlan } from './samples.ts'

export type { WindowMethod } from './definition.ts'

/** Side of a ratio: its text, the expression to send for it, and the unit of its numbers. */
export type SidePlan = { stored: string; expression(windowSeconds: number): string; kind: EventKind | null }

/** Plan of measuring an SLI: the expression to send for a window, and how to read the answer. */
export type SliPlan = {
  method: WindowMethod
  /** The whole expression as its author wrote it; for a pair, the composed one. */
  written: string
  /** The same, with an increase in place of each counter that is read without one. */
  stored: string
  /** Instant query at the end of the window for `placeholder`, `samples` and `widen`, otherwise a range query over it. */
  expression(windowSeconds: number): string
  /** Step of the range query; null for an instant query. */
  stepSeconds: number | null
  /** Null unless the expression is a ratio in which an empty counted side means that nothing was counted. */
  sides: {
    counts: 'good' | 'bad'
    counted: SidePlan
    total: SidePlan
    unit: 'ratio' | 'percent'
    /** The whole leaves out groups of the total in which nothing was counted, so the sums of the sides are more accurate. */
    isGrouped: boolean
  } | null
  /** The same sides as sums of counters; null if they are anything else. */
  counters: { counts: 'good' | 'bad'; counted: CounterTerm[]; total: CounterTerm[] } | null
  /** Each side is one sum without labels, and no `or` outside of the sides replaces the whole if one of them is missing. */
  areSums: boolean
  /** A comparison or threshold is assessed: the values are 0 and 1, whatever the unit of the compared quantity. */
  isAssessed: boolean
  /** Set if the expression has one number for each sample of a selector: windows and buckets are sums over these. */
  samples: SamplesPlan | null
  /** The whole is a scalar, which a subquery cannot read. */
  isScalar: boolean
  /** Null: the unit is inferred from the first measured value. */
  unitByText: 'ratio' | 'percent' | null
  /** A quantity without a bound: the SLI is unknown with reason `not_a_ratio`, and the first note explains how to fix it. */
  isRawQuantity: boolean
  /** Why a counter that is read without an increase cannot be measured, and the fix; null if there is none or it can be. */
  problem: string | null
  /** Selectors whose metric kind the source may know; its answer changes the plan. */
  selectorsOfUnknownKind: string[]
  /** Sentences on what is measured differently than written; every answer contains them. */
  rewriteNotes: string[]
  /** Expression with a value wherever there is data, for `count_over_time((…)[window:step])`; never ends in a comment. */
  coverageExpression(rangeSeconds: number): string
  /** Sentences a person can act on. */
  notes: string[]
  /** Matchers of each selector, if all of them select `probe_success`, or all of them runs of heartbeats; otherwise null. */
  probes: Matcher[][] | null
  /** Every query of the definition was read as PromQL. False for a `metric_query` next to a pair, which is not read. */
  isPromql: boolean
  /** Set if the SLO is computed from others: it has no query, and no source is asked. */
  composite: Composite | null
}

/** An SLO and its plan, made once for many measurements. */
export type PlannedSlo = { slo: SloRow; plan: SliPlan }

const noRanges: Ranges = { eligible: [], obstacle: null, ownSeconds: null }

const nothingRaw: RawCounters = { edits: [], problem: null, notes: [], candidates: [] }

/** Plans how a definition is measured. Queries nothing, and rejects nothing that the source may accept. */
export function planSli(definition: Definition, kinds: MetricKinds = new Map()): SliPlan {
  const asWritten = readDefinition(definition)
  const { raw, read } = withIncreases(asWritten, kinds)
  const { template, threshold } = read
  const { text: stored, root } = template
  const comparison = root && !threshold ? topComparison(root) : null
  const isAssessed = threshold !== null || comparison !== null
  const ranges = root ? findRanges(root) : noRanges
  const sampled = definition.window_method === 'mean' ? null : sampledValueOf(template, isAssessed)
  const method = methodOf(read, ranges, isAssessed, definition.window_method, sampled !== null)
  const ratio = root && !isAssessed ? twoSides(root) : null
  const isRaw = root !== null && (raw.problem !== null || (!isAssessed && !ratio && isRawQuantity(root)))
  const rewriteNotes = isRaw ? [] : raw.notes

  const isWhole = isWholeWindow(method, template, ranges)
  const renaming = isWhole ? increaseEdits(root) : []
  const asSent = (windowSeconds: number) => (span: Span) => {
    const edits = method === 'widen' ? wideningEdits(ranges, windowSeconds) : placeholderEdits(template, windowSeconds)
    return edited(stored, [...edits, ...renaming], span)
  }
  const filled = (rangeSeconds: number) => (span: Span) =>
    edited(stored, placeholderEdits(template, rangeSeconds), span)
  const whole = { from: 0, to: stored.length }
  const assessed = (textOf: (span: Span) => string) => {
    if (comparison) return assessedComparison(comparison, textOf)
    return threshold ? assessedByThreshold(textOf(root ?? whole), root, threshold) : textOf(whole)
  }
  const assessedOver = (selector: string) => {
    const edits = [...placeholderEdits(template, 0), ...(sampled ? [{ ...sampled.selector, text: selector }] : [])]
    return assessed((span) => edited(stored, edits, span))
  }
  const samples = sampled && !isRaw ? planSamples(stored, sampled, isAssessed ? assessedOver : null) : null
  const isInIncreases =
    isWhole &&
    ratio !== null &&
    [ratio.counted, ratio.total].every(({ expr }) => consistsOfRates(expr)) &&
    rateNameSpans(root).length === renaming.length
  const side = ({ expr, kind }: Side): SidePlan => ({
    stored: stored.slice(expr.from, expr.to),
    expression: (windowSeconds) => asSent(windowSeconds)(expr),
    kind: isInIncreases && kind ? 'count' : kind,
  })
  const counters = ratio?.isClear && raw.problem === null && isInIncreases ? countersOf(ratio) : null
  const covering = ratio?.total.expr ?? root

  return {
    method,
    written: asWritten.template.text,
    stored,
    expression: (windowSeconds) =>
      method === 'samples' && samples ? samples.mean(windowSeconds) : assessed(asSent(windowSeconds)),
    stepSeconds: stepOf(method),
    sides:
      ratio?.isClear && raw.problem === null
        ? {
            counts: ratio.counts,
            counted: side(ratio.counted),
            total: side(ratio.total),
            unit: ratio.unit,
            isGrouped: ratio.isGrouped,
          }
        : null,
    counters,
    areSums: counters !== null && root !== null && ratio !== null && sidesAreSums(root, ratio),
    isAssessed,
    samples,
    isScalar: root !== null && !isAssessed && isScalar(root),
    unitByText: isAssessed || isOfZeroAndOne(samples) ? 'ratio' : (ratio?.unit ?? unitWithoutSides(root, read.isPair)),
    isRawQuantity: isRaw,
    selectorsOfUnknownKind: raw.candidates.map(({ from, to }) => asWritten.template.text.slice(from, to)),
    problem: raw.problem,
    rewriteNotes,
    coverageExpression: (rangeSeconds) => {
      if (isAssessed) return assessed(filled(rangeSeconds))
      if (root && isNoNumber(root)) return 'vector(0) > 0'
      const text = filled(rangeSeconds)(covering ?? whole)
      if (!covering) return `${text}\n`
      return isScalar(covering) ? numbersOnly(text, covering) : text
    },
    notes: planNotes({
      definition,
      read: asWritten,
      method,
      obstacle: ranges.obstacle,
      isInIncreases,
      ratio,
      isRaw,
      isAssessed,
      problem: raw.problem,
      rewriteNotes,
    }),
    probes: root && probesOf(root),
    isPromql: asWritten.template.problem === null && !(asWritten.isPair && definition.metric_query !== null),
    composite: null,
  }
}

/** Series of checks: of a probe, or the runs of a heartbeat. */
const checks = [
  new Set(['probe_success']),
  new Set(['heartbeat_runs_total', 'heartbeat_runs_good_total', 'heartbeat_success']),
]

function probesOf(root: Expr): Matcher[][] | null {
  const selectors = selectorsIn(root)
  const isOfProbes =
    selectors.length > 0 && checks.some((metrics) => selectors.every(({ metric }) => metrics.has(metric ?? '')))
  try {
    return isOfProbes ? selectors.map(matchersOf) : null
  } catch (error) {
    if (error instanceof AppError) return null // an invalid matcher, which the source refuses too
    throw error
  }
}

/** Replaces counters that are read without an increase by their increases, if all of them can be replaced. */
function withIncreases(read: ReadDefinition, metricKinds: MetricKinds): { raw: RawCounters; read: ReadDefinition } {
  const { text, root, placeholders } = read.template
  if (!root) return { raw: nothingRaw, read }
  const raw = rawCounters(root, {
    metricKinds,
    textOf: ({ from, to }) => text.slice(from, to),
    range: placeholders.length > 0 ? '$window' : '5m',
    isAssessed: read.threshold !== null || topComparison(root) !== null,
  })
  if (raw.problem !== null || raw.edits.length === 0) return { raw, read }
  return { raw, read: { ...read, template: readTemplate(edited(text, raw.edits)) } }
}

/** True if every range of the expression is replaced by the window. */
function isWholeWindow(method: WindowMethod, { root, placeholders }: Template, { obstacle }: Ranges): boolean {
  if (method === 'widen') return obstacle === null
  if (method !== 'placeholder' || !root) return false
  const ranges = [...descendants(root)].filter((expr) => expr.kind === 'range')
  const isFilled = (range: Range) => {
    const literal = literalRange(range)
    return placeholders.some(({ from, to }) => literal && from <= literal.from && literal.to <= to)
  }
  return ranges.length === placeholders.length && ranges.every(isFilled)
}

function sampledValueOf({ root, placeholders }: Template, isAssessed: boolean): SampledValue | null {
  const sampled = root && sampledValue(root, isAssessed)
  const isInside = ({ from, to }: Span) => sampled && sampled.selector.from <= from && to <= sampled.selector.to
  return placeholders.some(isInside) ? null : sampled
}

function sidesAreSums(root: Expr, { counted, total }: TwoSides): boolean {
  const sides = [counted.expr, total.expr]
  const isInside = ({ from, to }: Expr) => sides.some((side) => side.from <= from && to <= side.to)
  const others = descendants(root).filter((expr) => expr.kind === 'binary' && expr.operator === 'or' && !isInside(expr))
  return sides.every(isUnlabelledSum) && others.next().done === true
}

function countersOf({ counts, counted, total }: TwoSides): SliPlan['counters'] {
  const sums = { counted: counterSum(counted.expr), total: counterSum(total.expr) }
  return sums.counted && sums.total ? { counts, counted: sums.counted, total: sums.total } : null
}

function methodOf(
  { template: { root, placeholders } }: ReadDefinition,
  { eligible, obstacle }: Ranges,
  isAssessed: boolean,
  chosen: Definition['window_method'],
  isSampled: boolean,
): WindowMethod {
  if (placeholders.length > 0) return 'placeholder'
  if (isAssessed) return 'slices'
  if (isSampled && eligible.length === 0) return 'samples'
  // Sources reject a range query for a string or for samples; an instant query returns their type.
  if (root && isNoNumber(root)) return 'widen'
  if (chosen === 'mean' || eligible.length === 0) return 'mean'
  return chosen === 'widen' || obstacle === null ? 'widen' : 'mean'
}

/** Step of a range query in seconds: one minute for any window. Null for an instant query. */
function stepOf(method: WindowMethod): number | null {
  return method === 'slices' || method === 'mean' ? 60 : null
}

/** True for samples that are 0 or 1 by what Prometheus and the blackbox exporter write. */
function isOfZeroAndOne(samples: SamplesPlan | null): boolean {
  if (samples === null || samples.constant !== 0 || samples.factor !== 1) return false
  return ['up', 'probe_success', 'heartbeat_success'].includes(samples.selector.metric ?? '')
}

function unitWithoutSides(root: Expr | null, isPair: boolean): 'ratio' | 'percent' | null {
  if (root) return percentByText(root)
  return isPair ? 'ratio' : null
}
