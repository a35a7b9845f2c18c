import type { Problem } from '../../errors.ts'
import { addMatchers } from '../../promql/analysis/matching.ts'
import { readTemplate } from '../../promql/analysis/placeholders.ts'
import { edited } from '../../promql/print.ts'
import type { Selector } from '../../promql/syntax.ts'
import { selectorsIn } from '../../promql/tree.ts'
import { queryFields } from '../../slos/definition.ts'
import { labelProblems } from '../../slos/labels.ts'
import { maxNameLength, maxQueryLength, type SloCreation } from '../../slos/model.ts'

type Named = Partial<Pick<SloCreation, 'name' | 'labels' | (typeof queryFields)[number]>>

/**
 * Function that makes the SLO for one value of a label: its queries select only series with this label, its name ends with the
 * value, and the SLO has the label. `problems`: why that is impossible. Each query is parsed once, however many values there are.
 */
export function forEachValue<Slo extends Named>(slo: Slo) {
  const queries = queryFields.flatMap((field): Query[] => {
    const text = slo[field]
    if (text === undefined || text === null) return []
    const { root } = readTemplate(text)
    return [{ field, text, selectors: root ? selectorsIn(root) : [] }]
  })
  return (one: { label: string; value: string }) => sloForValue(slo, queries, one)
}

type Query = { field: (typeof queryFields)[number]; text: string; selectors: Selector[] }

function sloForValue<Slo extends Named>(
  slo: Slo,
  queries: readonly Query[],
  { label, value }: { label: string; value: string },
): { slo: Slo; problems: Problem[] } {
  const problems = labelProblems(slo.labels)
  const changed: Slo = { ...slo }
  if (problems.length === 0) {
    changed.labels = { ...(slo.labels as Record<string, string> | undefined), [label]: value }
    problems.push(...labelProblems(changed.labels))
  }
  if (slo.name !== undefined) {
    changed.name = `${slo.name} (${value})`
    const max = maxNameLength
    const params = { max_characters: max }
    const message = `must be at most ${max} characters with " (${value})" after it`
    if (changed.name.length > max) problems.push({ field: 'name', message, code: 'too_long', params })
  }
  const matcher = `${label}=${JSON.stringify(value)}` // Go reads JSON's escapes
  for (const { field, text, selectors } of queries) {
    const query = withMatcher(text, selectors, matcher)
    if (query === null) {
      problems.push({
        field,
        message: `must be PromQL that selects series, to add ${matcher} to it`,
        code: 'not_promql',
      })
    } else if (query.length > maxQueryLength) {
      const params = { max_characters: maxQueryLength }
      const message = `must be at most ${maxQueryLength} characters with ${matcher} in each selector`
      problems.push({ field, message, code: 'too_long', params })
    } else changed[field] = query
  }
  return { slo: changed, problems }
}

/** Adds a matcher to each selector of a query; everything else stays as it is. Null if it has none. */
function withMatcher(query: string, selectors: readonly Selector[], matcher: string): string | null {
  if (selectors.length === 0) return null
  return edited(
    query,
    selectors.flatMap((selector) => addMatchers(selector, [matcher])),
  )
}
