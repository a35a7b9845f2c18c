import * as fc from 'fast-check'
import type { CountedSlo } from '../../src/ledger/counters/query-counters.ts'
import { plan } from '../sli/planned.ts'
import type { SampledSeries } from './sampled-source.ts'

/**
 * A change of a series. `away`: ends with a staleness marker; `pause`: without one. A reset to `value` may exceed the value
 * before.
 */
type Change = { kind: 'reset' | 'away' | 'pause'; atSeconds: number; seconds: number; value: number }

type Pod = { phaseMs: number; counts: readonly number[]; begins: number; ends: number; changes: readonly Change[] }

/** Series of one service with one scrape interval; times in seconds from the start of a history. */
export type Service = { everySeconds: number; pods: readonly Pod[] }

/** Services whose series appear, vanish, are reset and pause within `seconds`, scraped at any phase. */
export function eventfulServices(seconds: number, count: number): fc.Arbitrary<Service[]> {
  const at = fc.nat(seconds)
  const change = fc.record({
    kind: fc.constantFrom('reset', 'away', 'pause'),
    atSeconds: at,
    seconds: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 60, max: 1500 })),
    value: fc.nat(30),
  })
  const podOf = (everySeconds: number) =>
    fc.record({
      phaseMs: fc.oneof(fc.constantFrom(0, 1, 999), fc.nat(everySeconds * 1000 - 1)),
      counts: fc.array(fc.nat(9), { minLength: 1, maxLength: 7 }),
      begins: fc.oneof(fc.constant(-Infinity), at),
      ends: fc.oneof(fc.constant(Infinity), at),
      changes: fc.array(change, { maxLength: 4 }),
    })
  const service = fc.constantFrom(1, 5, 10, 15, 30, 60, 120, 300, 600).chain((everySeconds) =>
    fc.record({
      everySeconds: fc.constant(everySeconds),
      pods: fc.array(podOf(everySeconds), { minLength: 1, maxLength: 3 }),
    }),
  )
  return fc.array(service, { minLength: count, maxLength: count })
}

/** Samples of services from `historySeconds` before `fromSeconds` until `seconds` after it. */
export function samplesOf(
  services: Service[],
  fromSeconds: number,
  seconds: number,
  historySeconds = 3600,
): SampledSeries[] {
  return services.flatMap(({ everySeconds, pods }, service) =>
    pods.map((pod, place) => ({
      labels: { __name__: 'requests_total', service: `s${service}`, pod: String(place) },
      samples: samplesOfPod(pod, everySeconds, { fromSeconds, seconds, historySeconds }),
    })),
  )
}

type Told = { fromSeconds: number; seconds: number; historySeconds: number }

function samplesOfPod({ phaseMs, counts, begins, ends, changes }: Pod, everySeconds: number, told: Told) {
  const samples: SampledSeries['samples'] = []
  let value = 100
  let isAway = true
  for (let n = 0, at = phaseMs / 1000 - told.historySeconds; at <= told.seconds; n += 1, at += everySeconds) {
    const is = (kind: Change['kind']) =>
      changes.some((one) => one.kind === kind && at >= one.atSeconds && at < one.atSeconds + one.seconds)
    const reset = changes.find(
      ({ kind, atSeconds }) => kind === 'reset' && atSeconds > at - everySeconds && atSeconds <= at,
    )
    value = reset ? reset.value : value + (counts[n % counts.length] ?? 0)
    if (at < begins || is('pause')) continue
    const wasAway = isAway
    isAway = at >= ends || is('away')
    const atMs = Math.round((told.fromSeconds + at) * 1000)
    if (!isAway) samples.push({ atMs, value })
    else if (!wasAway) samples.push({ atMs, value: 'stale' })
  }
  return samples
}

/** SLOs that count the requests of services s0, s1, … */
export function slosOf(count: number): CountedSlo[] {
  return Array.from({ length: count }, (_, sloId) => {
    const side = `sum(rate(requests_total{service="s${sloId}"}[5m]))`
    const { counters } = plan(`(${side} or vector(0)) / ${side}`)
    if (!counters) throw new Error('must be counters')
    return { sloId, counters }
  })
}

/**
 * Increase between consecutive samples of a service in `(fromSeconds, untilSeconds]`: positive differences, and the value after
 * a reset. `all`: includes the increase from the last sample before the range. `hasBegunAgain`: a counter was reset between two
 * samples in the range.
 */
export function countedBySamples(
  series: SampledSeries[],
  service: number,
  fromSeconds: number,
  untilSeconds: number,
  isClosed = false,
): { all: number; inside: number; hasBegunAgain: boolean } {
  const sum = { all: 0, inside: 0, hasBegunAgain: false }
  for (const { labels, samples } of series) {
    if (labels['service'] !== `s${service}`) continue
    let before: { atMs: number; value: number } | undefined
    for (const { atMs, value } of samples) {
      if (value === 'stale') continue
      if (before && atMs > fromSeconds * 1000 && atMs <= untilSeconds * 1000) {
        const risen = value >= before.value ? value - before.value : value
        sum.all += risen
        if (before.atMs > fromSeconds * 1000 && value < before.value) sum.hasBegunAgain = true
        if (before.atMs > fromSeconds * 1000 || (isClosed && before.atMs === fromSeconds * 1000)) sum.inside += risen
      }
      before = { atMs, value }
    }
  }
  return sum
}
