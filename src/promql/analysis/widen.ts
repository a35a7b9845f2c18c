import { childrenOf, type Expr, type NumberLiteral, type Range, type Span, type Subquery, unwrap } from '../syntax.ts'
import { type Edit, printExpr } from '../print.ts'
import { readPromql } from '../read.ts'
import { calledFunction, descendants } from '../tree.ts'
import { memoizeByText } from '../memoize-text.ts'
import { linearForm } from './linear-form.ts'
import { eventKind } from './side-kind.ts'

/**
 * Ranges of an expression. `eligible`: literals that may be replaced by the window. `obstacle`: reason why the expression with
 * the replaced ranges would not measure the window; null if it would. `ownSeconds`: smallest literal range; null if there is
 * none.
 */
export type Ranges = { eligible: Span[]; obstacle: string | null; ownSeconds: number | null }

const widenable = new Set(['rate', 'increase', 'delta'])
const oneSampleFunction = /^(?:ts_of_\w+|last|first)_over_time$/
const countsSeries = new Set(['count', 'count_values', 'group'])
const boundFunctions = new Set(['clamp', 'clamp_max', 'clamp_min'])

/** Finds the ranges of an expression that can become the window. Rule: docs/slo-math.md, "How a window is applied", 4. */
export function findRanges(root: Expr): Ranges {
  const eligible: Span[] = []
  const obstacles: string[] = []
  const lengths: number[] = []

  const visit = (expr: Expr, isBlocked: boolean): void => {
    const obstacle = obstacleOf(expr)
    if (obstacle) obstacles.push(obstacle)
    switch (expr.kind) {
      case 'call':
        for (const argument of expr.args) {
          const range = unwrap(argument)
          if (range.kind === 'range') visitRange(range, expr.name, isBlocked)
          else visit(argument, isBlocked)
        }
        return
      case 'range':
        return visitRange(expr, null, isBlocked)
      case 'binary':
        visit(expr.left, isBlocked)
        if (expr.bool) obstacles.push('a comparison with bool has to be made at each moment')
        return visit(expr.right, isBlocked)
      case 'subquery':
        noteLength(expr)
    }
    for (const child of childrenOf(expr)) visit(child, isBlocked || blockingKinds.has(expr.kind))
  }

  const visitRange = (range: Range, caller: string | null, isBlocked: boolean): void => {
    const literal = noteLength(range)
    const isEligible = caller !== null && (widenable.has(caller) || caller.endsWith('_over_time'))
    if (!isEligible)
      obstacles.push(caller ? `${caller} looks at its own range only` : 'a range stands outside of a function')
    else if (!literal) obstacles.push('a range is computed')
    else if (!isBlocked) eligible.push(literal)
    if (caller && oneSampleFunction.test(caller)) obstacles.push(`${caller} takes one sample of the range`)
  }

  const noteLength = (range: Range | Subquery): NumberLiteral | null => {
    const literal = literalRange(range)
    if (literal && Number.isFinite(literal.value) && literal.value > 0) lengths.push(literal.value)
    return literal
  }

  visit(root, false)
  const topObstacle = obstacleAtTheTop(root)
  if (topObstacle) obstacles.push(topObstacle)
  return { eligible, obstacle: obstacles[0] ?? null, ownSeconds: lengths.length > 0 ? Math.min(...lengths) : null }
}

const blockingKinds = new Set<Expr['kind']>(['subquery', 'offset', 'at'])

/** Range of a selector or subquery if it is a literal; null if it is computed. */
export function literalRange({ range }: Range | Subquery): NumberLiteral | null {
  return range.kind === 'number' ? range : null
}

/** Edits that replace each eligible range by the window. */
export function wideningEdits({ eligible }: Ranges, windowSeconds: number): Edit[] {
  return eligible.map((span) => ({ ...span, text: `${windowSeconds}s` }))
}

function obstacleOf(expr: Expr): string | null {
  switch (expr.kind) {
    case 'subquery':
      return 'it has a subquery'
    case 'offset':
      return 'it has an offset'
    case 'at':
      return 'it is pinned to a time by @'
    case 'selector':
      return `${printExpr(expr)} is read at one instant`
    case 'aggregate':
      return countsSeries.has(expr.operator) ? `${expr.operator} looks at one instant` : null
    case 'call':
      return expr.name === 'info' ? 'info looks at one instant' : null
    default:
      return null
  }
}

/**
 * Outermost operation that gives a right value for a short range, but a wrong one for the whole window; null if there is none.
 * Either a bound on a quantity (`clamp_max(rate(x[5m]) / 200, 1)`; a bound on a ratio of events is no obstacle), or a constant
 * that would have to grow with the range.
 */
function obstacleAtTheTop(root: Expr): string | null {
  const { constant, factor, leaf, ratio } = linearForm(root)
  if (!leaf || ratio) return null
  if ((constant !== 0 || factor !== 1) && eventKind(leaf) === 'count')
    return 'the total of a range is held against a constant'
  const name = calledFunction(leaf)
  const [bounded] = boundFunctions.has(name) ? childrenOf(leaf) : []
  return bounded && !linearForm(bounded).ratio ? `${name} has to be applied at each moment` : null
}

/** Longest range that an expression reads, in seconds, subqueries included; 0 without a range, null if unknown. */
export const maxRange = memoizeByText((expression): number | null => {
  const { root } = readPromql(expression)
  if (!root) return null
  let max = 0
  for (const expr of descendants(root)) {
    if (expr.kind !== 'range' && expr.kind !== 'subquery') continue
    const seconds = literalRange(expr)?.value ?? NaN
    if (!Number.isFinite(seconds)) return null
    max = Math.max(max, seconds)
  }
  return max
})
