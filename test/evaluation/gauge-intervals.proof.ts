import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { shareWorkers } from '../support/shared-workers.ts'

const hour = 3600
const day = 86_400
const nowSeconds = Math.floor(testStartMs / 1000 / 60) * 60

/** Samples `everySeconds` apart, and `sinceSeconds` ago until now every `nowEverySeconds`. */
type Sampled = { everySeconds: number; sinceSeconds?: number; nowEverySeconds?: number }

const changes: [string, Sampled][] = [
  ['60 s, and for a day 15 s', { everySeconds: 60, sinceSeconds: day, nowEverySeconds: 15 }],
  ['60 s, and for 6 h 5 s', { everySeconds: 60, sinceSeconds: 6 * hour, nowEverySeconds: 5 }],
  ['300 s, and for 2 h 10 s', { everySeconds: 300, sinceSeconds: 2 * hour, nowEverySeconds: 10 }],
  ['60 s, and for 4 days and 25 min 15 s', { everySeconds: 60, sinceSeconds: 4 * day + 1500, nowEverySeconds: 15 }],
  ['15 s, and for a day 60 s', { everySeconds: 15, sinceSeconds: day, nowEverySeconds: 60 }],
  ['10 s, and for 4 days and 25 min 600 s', { everySeconds: 10, sinceSeconds: 4 * day + 1500, nowEverySeconds: 600 }],
]

const isOut = (agoSeconds: number) => agoSeconds > 5 * day && agoSeconds <= 5 * day + 2 * hour
const isGap = (agoSeconds: number) => agoSeconds > 5.5 * day && agoSeconds <= 5.5 * day + 10 * hour

/** Samples of 9 days, the first value in an outage of 2 hours 5 days ago and the second outside of it. */
function samplesOf(name: string, sampled: Sampled, [out, up]: readonly number[], hasGap = false): string[] {
  const { everySeconds, sinceSeconds = 0, nowEverySeconds = everySeconds } = sampled
  const lines: string[] = []
  for (let ago = 9 * day; ago >= 0; ago -= ago > sinceSeconds ? everySeconds : nowEverySeconds) {
    if (hasGap && isGap(ago)) continue
    lines.push(`${name} ${isOut(ago) ? out : up} ${nowSeconds - ago}\n`)
  }
  return [`# TYPE ${name} gauge\n`, ...lines]
}

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', RETENTION_DAYS: '9' }, workers: shareWorkers() }) // no longer than there are samples
  await nines.join('ada')
})
afterAll(() => nines?.close())

let count = 0

/** Budget, coverage and incidents of a backfilled SLO of 99 % over 7 days. */
async function measured(query: (name: string) => object, samples: (name: string) => string[]) {
  const name = `gauge_${(count += 1)}`
  const { app, call } = nines
  const chunks = new Blob([[...samples(name), '# EOF\n'].join('')]).stream()
  const keepMs = app.config.samplesRetentionDays * 86_400_000
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs })
  const slo = { name, target: 99, time_window: '7d', metric_type: 'availability', ...query(name) }
  const { body, text } = await call('POST', '/api/v1/slos', slo)
  if (!body?.id) throw new Error(text)
  await app.backfills.run()
  await app.evaluator.evaluateAll()
  const budget = (await call('GET', `/api/v1/slos/${body.id}/budget`)).body
  const { incidents } = (await call('GET', `/api/v1/slos/${body.id}/incidents`)).body
  await call('DELETE', `/api/v1/slos/${body.id}`)
  return { usedPercent: budget.error_budget.percentage_used, coverage: budget.coverage, incidents }
}

const compared = (name: string) => ({ metric_query: `${name} < 0.3` })
const bounded = (name: string) => ({ metric_query: name, threshold: 0.3, threshold_op: 'lt' })
const bare = (name: string) => ({ metric_query: name })
const latencies = [0.9, 0.1]
const ups = [0, 1]

/** Expected of an outage of 2 hours in 7 days of which `gapHours` are not covered. */
const byTime = (gapHours = 0) => {
  const coveredSeconds = 7 * day - gapHours * hour
  return {
    usedPercent: expect.closeTo((100 * 2 * hour) / coveredSeconds / 0.01, 0),
    coverage: expect.closeTo(coveredSeconds / (7 * day), 3),
  }
}

test.each([
  [600, compared],
  [600, bounded],
  [3600, compared],
])(
  'a comparison of samples %p s apart uses the budget by time',
  async (everySeconds, query) => {
    expect(await measured(query, (name) => samplesOf(name, { everySeconds }, latencies))).toMatchObject({
      ...byTime(),
      incidents: [{ bad_events: 2 * hour, duration_seconds: 2 * hour }],
    })
  },
  60_000,
)

test.each(changes)(
  'samples every %s are weighed by the time they stood for, and a gap is not covered',
  async (_, sampled) => {
    expect(await measured(bare, (name) => samplesOf(name, sampled, ups))).toMatchObject(byTime())
    for (const [query, values] of [
      [bare, ups],
      [compared, latencies],
    ] as const) {
      expect(await measured(query, (name) => samplesOf(name, sampled, values, true))).toMatchObject(byTime(10))
    }
  },
  60_000,
)

test.each([
  [60, bare, ups],
  [600, bare, ups],
  [600, compared, latencies],
  [3600, compared, latencies],
] as const)(
  'a gap in samples %p s apart is not covered',
  async (everySeconds, query, values) => {
    expect(await measured(query, (name) => samplesOf(name, { everySeconds }, values, true))).toMatchObject(byTime(10))
  },
  60_000,
)
