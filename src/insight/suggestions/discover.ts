import { families, type Family, familyOf, namesPattern } from './families.ts'
import { grouped, selectorOf } from './expressions.ts'
import type { Questions } from './questions.ts'

/** A metric that SLOs may be suggested over; of a histogram `name` is without `_bucket`, and `series` how many counts it has. */
export type Metric = { name: string; family: Family; series: number }

const day = 86_400
const stepSeconds = 6 * 3600
const maxNames = 200
const maxMetrics = 9 // two questions for all, three for each at most
const plainName = /^[a-zA-Z_][a-zA-Z0-9_]{0,199}$/ // others are written in quotes, which older sources do not read

/**
 * The metrics of families that the source had at some time of the last day: those that are known by their names, then the others, with the
 * most series first. Null where the source does not say.
 */
export async function discoverMetrics(questions: Questions, endSeconds: number): Promise<Metric[] | null> {
  const found = new Map<string, Metric>()
  for (const isKnown of [true, false]) {
    // Of a histogram one bucket is enough, and what is no histogram has none.
    const selector = selectorOf('', [
      ['__name__', '=~', namesPattern(isKnown)],
      ['le', '=~', String.raw`|\+Inf`],
    ])
    const counted = `topk(${maxNames}, ${grouped('count', ['__name__'], selector)})`
    const groups = await questions.ask(null, counted, { startSeconds: endSeconds - day, endSeconds, stepSeconds })
    if (groups === null && isKnown) return null
    for (const { labels, values } of groups ?? []) {
      const name = labels['__name__'] ?? ''
      const family = plainName.test(name) ? familyOf(name) : undefined
      if (!family || family.isKnown !== isKnown) continue
      const series = Math.max(0, ...values.values())
      found.set(name, { name: family.shape === 'histogram' ? name.replace(/_bucket$/, '') : name, family, series })
    }
  }
  const rank = ({ family }: Metric) => (family.isKnown ? families.indexOf(family) : families.length)
  return [...found.values()]
    .toSorted((a, b) => (rank(a) === rank(b) ? b.series - a.series : rank(a) - rank(b)))
    .slice(0, maxMetrics)
}
