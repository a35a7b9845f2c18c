import { parser } from '@prometheus-io/lezer-promql'
import { durationSeconds } from './duration.ts'

/** Offsets into a text, `to` exclusive. */
export type Span = { from: number; to: number }

/** A node of the grammar's tree: `name` as the grammar calls it, `text` what it spans; comments are left out. */
export type PromqlNode = Span & { name: string; text: string; children: PromqlNode[] }

/** Why an expression cannot be read; `position` counts characters from 0. */
export type SyntaxProblem = { position: number; message: string }

/** `root` is the expression, null exactly where there is a `problem`; `quoted` are its string literals and comments. */
export type PromqlReading = { root: PromqlNode | null; problem: SyntaxProblem | null; quoted: Span[] }

/** `left <operator> right`, the operator by its name in the grammar (`Div`, `Lte`, `Or` …). */
export type BinaryParts = { left: PromqlNode; operator: PromqlNode; bool: PromqlNode | null; right: PromqlNode }

// Sources take 16 kB and more; the parser's worst case there is half a second, and recursion over 1,000 levels is safe.
const longestText = 16_384
const deepestNesting = 1_000

/** Reads an expression by the official grammar. Never throws: what cannot be read has a `problem`. */
export function readPromql(text: string): PromqlReading {
  const quoted: Span[] = []
  const fail = (position: number, message: string) => ({ root: null, problem: { position, message }, quoted })
  if (text.length > longestText) return fail(longestText, `it is longer than ${longestText} characters`)

  const cursor = parser.parse(text).cursor()
  const top: PromqlNode = { name: cursor.name, text, from: cursor.from, to: cursor.to, children: [] }
  const open = [top]
  let error: Span | null = null
  let tooDeepAt: number | null = null
  let depth = 1
  for (;;) {
    if (cursor.firstChild()) depth++
    else {
      while (depth > 1 && !cursor.nextSibling()) {
        cursor.parent()
        depth--
      }
      if (depth === 1) break
    }
    const { name, from, to } = cursor
    if (cursor.type.isError && (error === null || from < error.from)) error = { from, to }
    if (name === 'StringLiteral' || name === 'LineComment') quoted.push({ from, to })
    if (depth > deepestNesting) tooDeepAt ??= from
    else if (name !== 'LineComment') {
      const node = { name, text: text.slice(from, to), from, to, children: [] }
      open.length = depth - 1
      open.at(-1)?.children.push(node)
      open.push(node)
    }
  }

  if (text.trim() === '') return fail(0, 'it is empty')
  if (tooDeepAt !== null) return fail(tooDeepAt, `it is nested deeper than ${deepestNesting} levels`)
  if (error !== null) return fail(error.from, describeError(text, error))
  return { root: top.children[0] ?? null, problem: null, quoted }
}

function describeError(text: string, { from, to }: Span): string {
  if (text.slice(from).trim() === '') return 'it ends too early'
  const wrong = to > from ? text.slice(from, to) : text.slice(from).trimStart()
  return `${to > from ? 'did not expect' : 'something is missing before'} “${wrong.length > 20 ? `${wrong.slice(0, 20)}…` : wrong}”`
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
  const isNegative = inner.text.startsWith('-')
  const digits = (isNegative || inner.text.startsWith('+') ? inner.text.slice(1) : inner.text).trim().toLowerCase()
  const value = digits === 'inf' ? Infinity : digits === 'nan' ? NaN : durationSeconds(digits)
  return value !== undefined && isNegative ? -value : value
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
