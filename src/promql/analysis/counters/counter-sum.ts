import { isZero } from '../linear-form.ts'
import { aggregationName, binaryParts, callArguments, functionName, type PromqlNode, unwrap } from '../tree.ts'

/** `label op "value"`; `value` is null where the literal has escapes, `text` is the same however the matcher was written. */
export type Matcher = { label: string | null; op: string; value: string | null; text: string }

/**
 * The counters that one selector names; `text` is the same for the same selector, however it was written. `metric` is empty
 * where a matcher names it: not every name can stand in front of the braces.
 */
export type Counter = { metric: string; matchers: Matcher[]; text: string }

/** One selector of a side. `isOptional`: where it has no series it counts as 0 (`or vector(0)`). */
export type CounterTerm = { sign: 1 | -1; counter: Counter; isOptional: boolean }

/**
 * A side as a sum of the increases of counters, or null where it is anything else. All series of a side are summed, so a
 * `sum by` is a sum, and so is a bare `rate`.
 */
export function counterSum(node: PromqlNode): CounterTerm[] | null {
  const inner = unwrap(node)
  const parts = binaryParts(inner)
  if (parts?.operator.name === 'Or') {
    const terms = isZero(parts.right) ? counterSum(parts.left) : null
    return terms?.length === 1 ? terms.map((term) => ({ ...term, isOptional: true })) : null
  }
  if (parts && (parts.operator.name === 'Add' || parts.operator.name === 'Sub')) {
    const left = isOneSum(parts.left) ? counterSum(parts.left) : null
    const right = isOneSum(parts.right) ? counterSum(parts.right) : null
    if (!left || !right) return null
    const signed = (term: CounterTerm) => ({ ...term, sign: negated(term.sign, parts.operator.name === 'Sub') })
    return [...left, ...right.map(signed)]
  }
  if (aggregationName(inner) === 'sum') {
    const [argument] = callArguments(inner)
    const terms = argument && !binaryParts(unwrap(argument)) ? counterSum(argument) : null
    return terms
  }
  const name = functionName(inner)
  if (name !== 'rate' && name !== 'increase') return null
  const range = unwrap(callArguments(inner)[0] ?? inner)
  const selector = range.name === 'MatrixSelector' ? range.children[0] : undefined
  const counter = selector && readCounter(selector)
  return counter ? [{ sign: 1, counter, isOptional: false }] : null
}

/** Adding up matches labels; what has none is added whole. */
function isOneSum(node: PromqlNode): boolean {
  const inner = unwrap(node)
  const parts = binaryParts(inner)
  if (parts) return isOneSum(parts.left) && (isZero(parts.right) || isOneSum(parts.right))
  return aggregationName(inner) === 'sum' && !inner.children.some(({ name }) => name === 'AggregateModifier')
}

function readCounter(selector: PromqlNode): Counter | null {
  const identifier = selector.children.find(({ name }) => name === 'Identifier')
  const list = selector.children.find(({ name }) => name === 'LabelMatchers')?.children ?? []
  if (list.some(({ name }) => name === 'QuotedLabelName')) return null // a metric whose name needs quotes
  const matchers = list.map(readMatcher).toSorted((a, b) => (a.text < b.text ? -1 : 1))
  const names = matchers.filter(({ label }) => label === '__name__')
  // Several metrics in one selector cannot be matched with their own past.
  if (names.some(({ op }) => op !== '=') || names.length !== (identifier ? 0 : 1)) return null
  const metric = identifier?.text ?? ''
  return { metric, matchers, text: `${metric}{${matchers.map(({ text }) => text).join(',')}}` }
}

function readMatcher(node: PromqlNode): Matcher {
  const [name, op, literal] = node.children
  const quoted = literal?.text ?? ''
  const value = quoted.includes('\\') && !quoted.startsWith('`') ? null : quoted.slice(1, -1)
  const text = `${name?.text}${op?.text}${value === null ? quoted : JSON.stringify(value)}`
  return { label: name?.name === 'LabelName' ? name.text : null, op: op?.text ?? '', value, text }
}

function negated(sign: 1 | -1, isNegated: boolean): 1 | -1 {
  return isNegated ? (sign === 1 ? -1 : 1) : sign
}
