import { parser } from '@prometheus-io/lezer-promql'
import { checkTypes } from './check.ts'
import { leftOut, unreadable } from './errors.ts'
import { metricName } from './labels.ts'
import { numberOf, stringOf } from './literals.ts'
import { matcher, type Matcher, refuseAll } from './matchers.ts'
import { childrenOf, type Node, type TextOf } from './nodes.ts'
import { suffixed } from './suffixes.ts'
import type { Aggregate, Expr, Matching, Selector } from './syntax.ts'

type Operator = Pick<Extract<Expr, { kind: 'binary' }>, 'operator' | 'bool' | 'matching'>
/** A chain of operations as it stands in the text. */
type Item = { operand: Expr; isClosed: boolean } | { sign: string } | { binary: Operator }

const longestText = 16_384
const deepestNesting = 1_000
const matchOperators = ['=', '!=', '=~', '!~'] as const

/** Reads an expression by the official grammar and checks its types; throws in words that name what is wrong. */
export function parsePromql(text: string): Expr {
  if (text.length > longestText) throw unreadable(`it is longer than ${longestText} characters`)
  const tree = parser.parse(text)
  let error: number | null = null
  tree.iterate({ enter: (node) => void (node.type.isError && (error ??= node.from)) })
  if (error !== null) {
    const rest = text.slice(error).trim()
    throw unreadable(rest === '' ? 'it ends too early' : `parse error at character ${error}: “${rest.slice(0, 20)}”`)
  }
  const [root] = childrenOf(tree.topNode)
  if (!root) throw unreadable('no expression found in input')
  const expr = read(root, text, 0)
  checkTypes(expr)
  return expr
}

/**
 * The grammar binds `offset`, `@` and `[…]` more loosely than any operator, and a sign before a number more tightly than
 * `^`; Prometheus does the contrary. So a chain is laid flat, and put together again by the precedence of Prometheus.
 */
function read(node: Node, text: string, depth: number): Expr {
  const items: Item[] = []
  flatten(node, text, depth, items)
  let at = 0
  const operand = (): Expr => {
    const item = items[at++]
    if (item && 'sign' in item)
      return { kind: 'unary', negates: item.sign === '-', expr: chain(precedences.get('^') ?? 0) }
    if (!item || !('operand' in item)) throw unreadable('an operand is missing')
    return item.operand
  }
  const chain = (weakest: number): Expr => {
    let left = operand()
    for (let item = items[at]; item && 'binary' in item; item = items[at]) {
      const precedence = precedences.get(item.binary.operator) ?? 0
      if (precedence < weakest) break
      at += 1
      const right = chain(item.binary.operator === '^' ? precedence : precedence + 1)
      left = { kind: 'binary', ...item.binary, left, right }
    }
    return left
  }
  return chain(0)
}

const precedences = new Map(
  ['or', 'and unless', '== != < > <= >=', '+ -', '* / % atan2', '^'].flatMap((operators, precedence) =>
    operators.split(' ').map((operator) => [operator, precedence] as const),
  ),
)

function flatten(node: Node, text: string, depth: number, items: Item[]) {
  if (depth > deepestNesting) throw unreadable(`it is nested deeper than ${deepestNesting} levels`)
  const textOf = ({ from, to }: Node) => text.slice(from, to)
  const children = childrenOf(node)
  const [first, second] = children
  const deeper = (child: Node) => flatten(child, text, depth + 1, items)
  const inner = (child: Node) => read(child, text, depth + 1)
  const push = (operand: Expr, isClosed = false) => void items.push({ operand, isClosed })
  const last = children.at(-1)
  if (node.name === 'BinaryExpr' && first && second && last) {
    deeper(first)
    items.push({ binary: readOperator(children, textOf) })
    deeper(last)
  } else if (node.name === 'UnaryExpr' && first && second) {
    items.push({ sign: textOf(first) })
    deeper(second)
  } else if (node.name === 'NumberDurationLiteral') {
    const [, sign = '', digits = ''] = /^([-+]?)\s*(.*)$/s.exec(textOf(node)) ?? []
    if (sign !== '') items.push({ sign })
    push({ kind: 'number', value: numberOf(digits) })
  } else if (['OffsetExpr', 'StepInvariantExpr', 'MatrixSelector', 'SubqueryExpr'].includes(node.name) && first) {
    deeper(first)
    const item = items.at(-1)
    if (item && 'operand' in item) {
      item.operand = suffixed(node, item.operand, item.isClosed, textOf)
      item.isClosed = false
    }
  } else if (node.name === 'ParenExpr' && first) push(inner(first), true)
  else if (node.name === 'StringLiteral') push({ kind: 'string', value: stringOf(textOf(node)) })
  else if (node.name === 'VectorSelector') push(readSelector(node, textOf))
  else if (node.name === 'FunctionCall' && first)
    push({ kind: 'call', name: textOf(first), args: argumentsOf(children).map(inner) })
  else if (node.name === 'AggregateExpr' && first) push(readAggregate(children, textOf, inner))
  else throw leftOut(leftOutNodes.get(node.name) ?? node.name)
}

