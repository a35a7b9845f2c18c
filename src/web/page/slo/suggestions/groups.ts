import type { Suggestion } from '../../api/types.ts'
import { plural } from '../../format.ts'

/** Suggestions of one kind over one metric. */
export type Group = { key: string; metric: string; kind: Suggestion['kind']; suggestions: Suggestion[] }

/** Groups of suggestions in their order; those over metrics of nines itself come last. */
export function groupSuggestions(suggestions: readonly Suggestion[]): Group[] {
  const groups = Map.groupBy(ownLast(suggestions), ({ metric, kind }) => `${kind} ${metric}`)
  return [...groups].flatMap(([key, some]) => {
    const [first] = some
    return first ? [{ key, metric: first.metric, kind: first.kind, suggestions: some }] : []
  })
}

/** Noun for the values of a label; values of other labels are services. */
const things: Record<string, [one: string, many: string]> = {
  instance: ['address', 'addresses'],
  target: ['address', 'addresses'],
  job: ['job', 'jobs'],
  namespace: ['namespace', 'namespaces'],
}

/** Number of suggestions, and the label that marks failures: `7 services, code`. */
export function describeGroup({ suggestions }: Group): string {
  const [first] = suggestions
  const [one, many] = things[first?.label ?? ''] ?? ['service', 'services']
  const count = plural(suggestions.length, `# ${one}`, `# ${many}`)
  return [count, first?.failing_label].filter(Boolean).join(', ')
}

/** Best suggestion: the first without an SLO; one over a metric of nines itself only where there is no other. */
export function bestOf(suggestions: readonly Suggestion[]): Suggestion | undefined {
  return ownLast(suggestions).find(({ slo_id }) => slo_id === null)
}

function ownLast(suggestions: readonly Suggestion[]): Suggestion[] {
  const isOwn = ({ metric, value }: Suggestion) => Number(metric.startsWith('nines_') || value === 'nines')
  return suggestions.toSorted((a, b) => isOwn(a) - isOwn(b))
}
