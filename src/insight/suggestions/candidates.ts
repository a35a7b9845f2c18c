import type { Labels } from '../../promql/labels.ts'
import { eventSeriesName, type Metric } from './discover.ts'
import { selectorOf, type Match } from './expressions.ts'
import type { FailureLabel } from './families.ts'
import { queryShares, queryTraffic, type ServiceHistory, historyOf } from './daily-history.ts'
import type { BudgetedRunner } from './budgeted-runner.ts'

/** Kind of SLO, by what it measures. */
export type Kind = 'availability' | 'latency' | 'probe' | 'up'

/**
 * A service that had traffic in the last day, by the value of a label; both null if no label distinguishes services. `weight`:
 * amount of traffic. `seriesShare`: its share of all series of the metric. `labels`: all its service labels and their values.
 */
export type Candidate = {
  metric: Metric
  kind: Kind
  label: string | null
  value: string | null
  failing: FailureLabel | null
  weight: number
  seriesShare: number
  labels: ReadonlyMap<string, ReadonlySet<string>>
  /** History, which is known already for gauges of 1 or 0; null: not queried yet. */
  past: ServiceHistory | null
}

type Part = { labels: Labels; weight: number }

const maxSuggestions = 20
const maxValue = 200 // characters
const nearlyAll = 0.95

/** Candidates of a metric: those with the most traffic of each kind. Empty if the source does not answer. */
export async function candidatesOf(runner: BudgetedRunner, metric: Metric, endSeconds: number): Promise<Candidate[]> {
  const { family, name, series } = metric
  const selector = selectorOf(eventSeriesName(metric), requiredMatchers(metric))
  const request = { metric: name, selector, series, endSeconds }
  if (family.shape === 'gauge') {
    const gained = await queryShares(runner, { ...request, by: [...family.services] })
    if (!gained) return []
    const { groups, days } = gained
    const parts = groups.map((group) => ({ ...group, weight: group.values.get(endSeconds) ?? 0 }))
    return servicesIn(metric, family.kind, null, parts).map((one) => {
      const own = parts.filter(({ labels }) => one.label === null || labels[one.label] === one.value)
      const shares = days.map((at) => own.flatMap(({ values }) => values.get(at) ?? []))
      const past = shares.map((some) => (some.length > 0 ? { good: sum(some) / some.length, total: 1 } : null))
      return { ...one, past: historyOf(past, { countsEvents: false, isEstimate: false }) }
    })
  }
  const failingLabels = family.failing.map(({ label }) => label)
  const groups = await queryTraffic(runner, { ...request, by: [...family.services, ...failingLabels] })
  const parts = (groups ?? []).map(({ labels, values }) => ({ labels, weight: sum([...values.values()]) }))
  const failing = family.failing.find((one) => marksFailures(one, parts))
  return [
    ...(failing ? servicesIn(metric, 'availability', failing, parts) : []),
    ...(family.shape === 'histogram' ? servicesIn(metric, 'latency', null, parts) : []),
  ]
}

export function requiredMatchers({ family }: Metric): Match[] {
  return Object.entries(family.matchers).map(([label, value]) => [label, '=', value])
}

/**
 * Chooses as many candidates as are suggested in all, without duplicates, by turns: of each metric and kind, those with the
 * most traffic first.
 */
export function chooseCandidates(candidates: readonly Candidate[]): Candidate[] {
  const distinct: Candidate[] = []
  for (const one of candidates) if (!distinct.some((other) => isSame(one, other))) distinct.push(one)
  const lists = [...Map.groupBy(distinct, ({ metric, kind }) => `${kind} ${metric.name}`).values()]
  const chosen = new Set<Candidate>()
  for (let turn = 0; turn < maxSuggestions; turn += 1) {
    for (const list of lists) {
      const next = list[turn]
      if (next && chosen.size < maxSuggestions) chosen.add(next)
    }
  }
  return distinct.filter((one) => chosen.has(one))
}

/** True if both would measure the same events: their metrics count the same, and a service label has the same value in both. */
function isSame(one: Candidate, other: Candidate): boolean {
  if (one.kind !== other.kind || countedBy(one) !== countedBy(other)) return false
  if (one.metric === other.metric) return one.value === other.value
  if (one.value === other.value) return true
  if (one.label === other.label) return false
  return [...one.labels].some(([label, values]) => {
    const otherValues = other.labels.get(label)
    return label !== 'namespace' && otherValues !== undefined && !values.isDisjointFrom(otherValues)
  })
}

const endings = /(?:s_total|_total|_duration_seconds)$/

/** Identifies what a metric counts; metrics of an unknown family share it if their names differ in the ending only. */
function countedBy({ metric: { family, name } }: Candidate): string {
  return family.events ?? name.replace(endings, '')
}

/** True if nearly all events have the label, with a value that is usual for this kind of label. */
function marksFailures({ label, all }: FailureLabel, parts: readonly Part[]): boolean {
  const pattern = new RegExp(`^(?:${all})$`)
  const fitting = parts.filter(({ labels }) => pattern.test(labels[label] ?? ''))
  return weightOf(fitting) >= nearlyAll * weightOf(parts) && fitting.some(({ weight }) => weight > 0)
}

/** Candidates for the values of the first label that nearly all traffic has; those with the most traffic. */
function servicesIn(metric: Metric, kind: Kind, failing: FailureLabel | null, parts: readonly Part[]): Candidate[] {
  const all = weightOf(parts)
  if (!(all > 0)) return []
  const { services } = metric.family
  const label = services.find((name) => weightOf(parts.filter(({ labels }) => labels[name])) >= nearlyAll * all) ?? null
  const byValue = Map.groupBy(parts, ({ labels }) => (label === null ? null : (labels[label] ?? '')))
  const candidates = [...byValue].map(([value, own]): Candidate => {
    const valuesByLabel = services.map(
      (name) => [name, new Set(own.flatMap(({ labels }) => labels[name] || []))] as const,
    )
    return {
      metric,
      kind,
      label,
      value,
      failing,
      weight: weightOf(own),
      seriesShare: 1 / byValue.size,
      labels: new Map(valuesByLabel.filter(([, values]) => values.size > 0)),
      past: null,
    }
  })
  return candidates
    .filter(({ value, weight }) => weight > 0 && value !== '' && (value?.length ?? 0) <= maxValue)
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, maxSuggestions)
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
const weightOf = (parts: readonly Part[]) => sum(parts.map(({ weight }) => weight))
