import { newSloPath } from '../../../address/new-slo.ts'
import { type Matcher, matcherText } from '../answer.ts'
import { childrenOf, type SyntaxNode, nodesOf, treeOf } from '../../../editor/tree.ts'
import { asBadWords, narrowLabel } from '../words.ts'

/** A drill-down step from a label of a result: to a changed query, or to another page. */
export type DrillStep = { label: string; query: string } | { label: string; path: string }

const usualRange = '[5m]'
/** Status codes of HTTP, for which there are steps with their whole class (`5..`) too. */
const codes = /^[1-5]\d\d$/

/**
 * Drill-down steps from a label value in the result of a query: the query with only this value, the query without it, and a new SLO that counts
 * it as bad; for an HTTP status code, also with its class. Empty if the label does not come from the metrics of the query.
 */
export function drillStepsFrom(query: string, source: number, { label, value }: Omit<Matcher, 'op'>): DrillStep[] {
  const one: Matcher = { label, op: '=', value }
  const all: Matcher[] = codes.test(value) ? [{ label, op: '=~', value: `${value.charAt(0)}..` }, one] : [one]
  const bad = all.flatMap((matcher): DrillStep[] => {
    const queries = badEvents(query, matcher)
    return queries
      ? [{ label: asBadWords(matcherText(matcher)), path: newSloPath({ source, ...queries, kind: 'requests' }) }]
      : []
  })
  const narrowed = [...all, { ...one, op: '!=' as const }].flatMap((matcher): DrillStep[] => {
    const changed = withMatcher(query, matcher)
    return changed === null
      ? []
      : [
          {
            label: narrowLabel(
              matcherText({ ...matcher, op: matcher.op === '!=' ? '=' : matcher.op }),
              matcher.op === '!=',
            ),
            query: changed,
          },
        ]
  })
  return [...bad, ...narrowed]
}

/** Query with the matcher in each selector; null if the selected metrics may not have the label, or nothing changes. */
export function withMatcher(query: string, matcher: Matcher): string | null {
  const top = treeOf(query)
  if (!top || !isSelected(top, query, matcher.label)) return null
  const changed = nodesOf(top, 'VectorSelector').reduceRight(
    (text, selector) =>
      `${text.slice(0, selector.from)}${selectorWith(selector, query, matcher)}${text.slice(selector.to)}`,
    query,
  )
  return changed === query ? null : changed
}

/**
 * Queries for the events with the matcher and for all events, made of a query of one counter that does not have the matcher yet; null for
 * other queries.
 */
export function badEvents(query: string, matcher: Matcher): { bad: string; total: string } | null {
  const top = treeOf(query)
  if (!top || matcher.label === 'le' || !isSelected(top, query, matcher.label)) return null
  const [selector, ...others] = nodesOf(top, 'VectorSelector')
  if (!selector || others.length > 0) return null
  const range = rangeOf(selector, query)
  const [all, bad] = [query.slice(selector.from, selector.to), selectorWith(selector, query, matcher)]
  if (range === null || bad === all) return null
  return { bad: `sum(rate(${bad}${range}))`, total: `sum(rate(${all}${range}))` }
}

/** Range of the `rate` around a counter, or five minutes if the query is the counter itself; null for other metrics. */
function rangeOf(selector: SyntaxNode, query: string): string | null {
  const { parent } = selector
  if (parent?.name === 'MatrixSelector') {
    const call = parent.parent?.parent
    const name = call?.firstChild
    const isRate = name && /^(?:i?rate|increase)$/.test(query.slice(name.from, name.to))
    return isRate ? query.slice(selector.to, parent.to).trim() : null
  }
  const metric = query.slice(selector.from, selector.firstChild?.to)
  return parent?.name === 'PromQL' && /_(?:total|count)$/.test(metric) ? usualRange : null
}

/** True if a label of the result comes from the selected metrics: the query neither creates it nor joins it from another metric. */
function isSelected(top: SyntaxNode, query: string, label: string): boolean {
  if (label === '__name__' || nodesOf(top, '⚠').length > 0) return false
  if (['GroupLeft', 'GroupRight'].some((name) => nodesOf(top, name).length > 0)) return false
  const literals = nodesOf(top, 'StringLiteral').filter(({ parent }) => parent?.name === 'FunctionCallBody')
  return !literals.some(({ from, to }) => query.slice(from + 1, to - 1) === label)
}

/** Text of a selector with one more matcher, unless it has it already. */
function selectorWith(selector: SyntaxNode, query: string, matcher: Matcher): string {
  const text = query.slice(selector.from, selector.to)
  const matchers = childrenOf(selector).find(({ name }) => name === 'LabelMatchers')
  if (!matchers) return `${text}{${matcherText(matcher)}}`
  const inside = childrenOf(matchers).filter(({ name }) => name !== 'LineComment')
  if (inside.some(({ from, to }) => query.slice(from, to).replaceAll(/\s/g, '') === matcherText(matcher))) return text
  const at = (inside.at(-1)?.to ?? matchers.from + 1) - selector.from
  return `${text.slice(0, at)}${inside.length > 0 ? ', ' : ''}${matcherText(matcher)}${text.slice(at)}`
}
