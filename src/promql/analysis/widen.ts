import type { Edit } from './expression-edits.ts'
import { linearForm } from './linear-form.ts'
import { durationSeconds } from './duration.ts'
import { eventKind } from './side-kind.ts'
import { aggregationName, callArguments, functionName, type PromqlNode, type Span, unwrap } from './tree.ts'

/**
 * The ranges of an expression. `eligible` are the literals that may become the window. `obstacle` says why making them
 * so would not measure the window; null: nothing speaks against it. `ownSeconds` is the smallest literal range.
 */
export type Ranges = { eligible: Span[]; obstacle: string | null; ownSeconds: number | null }

const widenable = new Set(['rate', 'increase', 'delta'])
const oneSample = /^(?:ts_of_\w+|last|first)_over_time$/
const countsSeries = new Set(['count', 'count_values', 'group'])
const bounds = new Set(['clamp', 'clamp_max', 'clamp_min'])

/** Rule: docs/slo-math.md, "How a window is applied", 3. */
export function findRanges(root: PromqlNode): Ranges {
  const eligible: Span[] = []
  const obstacles: string[] = []
  const lengths: number[] = []

  const visit = (node: PromqlNode, isBlocked: boolean): void => {
    const name = functionName(node)
    if (name !== undefined) {
      if (name === 'info') obstacles.push('info looks at one instant')
      for (const argument of callArguments(node)) {
        const range = unwrap(argument)
        if (range.name === 'MatrixSelector') visitRange(range, name, isBlocked)
        else visit(argument, isBlocked)
      }
      return
    }
    if (node.name === 'MatrixSelector') return visitRange(node, null, isBlocked)
    const obstacle = obstacleOf(node)
    if (obstacle) obstacles.push(obstacle)
    if (node.name === 'SubqueryExpr') noteLength(node)
    const blocks = node.name === 'SubqueryExpr' || node.name === 'OffsetExpr' || node.name === 'StepInvariantExpr'
    for (const child of node.children) visit(child, isBlocked || blocks)
  }

  const visitRange = (range: PromqlNode, caller: string | null, isBlocked: boolean): void => {
    const literal = noteLength(range)
    const isEligible = caller !== null && (widenable.has(caller) || caller.endsWith('_over_time'))
    if (!isEligible)
      obstacles.push(caller ? `${caller} looks at its own range only` : 'a range stands outside of a function')
    else if (!literal) obstacles.push('a range is computed')
    else if (!isBlocked) eligible.push(literal)
    if (caller && oneSample.test(caller)) obstacles.push(`${caller} takes one sample of the range`)
  }

  const noteLength = (range: PromqlNode): Span | null => {
    const number = literalRange(range)
    if (!number) return null
    const seconds = durationSeconds(number.text)
    if (seconds !== undefined && seconds > 0) lengths.push(seconds)
    return number
  }

  visit(root, false)
  const scaled = obstacleAtTheTop(root)
  if (scaled) obstacles.push(scaled)
  return { eligible, obstacle: obstacles[0] ?? null, ownSeconds: lengths.length > 0 ? Math.min(...lengths) : null }
}

/** The range of a selector or subquery as it is written; null where it is computed. */
export function literalRange(range: PromqlNode): PromqlNode | null {
  const [number, ...others] = range.children[1]?.children ?? []
  return number?.name === 'NumberDurationLiteralInDurationContext' && others.length === 0 ? number : null
}

/** The edits that make every eligible range the window. */
export function wideningEdits({ eligible }: Ranges, windowSeconds: number): Edit[] {
  return eligible.map((span) => ({ ...span, text: `${windowSeconds}s` }))
}

function obstacleOf(node: PromqlNode): string | null {
  if (node.name === 'SubqueryExpr') return 'it has a subquery'
  if (node.name === 'OffsetExpr') return 'it has an offset'
  if (node.name === 'StepInvariantExpr') return 'it is pinned to a time by @'
  if (node.name === 'BoolModifier') return 'a comparison with bool has to be made at each moment'
  if (node.name === 'VectorSelector') return `${node.text} is read at one instant`
  const aggregation = aggregationName(node)
  return aggregation && countsSeries.has(aggregation) ? `${aggregation} looks at one instant` : null
}

/**
 * What holds for a moment's values, but not for the window's: a bound on a quantity (`clamp_max(rate(x[5m]) / 200, 1)`;
 * one on a ratio of events only tidies up), and a constant that goes with the length of the range.
 */
function obstacleAtTheTop(root: PromqlNode): string | null {
  const { constant, factor, leaf, ratio } = linearForm(root)
  if (!leaf || ratio) return null
  if ((constant !== 0 || factor !== 1) && eventKind(leaf) === 'count')
    return 'the total of a range is held against a constant'
  const name = functionName(leaf)
  const [bounded] = name && bounds.has(name) ? callArguments(leaf) : []
  return bounded && !linearForm(bounded).ratio ? `${name} has to be applied at each moment` : null
}
