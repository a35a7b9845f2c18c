import { type ComposedQuery, composePair, type Definition } from '../../slos/definition.ts'
import type { Threshold } from '../../promql/analysis/comparison.ts'
import { readTemplate, type Template } from '../../promql/analysis/placeholders.ts'
import type { SyntaxProblem } from '../../promql/read.ts'
import { childrenOf, type Expr, type Span } from '../../promql/syntax.ts'

/** The methods of docs/slo-math.md, "How a window is applied". `slices` assesses moments, `mean` averages them. */
export type WindowMethod = 'placeholder' | 'samples' | 'slices' | 'widen' | 'mean'

/** Query of the definition and its position in the whole expression. */
type Part = Span & { field: string }

/** Parsed expression of a definition; `parts` are the queries it is composed of. */
export type ReadDefinition = { template: Template; parts: Part[]; isPair: boolean; threshold: Threshold | null }

/** Composes the queries and parses the result. A pair takes precedence over `metric_query`. */
export function readDefinition(definition: Definition): ReadDefinition {
  const { threshold: value, threshold_op: op } = definition
  const withThreshold = { threshold: value === null || !op ? null : { value, op } }
  const pair = composePair(definition)
  if (pair) {
    return {
      template: rejectUnbalancedPair(readTemplate(pair.text), pair.parts),
      parts: pair.parts,
      isPair: true,
      ...withThreshold,
    }
  }
  const stored = definition.metric_query ?? ''
  const parts = [{ field: 'metric_query', from: 0, to: stored.length }]
  return { template: readTemplate(stored), parts, isPair: false, ...withThreshold }
}

/** Describes a position in the whole expression: `total_query, character 12` (counted from 1). */
export function placeIn(parts: Part[], position: number): string {
  const part = parts.find(({ to }) => position <= to) ?? parts.at(-1)
  if (!part) return `character ${position + 1}`
  return `${part.field}, character ${Math.min(Math.max(position, part.from), part.to) - part.from + 1}`
}

/** Rejects `sum(a)) / (sum(b)`, which closes our parentheses: readable as a whole, but not what either query means. */
function rejectUnbalancedPair(template: Template, parts: [ComposedQuery, ComposedQuery]): Template {
  const isQuery = (expr: Expr | undefined, part: ComposedQuery) =>
    expr?.kind === 'paren' && expr.from === part.from - 1 && expr.to === part.closedAt
  const { root } = template
  const division = root && (childrenOf(root).find(({ kind }) => kind === 'binary') ?? root)
  const sides = division ? childrenOf(division) : []
  if (isQuery(sides[0], parts[0]) && isQuery(sides.at(-1), parts[1])) return template
  return { ...template, root: null, problem: problemIn(template.text, parts) ?? template.problem }
}

function problemIn(text: string, parts: Part[]): SyntaxProblem | null {
  for (const { from, to } of parts) {
    const { problem } = readTemplate(text.slice(from, to))
    if (problem) return { ...problem, position: from + problem.position }
  }
  return null
}
