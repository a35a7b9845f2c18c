import * as fc from 'fast-check'
import type { QueryRunner } from '../../../src/sources/query-session.ts'
import { lookBack, type PreviewHistory } from '../../../src/preview/look-back.ts'
import type { MeasuredWindow } from '../../../src/preview/what-if.ts'
import { presentWhatIf } from '../../../src/preview/what-if-model.ts'
import type { Grid, RangeSeries } from '../../../src/sources/source.ts'
import { planSli } from '../../../src/sli/plan/plan.ts'
import type { Measurement } from '../../../src/sli/sli.ts'
import { ownWindow } from '../../../src/slos/arithmetic/own-window.ts'
import { type SloWindow, nominalSeconds } from '../../../src/slos/arithmetic/windows.ts'
import { tiersOf } from '../../../src/slos/alerting/tiers.ts'

/** Traffic from `beforeSeconds` before the end on: events per second (null: no data), and the ratio of them that fail. */
export type Traffic = { beforeSeconds: number; eventsPerSecond: number | null; failedRatio: number }

export const endSeconds = 1_795_255_380 // not a multiple of five minutes
const plan = planSli({
  metric_query: 'sum(rate(ok[1m])) / sum(rate(all[1m]))',
  good_query: null,
  bad_query: null,
  total_query: null,
  threshold: null,
  threshold_op: null,
  window_method: 'auto',
})

const trafficOf = (window: SloWindow) =>
  fc.record({
    beforeSeconds: fc.nat(nominalSeconds(window) * 1.2),
    eventsPerSecond: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(null, 0) },
      { weight: 5, arbitrary: fc.double({ min: 1e-4, max: 5000, noNaN: true }) },
    ),
    failedRatio: fc.oneof(
      fc.constant(0),
      fc.constant(1),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constant(0.001),
    ),
  })

export const windows = ['1h', '24h', '7d', '30d', '90d'] as const
export const targets = fc.oneof(
  fc.constantFrom(50, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 100),
  fc.double({ min: 1, max: 99.9999, noNaN: true }),
)
/** Arbitrary traffic, in periods that begin within a window of this length or slightly before it. */
export const pastTraffic = (window: SloWindow) => fc.array(trafficOf(window), { minLength: 1, maxLength: 8 })

/** A source that answers range queries from this traffic, each value over five minutes. */
function sourceOf(traffic: readonly Traffic[]): QueryRunner {
  const sorted = traffic.toSorted((a, b) => b.beforeSeconds - a.beforeSeconds)
  const trafficAt = (seconds: number) => sorted.findLast(({ beforeSeconds }) => endSeconds - beforeSeconds <= seconds)
  return {
    instant: () => Promise.reject(new Error('not queried')),
    range: (_, expression, { startSeconds, endSeconds: last, stepSeconds }: Grid): Promise<RangeSeries[]> => {
      const values: [number, string][] = []
      for (let time = startSeconds; time <= last; time += stepSeconds) {
        const { eventsPerSecond: rate, failedRatio } = trafficAt(time - 1) ?? { eventsPerSecond: 1, failedRatio: 0 }
        if (rate === null) continue
        const [all, ok] = [rate * 300, rate * (1 - failedRatio) * 300]
        const value = expression.includes('/')
          ? all === 0
            ? Number.NaN
            : ok / all
          : expression.includes('(ok')
            ? ok
            : all
        values.push([time, `${value}`])
      }
      return Promise.resolve([{ metric: {}, values }])
    },
  }
}

/** History that the server measures for an SLO with `target`, and the data it sends for other targets; `sli` in percent. */
export async function measureWhatIf(
  traffic: readonly Traffic[],
  {
    window,
    target,
    sli,
    events = null,
  }: { window: SloWindow; target: number; sli: number; events?: Measurement['counts'] },
): Promise<{ past: PreviewHistory; first: string | null; data: ReturnType<typeof presentWhatIf> }> {
  const own: Measurement = {
    result: { value: sli / 100, largest: sli / 100 },
    method: 'widen',
    expression: '',
    counts: events,
    coverageRatio: 1,
    notes: [],
  }
  const ofOwn = ownWindow({ time_window: window, time_zone: null }, endSeconds)
  const { past } = await lookBack(sourceOf(traffic), {
    plan,
    own,
    ownWindow: ofOwn,
    unit: 'ratio',
    window,
    endSeconds,
    targetPercent: target,
    sli: { percent: sli },
    tiers: tiersOf({ time_window: window, target, burn_rate_tiers: null }),
  })
  if (!past) throw new Error('must have a past')
  const { seconds, wholeSeconds } = ofOwn
  const measured: MeasuredWindow = {
    window,
    seconds,
    wholeSeconds,
    unit: 'ratio',
    sli: { percent: sli },
    measurement: own,
  }
  const first = past.firstSeconds === null ? null : new Date(1000 * past.firstSeconds).toISOString()
  return { past, first, data: presentWhatIf([measured], past) }
}
