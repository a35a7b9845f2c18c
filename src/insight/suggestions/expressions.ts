import type { MatchOperator } from '../../promql/syntax.ts'

export type Match = [label: string, operator: MatchOperator, value: string]

/** PromQL selector; values are not escaped as patterns. */
export function selectorOf(metric: string, matches: readonly Match[]): string {
  const written = matches.map(([label, operator, value]) => `${label}${operator}${JSON.stringify(value)}`)
  return written.length > 0 ? `${metric}{${written.join(', ')}}` : metric
}

/** Matches series whose label has one of these values. */
export function anyOf(label: string, values: readonly string[]): Match {
  const [only = ''] = values
  return values.length === 1 ? [label, '=', only] : [label, '=~', values.map(escaped).join('|')]
}

/** Aggregation such as `sum by (a, b) (…)`; without labels over all series. */
export function grouped(operator: 'sum' | 'avg' | 'count', labels: readonly string[], expression: string): string {
  return labels.length > 0 ? `${operator} by (${labels.join(', ')}) (${expression})` : `${operator}(${expression})`
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)
}
