import { checkTypes } from './check.ts'
import { leftOut, unreadable } from './errors.ts'
import { metricName } from './labels.ts'
import { numberOf, stringOf } from './literals.ts'
import { matcher, type Matcher, refuseAll } from './matchers.ts'
import type { PromqlNode } from './nodes.ts'
import { suffixes } from './precedence.ts'
import { readPromql } from './read.ts'
import { suffixed } from './suffixes.ts'
import type { Aggregate, Binary, Expr, Matching, Selector } from './syntax.ts'

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
  if (patternsIn(root) > mostPatterns) throw unreadable(`wanted at most ${mostPatterns} regular expressions`)
  const expr = read(root)
  checkTypes(expr)
  return expr
}

/** Each may take megabytes to match with. */
const mostPatterns = 100

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
  if (name === 'FunctionCall' && first) return { kind: 'call', name: first.text, args: argumentsOf(children).map(read) }
  if (name === 'AggregateExpr' && first) return readAggregate(first.text.toLowerCase(), children)
  throw leftOut(name)
}

const argumentsOf = (children: PromqlNode[]) => children.find(({ name }) => name === 'FunctionCallBody')?.children ?? []

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
    if (name === 'QuotedLabelName') throw leftOut('quoted names')
    return text
  })

function readAggregate(operator: string, children: PromqlNode[]): Aggregate {
  const args = argumentsOf(children).map(read)
  const takesParam = ['topk', 'bottomk', 'quantile', 'count_values'].includes(operator)
  if (operator.startsWith('limit')) throw leftOut(operator)
  const [param, expr] = takesParam ? args : [null, args[0]]
  if (args.length !== (takesParam ? 2 : 1) || !expr || param === undefined)
    throw unreadable(`wrong number of arguments for aggregate expression ${operator}`)
  const [way, list] = children.find(({ name }) => name === 'AggregateModifier')?.children ?? []
  return {
    kind: 'aggregate',
    operator,
    param,
    expr,
    labels: list ? namesIn(list) : [],
    without: way?.name === 'Without',
  }
}

function readSelector(children: PromqlNode[]): Selector {
  const metric = children.find(({ name }) => name === 'Identifier')
  const list = children.find(({ name }) => name === 'LabelMatchers')
  const matchers: Matcher[] = metric ? [matcher(metricName, '=', metric.text)] : []
  for (const child of list?.children ?? []) {
    const [label, operator, value] = child.children
    const sign = matchOperators.find((one) => one === operator?.text)
    if (child.name !== 'UnquotedLabelMatcher' || !label || !value || !sign) throw leftOut('quoted names')
    if (metric && label.text === metricName) throw unreadable('metric name must not be set twice')
    matchers.push(matcher(label.text, sign, stringOf(value.text)))
  }
  refuseAll(matchers)
  return { kind: 'selector', matchers, offsetMs: 0, at: null }
}
