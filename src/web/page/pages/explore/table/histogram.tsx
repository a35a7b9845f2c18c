import { type Histogram, intervalOf } from '../answer.ts'
import { histogramText } from '../words.ts'

/** A native histogram: count and sum; its buckets are folded. */
export function HistogramValue({ of: { count, sum, buckets = [] } }: { of: Histogram }) {
  if (buckets.length === 0) return <span class="number">{histogramText({ count, sum })}</span>
  return (
    <details class="explore-histogram">
      <summary>
        <span class="number">{histogramText({ count, sum })}</span>
      </summary>
      <dl>
        {buckets.map((bucket, at) => (
          <div key={at}>
            <dt>{intervalOf(bucket)}</dt>
            <dd>{bucket[3]}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
