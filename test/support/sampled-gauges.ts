import type { SampledSeries } from './sampled-source.ts'

/** Gauges with known samples, `intervalSeconds` apart; the first is `phaseMs` after a full minute. */
type Gauge = { job: string; instance: string; intervalSeconds: number; phaseMs: number; jitterMs: number }

export const gauges: Gauge[] = [
  { job: 'full', instance: 'a', intervalSeconds: 30, phaseMs: 0, jitterMs: 0 },
  { job: 'phase', instance: 'a', intervalSeconds: 30, phaseMs: 7300, jitterMs: 40 },
  { job: 'next', instance: 'a', intervalSeconds: 30, phaseMs: 1, jitterMs: 0 },
  { job: 'fast', instance: 'a', intervalSeconds: 5, phaseMs: 1200, jitterMs: 0 },
  { job: 'usual', instance: 'a', intervalSeconds: 15, phaseMs: 4000, jitterMs: 3 },
  { job: 'minutes', instance: 'a', intervalSeconds: 60, phaseMs: 0, jitterMs: 0 },
  { job: 'slow', instance: 'a', intervalSeconds: 300, phaseMs: 61_000, jitterMs: 0 },
  { job: 'several', instance: 'a', intervalSeconds: 30, phaseMs: 0, jitterMs: 0 },
  { job: 'several', instance: 'b', intervalSeconds: 30, phaseMs: 11_000, jitterMs: 0 },
  { job: 'several', instance: 'c', intervalSeconds: 30, phaseMs: 29_000, jitterMs: 0 },
]

/** A number from 0 to 1 that depends on the seed only. */
function chance(seed: number): number {
  const hash = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d)
  return (Math.imul(hash ^ (hash >>> 12), 0x297a2d39) >>> 0) / 2 ** 32
}

/**
 * Samples of `probe_success`, which is 0 in outages of some minutes, and of `latency_seconds` at the same times. There are none
 * between 40 % and 43 % of the time.
 */
export function seriesOfGauges(startSeconds: number, endSeconds: number): SampledSeries[] {
  return gauges.flatMap(({ job, instance, intervalSeconds, phaseMs, jitterMs }, place) => {
    const success: SampledSeries['samples'] = []
    const latency: SampledSeries['samples'] = []
    const lengthSeconds = endSeconds - startSeconds
    const [gapFrom, gapTo] = [startSeconds + lengthSeconds * 0.4, startSeconds + lengthSeconds * 0.43]
    for (let at = startSeconds * 1000 + phaseMs, n = 1; at <= endSeconds * 1000; at += intervalSeconds * 1000, n += 1) {
      const atMs = at + Math.round(jitterMs * chance(n * 31 + place))
      if (atMs >= gapFrom * 1000 && atMs < gapTo * 1000) continue
      const isDown = chance(Math.floor(atMs / 110_000) * 7 + place) < 0.04
      success.push({ atMs, value: isDown ? 0 : 1 })
      latency.push({ atMs, value: 0.1 + 0.25 * chance(n * 17 + place) })
    }
    return [
      { labels: { __name__: 'probe_success', job, instance }, samples: success },
      { labels: { __name__: 'latency_seconds', job, instance }, samples: latency },
    ]
  })
}

/**
 * Sums of the samples in `(endSeconds - rangeSeconds, endSeconds]`: seconds covered and good seconds, added up over the series.
 */
export function sumSamples(
  series: SampledSeries[],
  valueOf: (sample: number) => number,
  {
    endSeconds,
    rangeSeconds,
    bucketSeconds,
    intervalSeconds,
  }: Record<'endSeconds' | 'rangeSeconds' | 'bucketSeconds' | 'intervalSeconds', number>,
): { good: number; total: number; covered: number; mean: number | null } {
  const sum = { good: 0, total: 0, values: 0, count: 0 }
  for (const { samples } of series) {
    const inside = samples.filter(
      ({ atMs, value }) => atMs > (endSeconds - rangeSeconds) * 1000 && atMs <= endSeconds * 1000 && value !== 'stale',
    )
    if (inside.length === 0) continue
    const values = inside.map(({ value }) => valueOf(Number(value)))
    const all = values.reduce((one, other) => one + other, 0)
    const covered = Math.min(bucketSeconds, inside.length * intervalSeconds)
    sum.good += (covered * all) / inside.length
    sum.total += covered
    sum.values += all
    sum.count += inside.length
  }
  return { ...sum, covered: Math.min(bucketSeconds, sum.total), mean: sum.count === 0 ? null : sum.values / sum.count }
}
