import type { QueryRunner } from '../sources/query-session.ts'
import { unquoted } from '../promql/literals.ts'
import { fillPlaceholders } from '../promql/analysis/placeholders.ts'
import { twoSides } from '../promql/analysis/two-sides.ts'
import { type Aggregate, childrenOf, type Expr } from '../promql/syntax.ts'
import { readDefinition } from '../sli/plan/definition.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import type { Definition } from '../slos/definition.ts'
import { isLabelValue } from '../slos/model.ts'
import { type PreviewProblem, valuesOf } from './selectors.ts'

const maxLabels = 3
const maxValues = 50

type Window = { windowSeconds: number; endSeconds: number }

/**
 * Problem of a query whose outermost aggregation is `by` a label with several values, which are measured together. It names the
 * first such label. Null if there is none, or if the source does not answer.
 */
export async function findGrouping(
  runner: QueryRunner,
  definition: Definition,
  plan: SliPlan,
  { windowSeconds, endSeconds }: Window,
): Promise<PreviewProblem | null> {
  const { template, parts } = readDefinition(definition)
  const whole = template.root && (twoSides(template.root)?.total.expr ?? template.root)
  const aggregate = whole && outermost(whole)
  const labels = aggregate?.grouping?.without === false ? aggregate.grouping.labels : []
  if (!aggregate || labels.length === 0) return null
  const aggregateText = fillPlaceholders(template.text.slice(aggregate.from, aggregate.to), windowSeconds)
  const expression = plan.sides?.total.expression(windowSeconds) ?? aggregateText
  const lookup = { runner, atSeconds: endSeconds, lookback: '' } // `valuesOf` needs no lookback
  // `le`: bounds of histogram buckets, not parts of the traffic
  for (const label of labels.filter((one) => one !== 'le').slice(0, maxLabels)) {
    const name = unquoted(label) ?? label
    const values = await valuesOf(lookup, `count by (${label}) (${expression})`, name)
    if (values === null) return null
    if (values.length < 2) continue
    return {
      field: parts.find(({ to }) => aggregate.from < to)?.field ?? 'metric_query',
      code: 'several_series_by',
      params: { label: name, values: values.filter(isLabelValue).slice(0, maxValues), count: values.length },
      message: `The query has ${values.length} values of ${name}; they are measured together, as one SLO.`,
      hint: `Create an SLO for each ${name} if each has to meet the target.`,
    }
  }
  return null
}

/** Outermost aggregation of an expression, the first of several. */
function outermost(expr: Expr): Aggregate | null {
  if (expr.kind === 'aggregate') return expr
  for (const child of childrenOf(expr)) {
    const found = outermost(child)
    if (found) return found
  }
  return null
}
