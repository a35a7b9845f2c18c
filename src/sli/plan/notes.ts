import type { Definition } from '../../slos/definition.ts'
import { topComparison } from '../../promql/analysis/comparison.ts'
import { constantOf } from '../../promql/analysis/linear-form.ts'
import { gluedPlaceholders } from '../../promql/analysis/placeholders.ts'
import { printExpr } from '../../promql/print.ts'
import { type Expr, type Span, unwrap } from '../../promql/syntax.ts'
import { calledFunction, descendants } from '../../promql/tree.ts'
import { isNoNumber } from '../../promql/analysis/counters/raw-quantity.ts'
import { placeIn, type ReadDefinition, type WindowMethod } from './definition.ts'
import type { TwoSides } from '../../promql/analysis/two-sides.ts'
import { findRanges } from '../../promql/analysis/widen.ts'

type Planned = {
  definition: Definition
  read: ReadDefinition
  method: WindowMethod
  /** Why the ranges cannot be replaced by the window; null if they can. */
  obstacle: string | null
  /** True if both sides are sent as increases over the window, whether they are rates or increases. */
  isInIncreases: boolean
  ratio: TwoSides | null
  isRaw: boolean
  isAssessed: boolean
  /** Why a counter that is read without an increase cannot be measured; null if there is none or it can be. */
  problem: string | null
  rewriteNotes: string[]
}

/** Likely mistakes in a definition and how to fix them, worst first; empty for most. */
export function planNotes(planned: Planned): string[] {
  const { root } = planned.read.template
  return [
    planned.problem ?? (planned.isRaw ? notARatio : null),
    ...planned.rewriteNotes,
    root && isNoNumber(root) ? 'The query answers a text or samples over a range, not a number.' : null,
    unreadable(planned),
    incompletePair(planned.definition),
    assessedOnce(planned),
    assessedTwice(planned),
    planned.ratio && sidesNote(planned.ratio, planned.isInIncreases),
    root && !planned.isAssessed ? fallbackAroundAll(root) : null,
    root ? windowNote(planned, root) : null,
    gluedNote(planned.read),
  ].filter((note) => note !== null)
}

const notARatio =
  'This is a quantity, not a ratio of good to all events. Either set a bound, with threshold: 0.3 and threshold_op: lte ' +
  '(or write … <= 0.3): the SLI is then the share of time in which it holds.\n' +
  'Or divide good events by all events: sum(rate(x_bucket{le="0.3"}[5m])) / sum(rate(x_count[5m])).'

function unreadable({ read: { template, parts }, method }: Planned): string | null {
  const { problem, text } = template
  if (!problem) return null
  if (text.trim() === '') return 'metric_query is empty.'
  const isVariable = ['$', '{{', '[['].some((opening) => text.startsWith(opening, problem.position))
  const hint = isVariable ? ' If this is meant to be the window, write $window.' : ''
  const fallback = method === 'mean' ? ' and measured as a mean over time' : ''
  return `The query cannot be read as PromQL (${placeIn(parts, problem.position)}): ${problem.message}.${hint} It is sent as it is${fallback}.`
}

function incompletePair({ good_query: good, bad_query: bad, total_query: total }: Definition): string | null {
  if ((good ?? bad) === null) return total === null ? null : 'total_query is not used without good_query or bad_query.'
  if (total === null) return 'good_query and bad_query are not used without total_query.'
  return good !== null && bad !== null ? 'bad_query is not used beside good_query.' : null
}

function assessedOnce({ isAssessed, method }: Planned): string | null {
  if (!isAssessed || method !== 'placeholder') return null
  return 'With a placeholder, the bound is assessed once over the whole window: the SLI is 0 or 100 %. A fixed range such as [5m] is assessed minute by minute.'
}

function assessedTwice({ read: { threshold, template } }: Planned): string | null {
  if (!threshold || !template.root || !topComparison(template.root)) return null
  return 'The query has a comparison of its own: threshold assesses only what that leaves.'
}

function sidesNote({ counted, total, isClear }: TwoSides, isInIncreases: boolean): string | null {
  if (!isClear) {
    return 'What is counted is made of parts, and is empty as soon as one of them is: put “or vector(0)” behind each part, else events are not counted.'
  }
  if (!counted.kind || !total.kind || counted.kind === total.kind) return null
  return isInIncreases
    ? 'One side counts per second and the other per range, and both are measured as increases: use rate or increase on both.'
    : 'One side counts per second and the other per range: use rate or increase on both.'
}

function fallbackAroundAll(expr: Expr): string | null {
  const inner = unwrap(expr)
  if (inner.kind !== 'binary') return null
  const { left, operator, right } = inner
  if (operator === 'or' && calledFunction(unwrap(right)) === 'vector') {
    return `“or ${printExpr(right)}” around the whole answers even where there is no data at all; put it behind the side that may be empty.`
  }
  if (constantOf(left) !== undefined) return fallbackAroundAll(right)
  return constantOf(right) !== undefined ? fallbackAroundAll(left) : null
}

const extremes =
  'min_over_time max_over_time quantile_over_time mad_over_time present_over_time absent_over_time'.split(' ')

function windowNote({ method, obstacle, ratio, definition, isRaw, read }: Planned, root: Expr): string | null {
  if (isRaw) return null
  if (method === 'placeholder') {
    const isFilled = ({ from }: Span) => read.template.placeholders.some((span) => span.from <= from && from < span.to)
    const fixed = findRanges(root).eligible.find((range) => !isFilled(range))
    return fixed ? `A fixed range beside a placeholder stays as it is (${placeIn(read.parts, fixed.from)}).` : null
  }
  if (method === 'widen') {
    const extreme = descendants(root)
      .map(calledFunction)
      .find((name) => extremes.includes(name))
    return extreme
      ? `${extreme} is taken once over the whole window; window_method: mean takes it moment by moment.`
      : null
  }
  if (method !== 'mean' || definition.window_method === 'mean') return null
  if (definition.window_method === 'widen') return 'There is no range to widen: measured as a mean over time.'
  if (!obstacle || !ratio?.counted.kind || !ratio.total.kind) return null
  return `Measured as a mean over time, where a quiet minute weighs as much as a busy one, because ${obstacle}. Write [$window] to choose the ranges that become the window.`
}

function gluedNote({ template, parts }: ReadDefinition): string | null {
  const [first] = gluedPlaceholders(template)
  return first
    ? `A placeholder is part of a name (${placeIn(parts, first.from)}): there has to be a series of that name for each window.`
    : null
}
