import { AppError } from '../../errors.ts'
import { isNamedCounter, type MetricKind } from '../../promql/analysis/counters/raw-counters.ts'
import { metricNames } from '../../promql/analysis/counters/raw-quantity.ts'
import { readPromql } from '../../promql/read.ts'
import { sum, sumInstant } from '../../sources/query-session.ts'
import type { Source } from '../../sources/source.ts'

/** Metric kind of a selector; `isSure`: the source is not expected to answer differently later. */
export type InferredKind = { kind: MetricKind; isSure: boolean }

/**
 * Finds the metric kinds of selectors, by their text: from the metadata of the metric, otherwise from its values in the day
 * before `atSeconds`. A selector is left out if the source does not answer. Without metadata, it is also left out if its metric
 * has a counter's name or no values.
 */
export async function inferMetricKinds(
  source: Source,
  selectors: string[],
  atSeconds: number,
): Promise<Map<string, InferredKind>> {
  const byMetric = Map.groupBy(new Set(selectors), metricOf)
  const decided = await Promise.all(
    [...byMetric].map(async ([metric, selectorsOfMetric]) => {
      const kind = await inferKind(source, metric, selectorsOfMetric, atSeconds)
      return kind ? selectorsOfMetric.map((selector) => [selector, kind] as const) : []
    }),
  )
  return new Map(decided.flat())
}

/** Metric name of a selector; empty if it has none. */
export function metricOf(selector: string): string {
  const { root } = readPromql(selector)
  return (root && metricNames(root)[0]) ?? ''
}

/** Metric kinds by selector, as `planSli` takes them. */
export function kindsOf(decided: ReadonlyMap<string, InferredKind>): Map<string, MetricKind> {
  return new Map([...decided].map(([selector, { kind }]) => [selector, kind]))
}

async function inferKind(
  source: Source,
  metric: string,
  selectors: string[],
  atSeconds: number,
): Promise<InferredKind | null> {
  try {
    const kind = metric === '' ? null : await kindByMetadata(source, metric)
    if (kind) return { kind, isSure: true }
    return isNamedCounter(metric) ? null : await kindByValues(source, selectors, atSeconds)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.kind === 'source_refused' ? { kind: 'unsure', isSure: false } : null
  }
}

const sampleSuffix = /_(?:total|bucket|count|sum)$/
const familyTypes = new Set(['counter', 'histogram', 'summary'])

/** Kind by metadata; null if missing or ambiguous. OpenMetrics names a family without the suffix of its samples. */
async function kindByMetadata(source: Source, metric: string): Promise<MetricKind | null> {
  const metricTypes = await typesOf(source, metric)
  if (metricTypes.length > 0)
    return metricTypes.every((type) => type === 'gauge') ? 'gauge' : metricTypes.every(isCounter) ? 'counter' : null
  const family = metric.replace(sampleSuffix, '')
  const familyMetricTypes = family === metric ? [] : await typesOf(source, family)
  return familyMetricTypes.length > 0 && familyMetricTypes.every((type) => familyTypes.has(type)) ? 'counter' : null
}

const isCounter = (type: string) => type === 'counter'

/** Metadata types of a metric; empty if the source has no metadata, as is common. */
async function typesOf(source: Source, metric: string): Promise<string[]> {
  try {
    const { data } = (await source.types?.(metric)) ?? { data: [] }
    return data.filter((type) => type !== 'unknown' && type !== 'untyped')
  } catch (error) {
    if (error instanceof AppError) return []
    throw error
  }
}

const minChanges = 10
/** Limits for resets, as a share of all changes. */
const maxCounterFallRatio = 0.02
const minGaugeFallRatio = 0.2

/**
 * Kind of a metric from its values; null without values. A counter falls only when it restarts, a gauge about as often as it
 * rises. A metric that does not change, or is 0 or 1, counts as a gauge until it changes.
 */
async function kindByValues(source: Source, selectors: string[], atSeconds: number): Promise<InferredKind | null> {
  const query = async (aggregation: string, selectorText: string) => {
    const answers = selectors.map((selector) =>
      source.instant(`${aggregation}(${selectorText}(${selector}[1d]))`, atSeconds),
    )
    return (await Promise.all(answers)).map(({ data }) => sumInstant(data)).filter((value) => value !== null)
  }
  const [changes, falls, maxima] = await Promise.all([
    query('sum', 'changes').then(sum),
    query('sum', 'resets').then(sum),
    query('max', 'max_over_time'),
  ])
  if (maxima.length === 0) return null
  if (changes === 0 || (Math.max(...maxima) <= 1 && falls === 0)) return { kind: 'gauge', isSure: false }
  const share = falls / changes
  if (share >= minGaugeFallRatio) return { kind: 'gauge', isSure: true }
  if (share <= maxCounterFallRatio && changes >= minChanges) return { kind: 'counter', isSure: true }
  return { kind: 'unsure', isSure: false }
}
