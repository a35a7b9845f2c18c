import { runCooperatively, type CooperativeTask } from '../concurrency/cooperative.ts'
import { type CounterSides, partialAnswer } from '../ledger/counters/query-counters.ts'
import type { CounterTerm } from '../promql/analysis/counters/counter-sum.ts'
import { printMatcher } from '../promql/print.ts'
import { labelOf, type Labels } from '../promql/labels.ts'
import { sampleNumber, withSharedDeadline, type Source } from '../sources/source.ts'
import { type LabelCounts, valuesCompared } from './breakdown.ts'

/** Increase of a series, or of a group of series, in a period; `count`: events. */
type Increase = { labels: Labels; count: number }
type Sides = { counted: Increase[]; total: Increase[] }

/** Increase of the series behind an SLI in a period, by label. `seriesCount`: of the total, `maxSeries + 1` for more. */
type CountsByLabel = { seriesCount: number; labels: LabelCounts[] }

type CountedPeriod = { counters: CounterSides; startSeconds: number; endSeconds: number }

export const maxSeries = 2000
const maxLabels = 100
const maxLabelQueries = 8
const plainLabel = /^[a-zA-Z_]\w*$/ // other names are written in quotes, which older sources do not read

/**
 * Queries the increase of each series behind the SLI in `(startSeconds, endSeconds]`: one instant query for each selector. If
 * there are more than `maxSeries`, the source sums them by label: for the labels with few values, one query for each selector
 * and label. Throws the source's errors, and `source_unavailable` for a partial answer.
 */
export async function countByLabel(opened: Source, { counters, ...span }: CountedPeriod): Promise<CountsByLabel> {
  const source = withSharedDeadline(opened)
  const query = (expressionOf: (selector: string) => string, max: number) =>
    querySides(counters, ({ counter }) => queryIncreases(source, expressionOf(counter.text), span.endSeconds, max))
  let increase = (selector: string) => increaseOf(selector, span)
  let bySeries = await query(increase, maxSeries + 1)
  if (bySeries.total.every(({ count }) => count <= 0)) {
    increase = (selector) => increaseAcrossGap(selector, span)
    bySeries = await query(increase, maxSeries + 1)
  }
  const seriesCount = bySeries.total.length
  const labels = await runCooperatively('measurements', countLabels(bySeries))
  if (isComplete(bySeries)) return { seriesCount, labels }
  const summable = labels
    .filter(({ label, total }) => plainLabel.test(label) && total.size >= valuesCompared.min)
    .toSorted((a, b) => a.total.size - b.total.size)
  const added: LabelCounts[] = []
  for (const { label } of summable.slice(0, maxLabelQueries)) {
    const grouped = await query((selector) => `sum by (${label}) (${increase(selector)})`, valuesCompared.max + 1)
    added.push(...(await runCooperatively('measurements', countLabels(grouped))))
  }
  return { seriesCount, labels: added }
}

/** Labels by which an SLI selects its failures: those with a matcher that only one side has. */
export function selectingLabels({ counted, total }: CounterSides): Set<string> {
  const chosen = [counted, total].map(
    (terms) => new Map(terms.flatMap(({ counter }) => counter.matchers.map((one) => [printMatcher(one), one.label]))),
  )
  const [ofCounted = new Map(), ofTotal = new Map()] = chosen
  const isOnOneSide = (text: string) => ofCounted.has(text) !== ofTotal.has(text)
  const labels = [...ofCounted, ...ofTotal].filter(([text]) => isOnOneSide(text)).map(([, label]) => label)
  return new Set(labels.filter((label) => label !== null && label !== '__name__'))
}

/** Expression for the difference of a counter's values at end and start; `increase` if it appeared or was reset in between. */
function increaseOf(selector: string, { startSeconds, endSeconds }: Omit<CountedPeriod, 'counters'>): string {
  const range = `${endSeconds - startSeconds}s`
  const increase = `increase(${selector}[${range}])`
  return `${selector} - ${selector} offset ${range} >= 0 and resets(${selector}[${range}]) == 0 or ${increase}`
}

/** Expression for the increase of counters that were absent at the start, since their last sample in the 12 hours before, as in the ledger. */
function increaseAcrossGap(selector: string, { startSeconds, endSeconds }: Omit<CountedPeriod, 'counters'>): string {
  return `${selector} - last_over_time(${selector}[12h] offset ${endSeconds - startSeconds}s) >= 0`
}

async function queryIncreases(source: Source, expression: string, atSeconds: number, max: number): Promise<Increase[]> {
  const { data, isPartial } = await source.instant(`topk(${max}, ${expression})`, atSeconds)
  if (isPartial) throw partialAnswer()
  if (data.resultType !== 'vector') return []
  return data.result
    .slice(0, max) // in case the source does not apply topk
    .map(({ metric, value }) => ({ labels: metric, count: value ? sampleNumber(value[1]) : Number.NaN }))
    .filter(({ count }) => Number.isFinite(count))
}

/** Queries both sides; a selector that is on both is queried once. */
async function querySides(
  { counted, total }: CounterSides,
  query: (term: CounterTerm) => Promise<Increase[]>,
): Promise<Sides> {
  const cachedQueries = new Map<string, Promise<Increase[]>>()
  const sideOf = async (terms: readonly CounterTerm[]) => {
    const parts = terms.map(async (term) => {
      const increases = cachedQueries.getOrInsertComputed(term.counter.text, () => query(term))
      return (await increases).map(({ labels, count }) => ({ labels, count: term.sign * count }))
    })
    return (await Promise.all(parts)).flat()
  }
  const [countedSide, totalSide] = await Promise.all([sideOf(counted), sideOf(total)])
  return { counted: countedSide, total: totalSide }
}

function isComplete({ counted, total }: Sides): boolean {
  return counted.length <= maxSeries && total.length <= maxSeries
}

/**
 * Sums both sides by the values of each label. Labels with more values than are compared are left out, and any label beyond the
 * first hundred.
 */
function* countLabels({ counted, total }: Sides): CooperativeTask<LabelCounts[]> {
  const names = new Set<string>()
  for (const { labels } of [...counted, ...total]) {
    for (const name in labels) if (name !== '__name__' && names.size < maxLabels) names.add(name)
    yield
  }
  const counts: LabelCounts[] = []
  for (const label of names) {
    const one = { label, counted: new Map<string, number>(), total: new Map<string, number>() }
    if ((yield* addCounts(counted, label, one.counted)) && (yield* addCounts(total, label, one.total))) counts.push(one)
  }
  return counts
}

/** Sums one side by the values of a label; false if it has more values than are compared. */
function* addCounts(side: readonly Increase[], label: string, sums: Map<string, number>): CooperativeTask<boolean> {
  for (const { labels, count } of side) {
    const value = labelOf(labels, label)
    sums.set(value, (sums.get(value) ?? 0) + count)
    if (sums.size > valuesCompared.max) return false
    yield
  }
  return true
}
