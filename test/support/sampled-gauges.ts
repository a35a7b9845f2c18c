import type { SampledSeries } from './sampled-source.ts'

/** Gauges with known samples, `intervalSeconds` apart; the first is `phaseMs` after a full minute. */
type Gauge = { job: string; instance: string; intervalSeconds: number; phaseMs: number; jitterMs: number }

export const gauges: Gauge[] = [
  { job: 'full', instance: 'a', intervalSeconds: 30, phaseMs: 0, jitterMs: 0 },
  { job: 'phase', instance: 'a', intervalSeconds: 30, phaseMs: 7300, jitterMs: 40 },
  { job: 'next', instance: 'a', intervalSeconds: 30, phaseMs: 1, jitterMs: 0 },
  { job: 'fast', instance: 'a', intervalSeconds: 5, phaseMs: 1200, jitterMs: 0 },
  { job: 'fast, late', instance: 'a', intervalSeconds: 5, phaseMs: 4500, jitterMs: 1250 },
  { job: 'fastest, late', instance: 'a', intervalSeconds: 1, phaseMs: 900, jitterMs: 250 },
  { job: 'slower, late', instance: 'a', intervalSeconds: 10, phaseMs: 9000, jitterMs: 2500 },
  { job: 'usual', instance: 'a', intervalSeconds: 15, phaseMs: 4000, jitterMs: 3 },
  { job: 'minutes', instance: 'a', intervalSeconds: 60, phaseMs: 0, jitterMs: 0 },
  { job: 'slow', instance: 'a', intervalSeconds: 300, phaseMs: 61_000, jitterMs: 0 },
  { job: 'several', instance: 'a', intervalSeconds: 30, phaseMs: 0, jitterMs: 0 },
  { job: 'several', instance: 'b', intervalSeconds: 30, phaseMs: 11_000, jitterMs: 0 },
  { job: 'several', instance: 'c', intervalSeconds: 30, phaseMs: 29_000, jitterMs: 0 },
]

/** Gauges over 6 days whose interval is `everySeconds`, and for the last `changedHours` `nowEverySeconds`. */
export const longGauges = [
  { job: 'every 10 min', everySeconds: 600, changedHours: 0, nowEverySeconds: 600 },
  { job: 'every hour', everySeconds: 3600, changedHours: 0, nowEverySeconds: 3600 },
  { job: '1 min, now 15 s', everySeconds: 60, changedHours: 10.4, nowEverySeconds: 15 },
  { job: '5 min, now 10 s', everySeconds: 300, changedHours: 4.5, nowEverySeconds: 10 },
  { job: '15 s, now 10 min', everySeconds: 15, changedHours: 139.5, nowEverySeconds: 600 },
]
export const longSeconds = 6 * 86_400
export const longOutageSeconds = 2 * 3600
export const longGapSeconds = 5 * 3600

/** Samples of `probe_success` and `latency_seconds` with an outage 100 hours before the end and a gap 80 hours before it. */
export function seriesOfLongGauges(endSeconds: number): SampledSeries[] {
  const isWithin = (ago: number, hours: number, seconds: number) => ago < hours * 3600 && ago >= hours * 3600 - seconds
  return longGauges.flatMap(({ job, everySeconds, changedHours, nowEverySeconds }) => {
    const times: number[] = []
    for (let ago = longSeconds - 7; ago > 0; ago -= ago > changedHours * 3600 ? everySeconds : nowEverySeconds) {
      if (!isWithin(ago, 80, longGapSeconds)) times.push(ago)
    }
    const samples = (out: number, up: number) =>
      times.map((ago) => {
        const value = isWithin(ago, 100, longOutageSeconds) ? out : up
        return { atMs: (endSeconds - ago) * 1000, value }
      })
    return [
      { labels: { __name__: 'probe_success', job }, samples: samples(0, 1) },
      { labels: { __name__: 'latency_seconds', job }, samples: samples(0.9, 0.1) },
    ]
  })
}

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
