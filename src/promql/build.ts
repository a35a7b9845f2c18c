import { numberOf } from './literals.ts'
import type { Aggregate, Binary, Expr, Matching, MatchOperator, Selector, Span, WrittenMatcher } from './syntax.ts'

/** A node as the grammar has it. */
export type GrammarNode = Span & { name: string; children: GrammarNode[] }

/** What waits for its right side: an operator, or a sign. */
type Waiting = { precedence: number; complete(right: Expr): Expr }

const levels = ['or', 'and unless', '== != < <= > >= </ >/', '+ -', '* / % atan2', '^']
const precedences = new Map(
  levels.flatMap((operators, precedence) => operators.split(' ').map((one) => [one, precedence] as const)),
)
const ofPower = precedences.get('^') ?? 0
const ofSign = precedences.get('*') ?? 0

/** The nodes that are an operand and what follows it. */
const suffixes = new Set(
  'OffsetExpr StepInvariantExpr MatrixSelector SubqueryExpr AnchoredExpr SmoothedExpr'.split(' '),
)

/**
 * The expression of a node of `text`, put together by the precedence of Prometheus. The grammar binds `offset`, `@` and `[…]`
 * more loosely than any operator, and the sign of a number more tightly than `^`; Prometheus does the contrary. So a chain
 * is laid flat and built again.
 */
