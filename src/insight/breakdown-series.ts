import { inTurns, type Steps } from '../concurrency/steps.ts'
import { type Counters, partialAnswer } from '../ledger/counters/ask-counters.ts'
import type { CounterTerm } from '../promql/analysis/counters/counter-sum.ts'
import { printMatcher } from '../promql/print.ts'
import type { Labels } from '../promql/labels.ts'
import { sampleNumber, sharingTime, type Source } from '../sources/source.ts'
import { type LabelCounts, valuesCompared } from './breakdown.ts'

/** What each series counted in a stretch of time, or a group of series. */
type Gained = { labels: Labels; count: number }
type Sides = { counted: Gained[]; total: Gained[] }

/** What the series behind an SLI counted in a stretch of time, label by label. `seriesCount`: of the total, `maxSeries + 1` for more. */
export type CountsByLabel = { seriesCount: number; labels: LabelCounts[] }

type Stretch = { counters: Counters; startSeconds: number; endSeconds: number }

export const maxSeries = 2000
const maxLabels = 100
const maxLabelsApart = 8
const plainLabel = /^[a-zA-Z_]\w*$/ // others are written in quotes, which older sources do not read

/**
 * Asks what each series behind the SLI counted in `(startSeconds, endSeconds]`: one instant query for each selector. Where there are
 * more than `maxSeries`, the source adds them up by label: of the labels with few values, one query for each selector and label.
 * Throws what the source throws, and `source_unavailable` for an answer in part.
 */
export async function countByLabel(opened: Source, { counters, ...span }: Stretch): Promise<CountsByLabel> {
  const source = sharingTime(opened)
  let gainedBy = gainedOf
  const ask = (wrapped: (gained: string) => string, most: number) => {
    const askTerm = ({ counter }: CounterTerm) =>
      askGained(source, wrapped(gainedBy(counter.text, span)), span.endSeconds, most)
    return askSides(counters, askTerm)
  }
  const askApart = () => ask((gained) => gained, maxSeries + 1)
  let apart = await askApart()
  if (apart.total.every(({ count }) => count <= 0)) {
    gainedBy = gainedAcross
    apart = await askApart()
  }
  const seriesCount = apart.total.length
  const labels = await inTurns('measurements', countingLabels(apart))
  if (isWhole(apart)) return { seriesCount, labels }
  const few = labels
    .filter(({ label, total }) => plainLabel.test(label) && total.size >= valuesCompared.least)
    .toSorted((a, b) => a.total.size - b.total.size)
  const added: LabelCounts[] = []
  for (const { label } of few.slice(0, maxLabelsApart)) {
    const grouped = await ask((gained) => `sum by (${label}) (${gained})`, valuesCompared.most + 1)
    added.push(...(await inTurns('measurements', countingLabels(grouped))))
  }
  return { seriesCount, labels: added }
}

/** The labels that one side selects by and the other does not, or otherwise: they select the failures. */
export function selectingLabels({ counted, total }: Counters): Set<string> {
  const chosen = [counted, total].map(
    (terms) => new Map(terms.flatMap(({ counter }) => counter.matchers.map((one) => [printMatcher(one), one.label]))),
  )
  const [ofCounted = new Map(), ofTotal = new Map()] = chosen
  const isOfOne = (text: string) => ofCounted.has(text) !== ofTotal.has(text)
  const labels = [...ofCounted, ...ofTotal].filter(([text]) => isOfOne(text)).map(([, label]) => label)
  return new Set(labels.filter((label) => label !== null && label !== '__name__'))
}

/** What a counter has more at the end than at the start; of one that began in between, or again, what `increase` says. */
function gainedOf(selector: string, { startSeconds, endSeconds }: Omit<Stretch, 'counters'>): string {
  const range = `${endSeconds - startSeconds}s`
  const increase = `increase(${selector}[${range}])`
  return `${selector} - ${selector} offset ${range} >= 0 and resets(${selector}[${range}]) == 0 or ${increase}`
}

/** What counters that were away at the start have counted since they were there last, as the ledger books it when they come back. */
function gainedAcross(selector: string, { startSeconds, endSeconds }: Omit<Stretch, 'counters'>): string {
  return `${selector} - last_over_time(${selector}[12h] offset ${endSeconds - startSeconds}s) >= 0`
}

async function askGained(source: Source, expression: string, atSeconds: number, most: number): Promise<Gained[]> {
  const { data, partial } = await source.instant(`topk(${most}, ${expression})`, atSeconds)
  if (partial) throw partialAnswer()
  if (data.resultType !== 'vector') return []
  return data.result
    .slice(0, most) // whatever the source makes of topk
    .map(({ metric, value }) => ({ labels: metric, count: value ? sampleNumber(value[1]) : Number.NaN }))
    .filter(({ count }) => Number.isFinite(count))
}

/** Selectors that stand on both sides are asked for once. */
async function askSides({ counted, total }: Counters, ask: (term: CounterTerm) => Promise<Gained[]>): Promise<Sides> {
  const asked = new Map<string, Promise<Gained[]>>()
  const sideOf = async (terms: readonly CounterTerm[]) => {
    const parts = terms.map(async (term) => {
      const gained = asked.getOrInsertComputed(term.counter.text, () => ask(term))
      return (await gained).map(({ labels, count }) => ({ labels, count: term.sign * count }))
    })
    return (await Promise.all(parts)).flat()
  }
  const [ofCounted, ofTotal] = await Promise.all([sideOf(counted), sideOf(total)])
  return { counted: ofCounted, total: ofTotal }
}

function isWhole({ counted, total }: Sides): boolean {
  return counted.length <= maxSeries && total.length <= maxSeries
}

/** What each label's values count on both sides; without labels that have more values than are compared, and without any label beyond the first hundred. */
function* countingLabels({ counted, total }: Sides): Steps<LabelCounts[]> {
  const names = new Set<string>()
  for (const { labels } of [...counted, ...total]) {
    for (const name in labels) if (name !== '__name__' && names.size < maxLabels) names.add(name)
    yield
  }
  const found: LabelCounts[] = []
  for (const label of names) {
    const one = { label, counted: new Map<string, number>(), total: new Map<string, number>() }
    if ((yield* adding(counted, label, one.counted)) && (yield* adding(total, label, one.total))) found.push(one)
  }
  return found
}

/** Whether the label has no more values than are compared. */
function* adding(side: readonly Gained[], label: string, sums: Map<string, number>): Steps<boolean> {
  for (const { labels, count } of side) {
    const value = labels[label] ?? ''
    sums.set(value, (sums.get(value) ?? 0) + count)
    if (sums.size > valuesCompared.most) return false
    yield
  }
  return true
}
