/** Metric in the shape that prom-client's registry accepts. */
type Metric = { name: string; help: string; type: 'counter' | 'histogram'; get(): Promise<object> }
type Sample = { metricName?: string; labels: Record<string, string | number>; value: number }

/** Counts for one method and path. `perBucket`: requests per duration bucket, not cumulative; the last one is `+Inf`. */
type RequestSeries = {
  method: string
  path: string
  byStatus: Map<number, number>
  perBucket: number[]
  seconds: number
}

/**
 * Counts requests and their durations. prom-client looks up each request by its labels, which costs more than many responses
 * do. `buckets`: upper bounds in seconds, ascending.
 */
export function createRequestMetrics(buckets: number[]) {
  const all = new Map<string, RequestSeries>()

  function seriesOf(method: string, path: string): RequestSeries {
    const key = `${method} ${path}`
    const counted = all.get(key)
    if (counted) return counted
    const perBucket = Array<number>(buckets.length + 1).fill(0)
    const series = { method, path, byStatus: new Map(), perBucket, seconds: 0 }
    all.set(key, series)
    return series
  }

  const metric = (
    name: string,
    help: string,
    type: Metric['type'],
    samplesOf: (series: RequestSeries) => Sample[],
  ): Metric => ({
    name,
    help,
    type,
    get: async () => ({ name, help, type, values: [...all.values()].flatMap(samplesOf) }),
  })

  return {
    requests: metric('http_requests_total', 'HTTP requests answered.', 'counter', ({ method, path, byStatus }) =>
      [...byStatus].map(([status, value]) => ({ labels: { method, path, status }, value })),
    ),
    durations: metric(
      'http_request_duration_seconds',
      'Time to answer an HTTP request.',
      'histogram',
      ({ method, path, perBucket, seconds }) => {
        const sample = (suffix: string, value: number, le?: string | number): Sample => ({
          metricName: `http_request_duration_seconds_${suffix}`,
          labels: le === undefined ? { method, path } : { le, method, path },
          value,
        })
        let count = 0
        const cumulated = perBucket.map((value, at) => sample('bucket', (count += value), buckets[at] ?? '+Inf'))
        return [...cumulated, sample('sum', seconds), sample('count', count)]
      },
    ),
    done(method: string, path: string, status: number, seconds: number): void {
      const series = seriesOf(method, path)
      series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1)
      let at = 0
      while (at < buckets.length && seconds > (buckets[at] ?? Infinity)) at += 1
      series.perBucket[at] = (series.perBucket[at] ?? 0) + 1
      series.seconds += seconds
    },
  }
}