export function buildExpr(root: GrammarNode, text: string): Expr {
  const operands: Expr[] = []
  const waiting: Waiting[] = []
  const operand = () => operands.pop() ?? missing(root)

  const reduce = (weakest: number) => {
    for (let last = waiting.at(-1); last && last.precedence >= weakest; last = waiting.at(-1)) {
      waiting.pop()
      operands.push(last.complete(operand()))
    }
  }

  const pushSign = (from: number) => {
    const sign = text.charAt(from) === '-' ? '-' : '+'
    waiting.push({ precedence: ofSign, complete: (expr) => ({ kind: 'unary', from, to: expr.to, sign, expr }) })
  }

  const lay = (node: GrammarNode): void => {
    if (node.name === 'BinaryExpr') {
      lay(part(node, 0))
      const operator = operatorOf(node, text)
      const precedence = precedences.get(operator.operator) ?? 0
      reduce(precedence === ofPower ? precedence + 1 : precedence)
      const complete = (right: Expr): Expr => {
        const left = operand()
        return { kind: 'binary', from: left.from, to: right.to, ...operator, left, right }
      }
      waiting.push({ precedence, complete })
      lay(part(node, -1))
    } else if (node.name === 'UnaryExpr') {
      pushSign(node.from)
      lay(part(node, 1))
    } else if (suffixes.has(node.name)) {
      lay(part(node, 0))
      const expr = operand()
      operands.push(withSuffix(node, expr, text))
    } else if (node.name === 'NumberDurationLiteral') {
      const [sign = ''] = /^[-+](?:\s|#[^\n]*)*/.exec(textOf(node, text)) ?? []
      if (sign !== '') pushSign(node.from)
      operands.push(numberAt({ from: node.from + sign.length, to: node.to }, text))
    } else operands.push(leafOf(node, text))
  }

  lay(root)
  reduce(0)
  return operand()
}

function missing({ name }: GrammarNode): never {
  throw new Error(`a part of ${name} is missing`)
}

const textOf = ({ from, to }: Span, text: string) => text.slice(from, to)
const part = (node: GrammarNode, index: number) => node.children.at(index) ?? missing(node)
const find = ({ children }: GrammarNode, name: string) => children.find((child) => child.name === name)

function numberAt(span: Span, text: string): Expr {
  const own = textOf(span, text)
  return { kind: 'number', from: span.from, to: span.to, text: own, value: numberOf(own) }
}

function leafOf(node: GrammarNode, text: string): Expr {
  const { name, from, to } = node
  const span = { from, to }
  switch (name) {
    case 'ParenExpr':
      return { kind: 'paren', ...span, expr: buildExpr(part(node, 0), text) }
    case 'StringLiteral':
      return { kind: 'string', ...span, text: textOf(span, text) }
    case 'VectorSelector':
      return selectorOf(node, text)
    case 'FunctionCall':
      return { kind: 'call', ...span, name: textOf(part(node, 0), text), args: argumentsOf(node, text) }
    case 'AggregateExpr':
      return aggregateOf(node, text)
    default:
      throw new Error(`${name} is no expression`)
  }
}

function argumentsOf(node: GrammarNode, text: string): Expr[] {
  return find(node, 'FunctionCallBody')?.children.map((argument) => buildExpr(argument, text)) ?? []
}

function aggregateOf(node: GrammarNode, text: string): Aggregate {
  const modifier = find(node, 'AggregateModifier')
  return {
    kind: 'aggregate',
    from: node.from,
    to: node.to,
    operator: textOf(part(node, 0), text).toLowerCase(),
    grouping: modifier
      ? { without: part(modifier, 0).name === 'Without', labels: labelsIn(part(modifier, 1), text) }
      : null,
    args: argumentsOf(node, text),
  }
}

const labelsIn = ({ children }: GrammarNode, text: string) => children.map((label) => textOf(label, text))

function operatorOf(node: GrammarNode, text: string): Omit<Binary, keyof Span | 'kind' | 'left' | 'right'> {
  const operator = part(node, 1)
  const bool = find(node, 'BoolModifier')
  const clause = find(node, 'MatchingModifierClause')
  const fill = find(node, 'FillModifier')
  return {
    operator: textOf(operator, text).toLowerCase(),
    bool: bool !== undefined,
    matching: clause ? matchingOf(clause, text) : null,
    fill: fill ? textOf(fill, text) : null,
    operandFrom: (bool ?? operator).to,
  }
}

function matchingOf(clause: GrammarNode, text: string): Matching {
  const [labels = [], include = []] = clause.children
    .filter(({ name }) => name === 'GroupingLabels')
    .map((list) => labelsIn(list, text))
  const many = find(clause, 'GroupLeft') ? 'left' : find(clause, 'GroupRight') ? 'right' : null
  return { on: part(clause, 0).name === 'On', labels, many, include }
}

function withSuffix(node: GrammarNode, expr: Expr, text: string): Expr {
  const span = { from: expr.from, to: node.to }
  switch (node.name) {
    case 'MatrixSelector':
      return { kind: 'range', ...span, expr, range: durationOf(part(node, 1), text) }
    case 'SubqueryExpr': {
      const step = node.children[2]
      const range = durationOf(part(node, 1), text)
      return { kind: 'subquery', ...span, expr, range, step: step ? durationOf(step, text) : null }
    }
    case 'OffsetExpr':
      return { kind: 'offset', ...span, expr, by: durationOf(part(node, 2), text) }
    case 'StepInvariantExpr':
      return { kind: 'at', ...span, expr, time: timeOf(part(node, 2), text) }
    default:
      return { kind: node.name === 'AnchoredExpr' ? 'anchored' : 'smoothed', ...span, expr }
  }
}

function timeOf(node: GrammarNode, text: string): Expr | 'start' | 'end' {
  if (node.name !== 'AtModifierPreprocessors') return buildExpr(node, text)
  return textOf(node, text).toLowerCase().startsWith('start') ? 'start' : 'end'
}

function durationOf(node: GrammarNode, text: string): Expr {
  const span = { from: node.from, to: node.to }
  if (node.name === 'NumberDurationLiteralInDurationContext') return numberAt(span, text)
  const [first = missing(node), second, third] = node.children
  if (first.name === 'UnaryOp' && second) {
    return { kind: 'unary', ...span, sign: textOf(first, text) === '-' ? '-' : '+', expr: durationOf(second, text) }
  }
  if (second && third && first.name === 'DurationExpr') {
    const operator = textOf(second, text)
    const [left, right] = [durationOf(first, text), durationOf(third, text)]
    const plain = { bool: false, matching: null, fill: null, operandFrom: second.to }
    return { kind: 'binary', ...span, operator, ...plain, left, right }
  }
  if (first.name === 'DurationExpr') return { kind: 'paren', ...span, expr: durationOf(first, text) }
  if (first.name === 'NumberDurationLiteralInDurationContext') return durationOf(first, text)
  const args = node.children.slice(1).map((argument) => durationOf(argument, text))
  return { kind: 'call', ...span, name: textOf(first, text), args }
}

function selectorOf(node: GrammarNode, text: string): Selector {
  const [metric, braces] = [find(node, 'Identifier'), find(node, 'LabelMatchers')]
  return {
    kind: 'selector',
    from: node.from,
    to: node.to,
    metric: metric ? textOf(metric, text) : null,
    matchers: braces?.children.map((matcher) => matcherOf(matcher, text)) ?? [],
    braceFrom: braces?.from ?? null,
  }
}

function matcherOf(node: GrammarNode, text: string): WrittenMatcher {
  const { name, from, to } = node
  if (name === 'QuotedLabelName') return { from, to, label: null, operator: '=', value: textOf(node, text) }
  const [label, operator, value] = [0, 1, 2].map((index) => textOf(part(node, index), text))
  return { from, to, label: label ?? '', operator: operator as MatchOperator, value: value ?? '' }
}
