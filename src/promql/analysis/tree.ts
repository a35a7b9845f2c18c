import { stringOf } from '../literals.ts'
import type { PromqlNode } from '../nodes.ts'
import { AppError } from '../../errors.ts'
import { durationSeconds } from './duration.ts'

export type { PromqlNode, Span } from '../nodes.ts'
export { type PromqlReading, readPromql, type SyntaxProblem } from '../read.ts'

/** `left <operator> right`, the operator by its name in the grammar (`Div`, `Lte`, `Or` …). */
export type BinaryParts = { left: PromqlNode; operator: PromqlNode; bool: PromqlNode | null; right: PromqlNode }

/** Computes once for each node: what asks of a node asks of all below it, and a chain of operators is a deep tree. */
export function perNode<T>(compute: (node: PromqlNode) => T): (node: PromqlNode) => T {
  const known = new WeakMap<PromqlNode, { value: T }>()
  return (node) => {
    const found = known.get(node) ?? { value: compute(node) }
    known.set(node, found)
    return found.value
  }
}

/** The node inside any number of parentheses. */
export function unwrap(node: PromqlNode): PromqlNode {
  let inner = node
  while (inner.name === 'ParenExpr') {
    const [child] = inner.children
    if (!child) break
    inner = child
  }
  return inner
}

/** The node and all below it, in the order of the text; no further than it is asked for. */
export function* descendants(node: PromqlNode): Generator<PromqlNode, void> {
  const waiting = [node]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next
    waiting.push(...next.children.toReversed())
  }
}

/** The parts of a binary operation; undefined for any other node. */
export function binaryParts(node: PromqlNode): BinaryParts | undefined {
  if (node.name !== 'BinaryExpr') return undefined
  const [left, operator] = node.children
  const right = node.children.at(-1)
  if (!left || !operator || !right) return undefined
  return { left, operator, right, bool: node.children.find(({ name }) => name === 'BoolModifier') ?? null }
}

/** The value of a numeric literal, signed or in parentheses (a duration counts its seconds); undefined for all else. */
export function numberValue(node: PromqlNode): number | undefined {
  const inner = unwrap(node)
  if (inner.name === 'UnaryExpr') {
    const [sign, operand] = inner.children
    const value = operand && numberValue(operand)
    return value !== undefined && sign?.text === '-' ? -value : value
  }
  if (inner.name !== 'NumberDurationLiteral') return undefined
  const digits = inner.text.toLowerCase()
  return digits === 'inf' ? Infinity : digits === 'nan' ? NaN : durationSeconds(digits)
}

/** `rate` of `rate(x[5m])`; undefined where the node calls no function. */
export function functionName(node: PromqlNode): string | undefined {
  return node.name === 'FunctionCall' ? node.children[0]?.text : undefined
}

/** `sum` of `SUM by (a) (x)`, in lower case; undefined where the node aggregates nothing. */
export function aggregationName(node: PromqlNode): string | undefined {
  return node.name === 'AggregateExpr' ? node.children[0]?.text.toLowerCase() : undefined
}

/** The arguments of a function call or an aggregation, modifiers and parentheses of the call left out. */
export function callArguments(node: PromqlNode): PromqlNode[] {
  return node.children.find(({ name }) => name === 'FunctionCallBody')?.children ?? []
}

/** The selectors whose values are read, in the order of the text: the second argument of `info` only says what to add. */
export function selectorsIn(node: PromqlNode): PromqlNode[] {
  if (node.name === 'VectorSelector') return [node]
  return (functionName(node) === 'info' ? callArguments(node).slice(0, 1) : node.children).flatMap(selectorsIn)
}

/** What a string stands for, or as it is where it cannot be read; what has no quotes is itself. */
export function unquoted({ text }: PromqlNode): string {
  if (!/^["'`]/.test(text)) return text
  try {
    return stringOf(text)
  } catch (error) {
    if (error instanceof AppError) return text.slice(1, -1)
    throw error
  }
}

/** Whether two expressions are the same but for spaces, comments and parentheses. */
export function sameExpression(a: PromqlNode, b: PromqlNode): boolean {
  const [left, right] = [unwrap(a), unwrap(b)]
  if (left.name !== right.name || left.children.length !== right.children.length) return false
  if (left.children.length === 0) return left.text === right.text
  return left.children.every((child, at) => {
    const other = right.children[at]
    return other !== undefined && sameExpression(child, other)
  })
}
