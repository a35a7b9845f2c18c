import { checkTypes } from './check.ts'
import { leftOut, unreadable } from './errors.ts'
import { isLabelName, metricName } from './labels.ts'
import { numberOf, stringOf } from './literals.ts'
import { matcher, type Matcher, refuseAll } from './matchers.ts'
import type { PromqlNode } from './nodes.ts'
import { isPinned } from './pinned.ts'
import { suffixes } from './precedence.ts'
import { readPromql } from './read.ts'
import { suffixed } from './suffixes.ts'
import type { Aggregate, Binary, Call, Expr, Matching, Selector } from './syntax.ts'

const matchOperators = ['=', '!=', '=~', '!~'] as const
const leftOutNodes = new Map([
  ['AnchoredExpr', '“anchored”'],
  ['SmoothedExpr', '“smoothed”'],
  ['FillModifier', '“fill”'],
  ['TrimLower', 'the operator “>/”'],
  ['TrimUpper', 'the operator “</”'],
])

/** Reads an expression and checks its types; throws in words that name what is wrong. */
export function parsePromql(text: string): Expr {
  const { root, problem } = readPromql(text)
  if (problem) throw unreadable(`parse error at character ${problem.position + 1}: ${problem.message}`)
  if (!root) throw unreadable('no expression found in input')
  if (patternsIn(root) > maxPatterns) throw unreadable(`must be at most ${maxPatterns} regular expressions`)
  const expr = read(root)
  checkTypes(expr)
  return expr
}

/** Each may take megabytes to match with. */
const maxPatterns = 100

function patternsIn({ name, children }: PromqlNode): number {
  const own = name === 'EqlRegex' || name === 'NeqRegex' || name === 'LabelReplace' ? 1 : 0
  return children.reduce((sum, child) => sum + patternsIn(child), own)
}

function read(node: PromqlNode): Expr {
  const { name, text, children } = node
  const [first, second] = children
  const last = children.at(-1)
  const refused = [node, ...children].map((one) => leftOutNodes.get(one.name)).find((what) => what !== undefined)
  if (refused !== undefined) throw leftOut(refused)
  if (name === 'BinaryExpr' && first && second && last)
    return { kind: 'binary', ...readOperator(second, children), left: read(first), right: read(last) }
  if (name === 'UnaryExpr' && first && second) return { kind: 'unary', negates: first.text === '-', expr: read(second) }
  if (name === 'ParenExpr' && first) return read(first)
  if (suffixes.has(name) && first) return suffixed(node, read(first), first.name === 'ParenExpr')
  if (name === 'NumberDurationLiteral') return { kind: 'number', value: numberOf(text) }
  if (name === 'StringLiteral') return { kind: 'string', value: stringOf(text) }
  if (name === 'VectorSelector') return readSelector(children)
  if (name === 'FunctionCall' && first) return readCall(first.text, argumentsOf(children))
  if (name === 'AggregateExpr' && first) return readAggregate(first.text.toLowerCase(), children)
  throw leftOut(name)
}

const argumentsOf = (children: PromqlNode[]) => children.find(({ name }) => name === 'FunctionCallBody')?.children ?? []

/** The second argument of `info` is no selector but what the labels to add must be, so that none of it may be missing. */
function readCall(name: string, args: PromqlNode[]): Call {
  const [vector, wanted] = args
  const isInfo = name === 'info' && vector && wanted && args.length === 2
  const exprs = isInfo ? [read(vector), readLabelSelector(wanted)] : args.map(read)
  return {
    kind: 'call',
    name,
    args: exprs,
    argsFrom: placesOf(args, exprs),
  }
}

/** As Prometheus counts: what is the same at all times keeps its parentheses, and a subquery has lost its place. */
function placesOf(nodes: PromqlNode[], exprs: Expr[]): number[] {
  const areAllPinned = exprs.every(isPinned)
  return nodes.map((node, place) => {
    const expr = exprs[place]
    if (expr?.kind === 'subquery') return 0
    return expr && isPinned(expr) && !areAllPinned ? node.from : startOf(node)
  })
}

function startOf(node: PromqlNode): number {
  const [inner] = node.children
  return node.name === 'ParenExpr' && inner ? startOf(inner) : node.from
}

function readOperator(operator: PromqlNode, children: PromqlNode[]): Pick<Binary, 'operator' | 'bool' | 'matching'> {
  const clause = children.find(({ name }) => name === 'MatchingModifierClause')
  const bool = children.some(({ name }) => name === 'BoolModifier')
  return { operator: operator.text.toLowerCase(), bool, matching: clause ? readMatching(clause) : null }
}

function readMatching({ children }: PromqlNode): Matching {
  const has = (wanted: string) => children.some(({ name }) => name === wanted)
  const [labels, include] = children.filter(({ name }) => name === 'GroupingLabels').map(namesIn)
  const many = has('GroupLeft') ? 'left' : has('GroupRight') ? 'right' : null
  return { on: has('On'), labels: labels ?? [], many, include: include ?? [] }
}

const namesIn = (list: PromqlNode) =>
  list.children.map(({ name, text }) => {
    if (name !== 'QuotedLabelName') return text
    const unquoted = stringOf(text)
    if (!isLabelName(unquoted)) throw unreadable(`invalid label name for grouping: ${JSON.stringify(unquoted)}`)
    return unquoted
  })

function readAggregate(operator: string, children: PromqlNode[]): Aggregate {
  const nodes = argumentsOf(children)
  const args = nodes.map(read)
  const takesParam = ['topk', 'bottomk', 'limitk', 'limit_ratio', 'quantile', 'count_values'].includes(operator)
  const [param, expr] = takesParam ? args : [null, args[0]]
  if (args.length !== (takesParam ? 2 : 1) || !expr || param === undefined)
    throw unreadable(`wrong number of arguments for aggregate expression ${operator}`)
  const [way, list] = children.find(({ name }) => name === 'AggregateModifier')?.children ?? []
  return {
    kind: 'aggregate',
    operator,
    param,
    paramFrom: nodes[0] ? startOf(nodes[0]) : 0,
    expr,
    labels: list ? namesIn(list) : [],
    without: way?.name === 'Without',
  }
}

function readSelector(children: PromqlNode[]): Selector {
  const selector = readMatchers(children)
  refuseAll(selector.matchers)
  return selector
}

function readLabelSelector({ name, children }: PromqlNode): Selector {
  if (name !== 'VectorSelector' || children.some((child) => child.name === 'Identifier'))
    throw unreadable('expected label selectors only as the second argument of “info”')
  return readMatchers(children)
}

function readMatchers(children: PromqlNode[]): Selector {
  const metric = children.find(({ name }) => name === 'Identifier')
  const list = children.find(({ name }) => name === 'LabelMatchers')?.children.map(readMatcher) ?? []
  if (metric && list.some(({ name }) => name === metricName)) throw unreadable('metric name must not be set twice')
  const matchers = metric ? [matcher(metricName, '=', metric.text), ...list] : list
  return { kind: 'selector', matchers, offsetMs: 0, at: null }
}

/** `a="b"`, `"a.b"="c"`, or the name of a metric in quotes. */
function readMatcher(node: PromqlNode): Matcher {
  if (node.name === 'QuotedLabelName') return matcher(metricName, '=', stringOf(node.text))
  const [label, operator, value] = node.children
  const sign = matchOperators.find((one) => one === operator?.text)
  if (!label || !value || !sign) throw leftOut(node.name)
  return matcher(label.name === 'QuotedLabelName' ? stringOf(label.text) : label.text, sign, stringOf(value.text))
}
