import { childrenOf, comparisons, type Aggregate, type Binary, type Expr, type Selector, unwrap } from '../syntax.ts'
import { calledFunction } from '../tree.ts'
import { metricNames } from './counters/raw-quantity.ts'
import type { Edit } from '../print.ts'
import { constantOf, isZero } from './linear-form.ts'

/** Labels of a side's series: only these, or (`except`) all except these. */
type LabelSet = { only: Set<string> } | { except: Set<string> }

/** Side of a division that reads one selector; `labels` are the selector's labels that the side's series still have. */
type Side = { selector: Selector; labels: LabelSet }

/**
 * Vector matching between the two sides of a division. `alike`: both sides have the same matchers on the labels they are
 * matched by. `uneven`: one side has a matcher on such a label that the other has not, so series of the other side are left
 * out; `edits` add the matcher. `always_one`: uneven, but both sides read the same metric and differ in nothing else, so each
 * series is divided by itself. `whole`: by no label, or unknown.
 */
type DivisionMatching =
  { way: 'whole' | 'alike' } | { way: 'always_one'; labels: string[] } | { way: 'uneven'; edits: Edit[] }

const elementwise = new Set(['abs', 'ceil', 'floor', 'round', 'clamp', 'clamp_min', 'clamp_max', 'sort', 'sort_desc'])
const aggregations = new Set(['sum', 'avg', 'min', 'max', 'count'])

/** Finds how the series of both sides are matched. */
export function matchingOf(division: Binary): DivisionMatching {
  const left = sideOf(division.left)
  const right = sideOf(division.right)
  if (!left || !right) return { way: 'whole' }
  const matchedLabels = common(common(left.labels, right.labels), matchingLabels(division))
  if ('only' in matchedLabels && matchedLabels.only.size === 0) return { way: 'whole' }
  const onlyLeft = matchersNotIn(left.selector, right.selector)
  const onlyRight = matchersNotIn(right.selector, left.selector)
  const isMatched = ({ label }: PlainMatcher) => has(matchedLabels, label)
  const uneven = [...onlyLeft, ...onlyRight].filter(isMatched)
  if (uneven.length === 0) return { way: 'alike' }
  const [name] = metricNames(left.selector)
  if (name && name === metricNames(right.selector)[0] && uneven.length === onlyLeft.length + onlyRight.length) {
    return { way: 'always_one', labels: [...new Set(uneven.map(({ label }) => label))] }
  }
  const texts = (matchers: PlainMatcher[]) => matchers.filter(isMatched).map(({ text }) => text)
  const edits = [...addMatchers(left.selector, texts(onlyRight)), ...addMatchers(right.selector, texts(onlyLeft))]
  return { way: 'uneven', edits }
}

/** Selectors of histogram buckets that a side sums over `le`. Buckets are cumulative: events are counted several times. */
export function addedBuckets(side: Expr, isAddedUp: boolean): Selector[] {
  const inner = unwrap(side)
  if (inner.kind === 'binary') return childrenOf(inner).flatMap((one) => addedBuckets(one, isAddedUp))
  const bucketSide = sideOf(inner)
  if (!bucketSide || !metricNames(bucketSide.selector)[0]?.endsWith('_bucket')) return []
  if (matchersOf(bucketSide.selector).some(({ label }) => label === 'le')) return []
  return isAddedUp || !has(bucketSide.labels, 'le') ? [bucketSide.selector] : []
}

/** Reads a side; null if it has several selectors, or other operations than range functions, aggregations and constants. */
function sideOf(side: Expr): Side | null {
  const inner = unwrap(side)
  switch (inner.kind) {
    case 'selector':
      return { selector: inner, labels: { except: new Set() } }
    case 'range':
    case 'offset':
      return sideOf(inner.expr)
    case 'aggregate':
      return aggregated(inner)
    case 'binary': {
      const { left, operator, bool, right } = inner
      if (operator === 'or') return isZero(right) ? sideOf(left) : null
      if (constantOf(right) !== undefined) return comparisons.has(operator) && bool ? null : sideOf(left)
      return operator === '*' && constantOf(left) !== undefined ? sideOf(right) : null
    }
    case 'call': {
      const [first] = inner.args
      const isOverRange = inner.args.length === 1 && first && unwrap(first).kind === 'range'
      return first && (isOverRange || elementwise.has(calledFunction(inner))) ? sideOf(first) : null
    }
    default:
      return null
  }
}

function aggregated({ operator, grouping, args }: Aggregate): Side | null {
  const [first] = args
  const side = first && args.length === 1 && aggregations.has(operator) ? sideOf(first) : null
  if (!side) return null
  const labels = new Set(grouping?.labels)
  return { ...side, labels: common(side.labels, grouping?.without ? { except: labels } : { only: labels }) }
}

/** The labels by which the series of a division are matched. */
function matchingLabels({ matching }: Binary): LabelSet {
  const labels = new Set(matching?.labels)
  return matching?.on ? { only: labels } : { except: labels }
}

function common(a: LabelSet, b: LabelSet): LabelSet {
  if ('only' in a) return { only: new Set([...a.only].filter((label) => has(b, label))) }
  return 'only' in b ? common(b, a) : { except: a.except.union(b.except) }
}

function has(labels: LabelSet, label: string): boolean {
  return 'only' in labels ? labels.only.has(label) : !labels.except.has(label)
}

/** A matcher whose label has no quotes. */
type PlainMatcher = { label: string; text: string }

function matchersOf({ matchers }: Selector): PlainMatcher[] {
  return matchers.flatMap(({ label, operator, value }) =>
    label === null || label === '__name__' || /^["'`]/.test(label)
      ? []
      : { label, text: `${label}${operator}${value}` },
  )
}

function matchersNotIn(selector: Selector, other: Selector): PlainMatcher[] {
  const otherTexts = new Set(matchersOf(other).map(({ text }) => text))
  return matchersOf(selector).filter(({ text }) => !otherTexts.has(text))
}

/** Edits that add matchers, as they are written, to a selector. */
export function addMatchers({ to, matchers: present, braceFrom }: Selector, matchers: readonly string[]): Edit[] {
  if (matchers.length === 0) return []
  const text = matchers.join(',')
  if (braceFrom === null) return [{ from: to, to, text: `{${text}}` }]
  const at = braceFrom + 1
  return [{ from: at, to: at, text: present.length > 0 ? `${text},` : text }]
}
