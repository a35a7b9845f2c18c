import type { Edit } from './expression-edits.ts'
import { constantOf, isZero } from './linear-form.ts'
import type { Ratio } from './ratios.ts'
import { metricNames } from './counters/raw-quantity.ts'
import { aggregationName, binaryParts, callArguments, functionName, type PromqlNode, unwrap } from './tree.ts'

/** The labels that a side's series have: these, or (`except`) all but these. */
type Labels = { only: Set<string> } | { except: Set<string> }

/** One selector, and which of its labels are still there in the side that is made of it. */
type Side = { selector: PromqlNode; labels: Labels }

/**
 * How the two sides of a division find each other. `alike`: by labels of which both select the same. `uneven`: by a label of
 * which one side selects less, so that the rest of the other is left out. `always_one`: then, both read the same metric and
 * differ in nothing else, so that each series is divided by itself. `whole`: by no label, or not known.
 */
export type Matching =
  { way: 'whole' | 'alike' } | { way: 'always_one'; labels: string[] } | { way: 'uneven'; edits: Edit[] }

const elementwise = new Set(['abs', 'ceil', 'floor', 'round', 'clamp', 'clamp_min', 'clamp_max', 'sort', 'sort_desc'])
const aggregations = new Set(['sum', 'avg', 'min', 'max', 'count'])
const filters = new Set(['Eql', 'Neq', 'Lss', 'Lte', 'Gtr', 'Gte'])

export function matchingOf({ node, parts }: Ratio): Matching {
  const left = sideOf(parts.left)
  const right = sideOf(parts.right)
  if (!left || !right) return { way: 'whole' }
  const matched = common(common(left.labels, right.labels), matchingLabels(node))
  if ('only' in matched && matched.only.size === 0) return { way: 'whole' }
  const own = withoutThoseOf(left.selector, right.selector)
  const other = withoutThoseOf(right.selector, left.selector)
  const isMatched = ({ label }: Matcher) => has(matched, label)
  const uneven = [...own, ...other].filter(isMatched)
  if (uneven.length === 0) return { way: 'alike' }
  const [name] = metricNames(left.selector)
  if (name && name === metricNames(right.selector)[0] && uneven.length === own.length + other.length) {
    return { way: 'always_one', labels: [...new Set(uneven.map(({ label }) => label))] }
  }
  const edits = [...added(left.selector, other.filter(isMatched)), ...added(right.selector, own.filter(isMatched))]
  return { way: 'uneven', edits }
}

/** Selectors of a histogram's buckets that a side adds up over `le`; each holds all that is in the ones below it. */
export function addedBuckets(node: PromqlNode, isAddedUp: boolean): PromqlNode[] {
  const parts = binaryParts(unwrap(node))
  if (parts) return [parts.left, parts.right].flatMap((one) => addedBuckets(one, isAddedUp))
  const side = sideOf(node)
  if (!side || !metricNames(side.selector)[0]?.endsWith('_bucket')) return []
  if (matchersOf(side.selector).some(({ label }) => label === 'le')) return []
  return isAddedUp || !has(side.labels, 'le') ? [side.selector] : []
}

/** Null where it is made of anything but one selector, range functions and aggregations. */
function sideOf(node: PromqlNode): Side | null {
  const inner = unwrap(node)
  if (inner.name === 'VectorSelector') return { selector: inner, labels: { except: new Set() } }
  const parts = binaryParts(inner)
  if (parts) {
    const { left, operator, bool, right } = parts
    if (operator.name === 'Or') return isZero(right) ? sideOf(left) : null
    if (constantOf(right) !== undefined) return filters.has(operator.name) && bool ? null : sideOf(left)
    return operator.name === 'Mul' && constantOf(left) !== undefined ? sideOf(right) : null
  }
  if (inner.name === 'AggregateExpr') return aggregated(inner)
  const [first] = inner.name === 'FunctionCall' ? callArguments(inner) : inner.children
  if (!first) return null
  if (inner.name === 'MatrixSelector' || inner.name === 'OffsetExpr') return sideOf(first)
  const isOverRange = callArguments(inner).length === 1 && unwrap(first).name === 'MatrixSelector'
  return isOverRange || elementwise.has(functionName(inner) ?? '') ? sideOf(first) : null
}

function aggregated(node: PromqlNode): Side | null {
  const [first, ...others] = callArguments(node)
  const side = first && others.length === 0 && aggregations.has(aggregationName(node) ?? '') ? sideOf(first) : null
  if (!side) return null
  const modifier = node.children.find(({ name }) => name === 'AggregateModifier')
  const [way, list] = modifier?.children ?? []
  const kept = way?.name === 'Without' ? { except: namesIn(list) } : { only: namesIn(list) }
  return { ...side, labels: common(side.labels, kept) }
}

/** The labels by which the series of a division are matched. */
function matchingLabels(division: PromqlNode): Labels {
  const clause = division.children.find(({ name }) => name === 'MatchingModifierClause')?.children ?? []
  const list = clause.find(({ name }) => name === 'GroupingLabels')
  return clause[0]?.name === 'On' ? { only: namesIn(list) } : { except: namesIn(list) }
}

function namesIn(list: PromqlNode | undefined): Set<string> {
  return new Set(list?.children.map(({ text }) => text))
}

function common(a: Labels, b: Labels): Labels {
  if ('only' in a) return { only: new Set([...a.only].filter((label) => has(b, label))) }
  return 'only' in b ? common(b, a) : { except: a.except.union(b.except) }
}

function has(labels: Labels, label: string): boolean {
  return 'only' in labels ? labels.only.has(label) : !labels.except.has(label)
}

type Matcher = { label: string; text: string }

function matchersOf(selector: PromqlNode): Matcher[] {
  const list = selector.children.find(({ name }) => name === 'LabelMatchers')?.children ?? []
  return list.flatMap(({ name, children: [label, operator, value] }) => {
    if (name !== 'UnquotedLabelMatcher' || !label || label.text === '__name__') return []
    return [{ label: label.text, text: `${label.text}${operator?.text}${value?.text}` }]
  })
}

function withoutThoseOf(selector: PromqlNode, other: PromqlNode): Matcher[] {
  const theirs = new Set(matchersOf(other).map(({ text }) => text))
  return matchersOf(selector).filter(({ text }) => !theirs.has(text))
}

function added(selector: PromqlNode, matchers: Matcher[]): Edit[] {
  if (matchers.length === 0) return []
  const text = matchers.map((matcher) => matcher.text).join(',')
  const list = selector.children.find(({ name }) => name === 'LabelMatchers')
  if (!list) return [{ from: selector.to, to: selector.to, text: `{${text}}` }]
  const at = list.from + 1
  return [{ from: at, to: at, text: list.children.length > 0 ? `${text},` : text }]
}
