import { type Candidate, requiredMatchers } from './candidates.ts'
import { eventSeriesName } from './discover.ts'
import { anyOf, type Match, selectorOf } from './expressions.ts'
import { queryIncrease, type DailySums, type ServiceHistory, historyOf } from './daily-history.ts'
import type { BudgetedRunner } from './budgeted-runner.ts'

/** A bucket bound of a histogram, and the spellings of its label `le`: 1 and 1.0 are the same bound. */
export type Bound = { limit: number; spellings: string[] }

/**
 * History of a candidate; `past` null: the source did not answer. `bounds` of a latency, lowest first; `chosen`: the suggested
 * one.
 */
export type History = { past: ServiceHistory | null; bounds: Bound[]; chosen: Bound | null }

/** Assumed number of buckets of a histogram. */
const usualBuckets = 12

/** Share of all requests that a bound must hold for before it is suggested. */
const fastShare = 0.99

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/**
 * Queries the history of candidates of one metric and kind, in one query; latencies without a bound, without requests or without an
 * answer are left out.
 */
export async function historiesOf(
  runner: BudgetedRunner,
  candidates: readonly Candidate[],
  endSeconds: number,
): Promise<Map<Candidate, History>> {
  const [first] = candidates
  if (!first) return new Map()
  if (first.metric.family.shape === 'gauge') {
    return new Map(candidates.map((one) => [one, { past: one.past, bounds: [], chosen: null }]))
  }
  const { metric, label, kind, failing } = first
  const isLatency = kind === 'latency'
  const outcomeLabel = isLatency ? 'le' : (failing?.label ?? null)
  const series = isLatency ? `${metric.name}_bucket` : eventSeriesName(metric)
  const gained = await queryIncrease(runner, {
    metric: metric.name,
    selector: selectorOf(series, [...requiredMatchers(metric), ...servicesOf(candidates)]),
    by: [label, outcomeLabel].filter((name) => name !== null),
    series: metric.series * sum(candidates.map(({ seriesShare }) => seriesShare)) * (isLatency ? usualBuckets : 1),
    endSeconds,
  })
  const histories = candidates.map((one): [Candidate, History | null] => {
    if (!gained) return [one, isLatency ? null : { past: null, bounds: [], chosen: null }]
    const own = gained.groups.filter(({ labels }) => label === null || labels[label] === one.value)
    const outcomes = own.map(({ labels, values }) => ({ value: (outcomeLabel && labels[outcomeLabel]) ?? '', values }))
    return [one, isLatency ? latencyIn(outcomes, gained) : availabilityIn(outcomes, one, gained)]
  })
  return new Map(histories.filter((one): one is [Candidate, History] => one[1] !== null))
}

function servicesOf(candidates: readonly Candidate[]): Match[] {
  const label = candidates[0]?.label ?? null
  return label === null
    ? []
    : [
        anyOf(
          label,
          candidates.flatMap(({ value }) => value ?? []),
        ),
      ]
}

/** Counts of each day, for one value of the label that distinguishes events. */
type Outcome = { value: string; values: ReadonlyMap<number, number> }

function availabilityIn(
  outcomes: readonly Outcome[],
  { failing }: Candidate,
  { days, isEstimate }: DailySums,
): History {
  const isFailure = new RegExp(`^(?:${failing?.bad})$`)
  const measured = days.map((at) => {
    const counts = outcomes.flatMap(({ value, values }) => {
      const count = values.get(at)
      return count === undefined ? [] : [{ bad: isFailure.test(value) ? count : 0, count }]
    })
    const total = sum(counts.map(({ count }) => count))
    return counts.length > 0 ? { good: total - sum(counts.map(({ bad }) => bad)), total } : null
  })
  return { past: historyOf(measured, { countsEvents: true, isEstimate }), bounds: [], chosen: null }
}

/** History of a latency; null without a bound, or without requests. */
function latencyIn(outcomes: readonly Outcome[], { days, isEstimate }: DailySums): History | null {
  const byLimit = Map.groupBy(outcomes, ({ value }) => (value === '+Inf' ? Infinity : Number(value)))
  const within = (limit: number, at: number) => {
    const counts = byLimit.get(limit)?.flatMap(({ values }) => values.get(at) ?? []) ?? []
    return counts.length > 0 ? sum(counts) : null
  }
  const pastWithin = (limit: number) =>
    historyOf(
      days.map((at) => {
        const total = within(Infinity, at)
        return total === null ? null : { good: within(limit, at) ?? 0, total }
      }),
      { countsEvents: true, isEstimate },
    )
  const bounds = [...byLimit]
    .filter(([limit]) => Number.isFinite(limit))
    .map(([limit, some]): Bound => ({ limit, spellings: [...new Set(some.map(({ value }) => value))].toSorted() }))
    .toSorted((a, b) => a.limit - b.limit)
  const pasts = bounds.map((bound) => ({ bound, past: pastWithin(bound.limit) }))
  const fast = pasts.find(({ past }) => (past.sliPercent ?? 0) >= 100 * fastShare) ?? pasts.at(-1)
  return fast && fast.past.sliPercent !== null ? { past: fast.past, bounds, chosen: fast.bound } : null
}
