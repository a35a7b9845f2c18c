import { numberOf } from './literals.ts'
import type { Binary, Expr, Matching, MatchOperator, Span, WrittenMatcher } from './syntax.ts'

/** Node of the grammar's parse tree. */
export type GrammarNode = Span & { name: string; text: string; children: GrammarNode[] }

/** Binary operator or sign whose right operand is not read yet. */
type PendingOperator = { precedence: number; complete(right: Expr): Expr }

/** Binary operators from the lowest precedence to the highest. */
const levels = ['or', 'and unless', '== != < <= > >= </ >/', '+ -', '* / % atan2', '^']
const precedences = new Map(
  levels.flatMap((operators, precedence) => operators.split(' ').map((one) => [one, precedence] as const)),
)
const powerPrecedence = precedences.get('^') ?? 0
const signPrecedence = precedences.get('*') ?? 0 // `-x ^ 2` is `-(x ^ 2)`

/**
 * Builds the expression of a node with the operator precedence of Prometheus. The grammar binds `offset`, `@` and `[…]` more
 * loosely than any operator, and the sign of a number more tightly than `^`; Prometheus does the opposite. So each chain of
 * operators is flattened and built again.
 */
export function buildExpr(root: GrammarNode): Expr {
  const operands: Expr[] = []
  const waiting: PendingOperator[] = []
  const operand = () => operands.pop() ?? missing(root)

  const reduce = (minPrecedence: number) => {
    for (let last = waiting.at(-1); last && last.precedence >= minPrecedence; last = waiting.at(-1)) {
      waiting.pop()
      operands.push(last.complete(operand()))
    }
  }

  const flatten = (node: GrammarNode): void => {
    const [first = node, second, third] = node.children
    const isDuration = first.name.endsWith('DurationExpr')
    if (node.name === 'BinaryExpr' || (isDuration && third)) {
      flatten(first)
      const operator = operatorOf(node)
      const precedence = precedences.get(operator.operator) ?? 0
      // operators of equal precedence are read from the left, but `^` from the right
      reduce(precedence === powerPrecedence ? precedence + 1 : precedence)
      const complete = (right: Expr): Expr => {
        const left = operand()
        return { kind: 'binary', from: left.from, to: right.to, ...operator, left, right }
      }
      waiting.push({ precedence, complete })
      flatten(part(node, -1))
    } else if (first.name === 'UnaryOp' && second) {
      waiting.push(signAt(node))
      flatten(second)
    } else if (suffixes.has(node.name)) {
      flatten(first)
      operands.push(withSuffix(node, operand()))
    } else if (node.name.startsWith('NumberDurationLiteral')) {
      const [sign = ''] = /^[-+](?:\s|#[^\n]*)*/.exec(node.text) ?? []
      if (sign !== '') waiting.push(signAt(node))
      const text = node.text.slice(sign.length)
      operands.push({ kind: 'number', from: node.from + sign.length, to: node.to, text, value: numberOf(text) })
    } else if (first.name === 'NumberDurationLiteralInDurationContext') flatten(first)
    else operands.push(buildPrimary(node))
  }

  flatten(root)
  reduce(0)
  return operand()
}

function signAt({ from, text }: GrammarNode): PendingOperator {
  const sign = text.startsWith('-') ? '-' : '+'
  return { precedence: signPrecedence, complete: (expr) => ({ kind: 'unary', from, to: expr.to, sign, expr }) }
}

function missing({ name }: GrammarNode): never {
  throw new Error(`a part of ${name} is missing`)
}

const part = (node: GrammarNode, index: number) => node.children.at(index) ?? missing(node)
const find = ({ children }: GrammarNode, name: string) => children.find((child) => child.name === name)

/** Builds a primary expression: parentheses, a string, a selector, a call or an aggregation. */
function buildPrimary(node: GrammarNode): Expr {
  const { name, from, to, text, children } = node
  const args = find(node, 'FunctionCallBody')?.children.map(buildExpr) ?? []
  switch (name) {
    case 'ParenExpr':
      return { kind: 'paren', from, to, expr: buildExpr(part(node, 0)) }
    case 'StringLiteral':
      return { kind: 'string', from, to, text }
    case 'VectorSelector': {
      const braces = find(node, 'LabelMatchers')
      const metric = find(node, 'Identifier')?.text ?? null
      const matchers = braces?.children.map(matcherOf) ?? []
      return { kind: 'selector', from, to, metric, matchers, braceFrom: braces?.from ?? null }
    }
    case 'FunctionCall':
      return { kind: 'call', from, to, name: part(node, 0).text, args }
    case 'AggregateExpr': {
      const [keyword, labels] = find(node, 'AggregateModifier')?.children ?? []
      const grouping = keyword && labels ? { without: keyword.name === 'Without', labels: textsIn(labels) } : null
      return { kind: 'aggregate', from, to, operator: part(node, 0).text.toLowerCase(), grouping, args }
    }
  }
  // The remaining nodes are durations: in parentheses, or a function call.
  const [first = missing(node), ...others] = children
  if (first.name === 'DurationExpr') return { kind: 'paren', from, to, expr: buildExpr(first) }
  return { kind: 'call', from, to, name: first.text, args: others.map(buildExpr) }
}

const textsIn = ({ children }: GrammarNode) => children.map(({ text }) => text)

function operatorOf(node: GrammarNode): Omit<Binary, keyof Span | 'kind' | 'left' | 'right'> {
  const operator = part(node, 1)
  const bool = find(node, 'BoolModifier')
  const clause = find(node, 'MatchingModifierClause')
  return {
    operator: operator.text.toLowerCase(),
    bool: bool !== undefined,
    matching: clause ? matchingOf(clause) : null,
    fill: find(node, 'FillModifier')?.text ?? null,
    operandFrom: (bool ?? operator).to,
  }
}

function matchingOf(clause: GrammarNode): Matching {
  const [labels = [], include = []] = clause.children.filter(({ name }) => name === 'GroupingLabels').map(textsIn)
  const many = find(clause, 'GroupLeft') ? 'left' : find(clause, 'GroupRight') ? 'right' : null
  return { on: part(clause, 0).name === 'On', labels, many, include }
}

/** Nodes that consist of an operand and a modifier or range after it. */
const suffixes = new Set(
  'OffsetExpr StepInvariantExpr MatrixSelector SubqueryExpr AnchoredExpr SmoothedExpr'.split(' '),
)

function withSuffix(node: GrammarNode, expr: Expr): Expr {
  const span = { from: expr.from, to: node.to }
  const last = part(node, -1)
  switch (node.name) {
    case 'MatrixSelector':
      return { kind: 'range', ...span, expr, range: buildExpr(last) }
    case 'SubqueryExpr': {
      const step = node.children[2]
      return { kind: 'subquery', ...span, expr, range: buildExpr(part(node, 1)), step: step ? buildExpr(step) : null }
    }
    case 'OffsetExpr':
      return { kind: 'offset', ...span, expr, by: buildExpr(last) }
    case 'StepInvariantExpr': {
      const isName = last.name === 'AtModifierPreprocessors'
      const name = last.text.toLowerCase().startsWith('start') ? 'start' : 'end'
      return { kind: 'at', ...span, expr, time: isName ? name : buildExpr(last) }
    }
    default:
      return { kind: node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed', ...span, expr }
  }
}

function matcherOf({ name, from, to, text, children }: GrammarNode): WrittenMatcher {
  if (name === 'QuotedLabelName') return { from, to, label: null, operator: '=', value: text }
  const [label = '', operator, value = ''] = children.map((child) => child.text)
  return { from, to, label, operator: operator as MatchOperator, value }
}
