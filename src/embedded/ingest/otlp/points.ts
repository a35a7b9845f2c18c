import { AppError } from '../../../errors.ts'
import type { Label } from '../../exposition/sample.ts'
import { decimalText } from './names.ts'
import type { AnyPoint } from './schema.ts'

/** Sample of a point. `suffix`: end of its name, after that of the metric; `extra`: label besides those of the point. */
type PointSample = { suffix: string; extra: Label | undefined; value: number }

/** Samples of a point. Throws `invalid` for one without a value. */
export function pointSamples(
  kind: 'gauge' | 'counter' | 'histogram' | 'summary',
  point: AnyPoint,
  isNoValue: boolean,
): PointSample[] {
  if (kind === 'histogram') return histogramSamples(point)
  if (kind === 'summary') return summarySamples(point)
  const value = point.asDouble ?? point.asInt
  if (value === undefined && !isNoValue) throw new AppError('invalid', 'a point must have asDouble or asInt')
  return [{ suffix: '', extra: undefined, value: value ?? 0 }]
}

function histogramSamples({ count = 0, sum, bucketCounts = [], explicitBounds = [] }: AnyPoint): PointSample[] {
  const samples: PointSample[] = []
  let cumulative = 0
  for (const [index, bound] of explicitBounds.entries()) {
    if (index >= bucketCounts.length) break
    cumulative += bucketCounts[index] ?? 0
    samples.push({ suffix: '_bucket', extra: ['le', decimalText(bound)], value: cumulative })
  }
  samples.push({ suffix: '_bucket', extra: ['le', '+Inf'], value: count })
  if (sum !== undefined) samples.push({ suffix: '_sum', extra: undefined, value: sum })
  samples.push({ suffix: '_count', extra: undefined, value: count })
  return samples
}

function summarySamples({ count = 0, sum = 0, quantileValues = [] }: AnyPoint): PointSample[] {
  const quantiles = quantileValues.map(({ quantile = 0, value = 0 }): PointSample => {
    return { suffix: '', extra: ['quantile', decimalText(quantile)], value }
  })
  return [
    ...quantiles,
    { suffix: '_sum', extra: undefined, value: sum },
    { suffix: '_count', extra: undefined, value: count },
  ]
}
