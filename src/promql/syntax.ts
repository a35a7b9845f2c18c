/** Offsets into a text, `to` exclusive. */
export type Span = { from: number; to: number }

type Node<Kind extends string, Fields> = Span & { kind: Kind } & Fields

/** Unsigned number, or a duration with its value in seconds; `text` is as written. */
export type NumberLiteral = Node<'number', { text: string; value: number }>

/** String literal; `text` is as written, with its quotes. */
export type StringLiteral = Node<'string', { text: string }>

export type MatchOperator = '=' | '!=' | '=~' | '!~'

/** `label="value"` as written, quotes included; `label` is null if the value is the metric name. */
export type WrittenMatcher = Span & { label: string | null; operator: MatchOperator; value: string }

/** `metric{…}`; `braceFrom` is where the braces open, null without braces. */
export type Selector = Node<'selector', { metric: string | null; matchers: WrittenMatcher[]; braceFrom: number | null }>

/** `expr[range]`. A duration is an expression of numbers, signs, operators, parentheses and calls. */
export type Range = Node<'range', { expr: Expr; range: Expr }>

/** `expr[range:step]` */
export type Subquery = Node<'subquery', { expr: Expr; range: Expr; step: Expr | null }>

/** `on (…)` or `ignoring (…)`, labels as written. `many`: the side that may have several series for one of the other. */
export type Matching = { on: boolean; labels: string[]; many: 'left' | 'right' | null; include: string[] }

/** Binary operation. `operandFrom` is the offset after the operator and its `bool`; `fill` is the fill modifier as written. */
export type Binary = Node<
  'binary',
  {
    operator: string
    bool: boolean
    matching: Matching | null
    fill: string | null
    operandFrom: number
    left: Expr
    right: Expr
  }
>

/** Aggregation; `operator` is in lower case, labels are as written. */
export type Aggregate = Node<
  'aggregate',
  { operator: string; grouping: { without: boolean; labels: string[] } | null; args: Expr[] }
>

export type Call = Node<'call', { name: string; args: Expr[] }>

/** An expression as written: every node spans its text, parentheses are nodes, comments are left out. */
export type Expr =
  | NumberLiteral
  | StringLiteral
  | Selector
  | Range
  | Subquery
  | Call
  | Aggregate
  | Binary
  | Node<'offset', { expr: Expr; by: Expr }>
  | Node<'at', { expr: Expr; time: Expr | 'start' | 'end' }>
  | Node<'anchored' | 'smoothed' | 'paren', { expr: Expr }>
  | Node<'unary', { sign: '+' | '-'; expr: Expr }>

export const comparisons = new Set(['==', '!=', '<', '>', '<=', '>='])
export const setOperators = new Set(['and', 'or', 'unless'])

/** Direct subexpressions in the order of the text, without durations. */
export function childrenOf(expr: Expr): Expr[] {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'selector':
      return []
    case 'binary':
      return [expr.left, expr.right]
    case 'call':
    case 'aggregate':
      return expr.args
    default:
      return [expr.expr]
  }
}

/** The expression inside any number of parentheses. */
export function unwrap(expr: Expr): Expr {
  let inner = expr
  while (inner.kind === 'paren') inner = inner.expr
  return inner
}