const leftOutNodes = new Map([
  ['AnchoredExpr', '“anchored”'],
  ['SmoothedExpr', '“smoothed”'],
])

const argumentsOf = (children: Node[]) => {
  const body = children.find(({ name }) => name === 'FunctionCallBody')
  return body ? childrenOf(body) : []
}

function readOperator(children: Node[], textOf: TextOf): Operator {
  const [, operator] = children
  if (children.some(({ name }) => name === 'FillModifier')) throw leftOut('“fill”')
  const name = operator ? textOf(operator).toLowerCase() : ''
  if (!precedences.has(name)) throw leftOut(`the operator “${name}”`)
  const clause = children.find((child) => child.name === 'MatchingModifierClause')
  const bool = children.some((child) => child.name === 'BoolModifier')
  return { operator: name, bool, matching: clause ? readMatching(clause, textOf) : null }
}

function readMatching(clause: Node, textOf: TextOf): Matching {
  const children = childrenOf(clause)
  const has = (name: string) => children.some((child) => child.name === name)
  const [labels, include] = children
    .filter(({ name }) => name === 'GroupingLabels')
    .map((list) => namesIn(list, textOf))
  const many = has('GroupLeft') ? 'left' : has('GroupRight') ? 'right' : null
  return { on: has('On'), labels: labels ?? [], many, include: include ?? [] }
}

const namesIn = (list: Node, textOf: TextOf) =>
  childrenOf(list).map((child) => {
    if (child.name === 'QuotedLabelName') throw leftOut('quoted names')
    return textOf(child)
  })

function readAggregate(children: Node[], textOf: TextOf, inner: (node: Node) => Expr): Aggregate {
  const [first] = children
  const operator = first ? textOf(first).toLowerCase() : ''
  const args = argumentsOf(children).map(inner)
  const takesParam = ['topk', 'bottomk', 'quantile', 'count_values'].includes(operator)
  if (operator.startsWith('limit')) throw leftOut(operator)
  const [param, expr] = takesParam ? args : [null, args[0]]
  if (args.length !== (takesParam ? 2 : 1) || !expr || param === undefined)
    throw unreadable(`wrong number of arguments for aggregate expression ${operator}`)
  const modifier = children.find(({ name }) => name === 'AggregateModifier')
  const [way, list] = modifier ? childrenOf(modifier) : []
  const labels = list ? namesIn(list, textOf) : []
  return { kind: 'aggregate', operator, param, expr, labels, without: way?.name === 'Without' }
}

function readSelector(node: Node, textOf: TextOf): Selector {
  const name = node.getChild('Identifier')
  const list = node.getChild('LabelMatchers')
  const matchers: Matcher[] = name ? [matcher(metricName, '=', textOf(name))] : []
  for (const child of list ? childrenOf(list) : []) {
    const [label, operator, value] = childrenOf(child)
    const sign = matchOperators.find((one) => operator && one === textOf(operator))
    if (child.name !== 'UnquotedLabelMatcher' || !label || !value || !sign) throw leftOut('quoted names')
    if (name && textOf(label) === metricName) throw unreadable('metric name must not be set twice')
    matchers.push(matcher(textOf(label), sign, stringOf(textOf(value))))
  }
  refuseAll(matchers)
  return { kind: 'selector', matchers, offsetMs: 0, at: null }
}
