import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { type TestApp, testApp, testStartMs } from './app.ts'
import { asIncrease, askDirectly, askDirectlyOver, availabilityQuery, withToken } from './direct-query.ts'
import { type TestBed, windows } from './kit.ts'
import { groupedSpellings, rawSpellings, spellings } from './equivalent-queries.ts'
import { disagreements, mistakes } from './truth-rules.ts'
import { calculate, createSlo, measureRows, type Row, type RowQueries, tableOf } from './truth-table.ts'
import { rulesOf } from './rules-of.ts'

const timeoutMs = 60_000

type Sources = [name: string, key: 'prometheus' | 'victoria' | 'embedded'][]

/** Compares nines with the truth of a bed, with each of these sources. */
export function testTruthTable(startBed: () => Promise<TestBed>, sources: Sources) {
  let bed: TestBed
  beforeAll(async () => {
    bed = await startBed()
  }, 120_000)
  afterAll(() => bed?.stop(), 30_000)

  describe.each(sources)('in a real %s', (server, key) => {
    let nines: TestApp
    let url: string
    beforeAll(async () => {
      const env = { SOURCE_URL: key === 'embedded' ? key : bed[key], SOURCE_TIMEOUT: '30' }
      nines = await testApp({ env })
      nines.clock.advance(bed.now * 1000 - testStartMs)
      const token = await nines.join('ada')
      url = key === 'embedded' ? withToken(`${nines.listen()}/embedded/prometheus`, token) : bed[key]
      if (key === 'embedded') await importInto(nines, bed.samples)
    }, timeoutMs)
    afterAll(() => nines?.close())

    const services = () => Object.keys(bed.truth.services)
    const measure = async (queries: Omit<RowQueries, 'service' | 'endSeconds'>, endSeconds = bed.now) => {
      const rows = services().map((service) => measureRows({ bed, url, nines }, { ...queries, service, endSeconds }))
      return (await Promise.all(rows)).flat()
    }
    const sliOf = async (slo: object, window: Row['asked'] = '24h'): Promise<number | null> =>
      (await calculate(nines, await createSlo(nines, slo), window)).current_value
    const truthOf = (service: string, window: Row['asked']) => bed.truth.services[service]?.evals[bed.now]?.[window]

    test(
      'every service over every window agrees with the truth, and with the best single query to 1e-9',
      async () => {
        const rows = await measure({ own: '30d', asked: windows })
        for (const own of ['24h', '7d', '90d'] as const) rows.push(...(await measure({ own, asked: [own] })))
        process.stdout.write(`\n${server}, ending ${new Date(bed.now * 1000).toISOString()}\n${tableOf(rows)}\n`)
        expect(rows).toHaveLength(11 * (9 + 3))
        expect(disagreements(rows)).toEqual([])
        expect(mistakes(rows)).toEqual([])
        expectReasons(rows)
        expectCoverage(rows)
      },
      timeoutMs,
    )

    test(
      'so does every service at other times, asked for by extend_time',
      async () => {
        const [, ...others] = bed.truth.meta.evals
        expect(others).toHaveLength(3)
        for (const endSeconds of others) {
          const rows = await measure({ own: '30d', asked: ['1h', '24h', '7d', '30d'] }, endSeconds)
          expect(disagreements(rows)).toEqual([])
          expect(mistakes(rows)).toEqual([])
          expectReasons(rows)
        }
      },
      timeoutMs,
    )

    test(
      'one service has one SLI, however it is written',
      async () => {
        for (const service of services()) {
          const wanted = await askDirectly(url, asIncrease(availabilityQuery(service, '24h')), bed.now)
          for (const [spelling, slo] of Object.entries(everySpelling(service))) {
            expectPercent(`${service}: ${spelling}`, await sliOf(slo), wanted)
          }
        }
        for (const slo of Object.values(everySpelling('clean'))) expect(await sliOf(slo)).toBe(100)
      },
      timeoutMs,
    )

    test('what only MetricsQL reads is taken where its source reads it', async () => {
      const both = 'sum(rate(all{code!~"5.."}[5m])) / sum(rate(all[5m]))'
      const metric_query = `WITH (all = http_requests_total{service="checkout"}) ${both}`
      const slo = { name: 'MetricsQL', target: 99, time_window: '24h', metric_type: 'availability', metric_query }
      const { status, body } = await nines.call('POST', '/api/v1/slos', slo)
      if (!server.includes('VictoriaMetrics')) {
        expect([status, rulesOf(body)]).toEqual([
          400,
          expect.stringContaining('it knows no function “WITH”, at character 6'),
        ])
        return
      }
      expect(status).toBe(201)
      expect((await calculate(nines, body.id, '24h')).current_value).toBeWithin(90, 100)
    })

    test('a counter that its name does not tell is known by its values', async () => {
      for (const service of ['checkout', 'search', 'payments']) {
        const all = `{__name__=~"http_requests_t.+",service="${service}"`
        const metric_query = `sum(${all},code!~"5.."}) / sum(${all}})`
        const wanted = await askDirectly(url, asIncrease(availabilityQuery(service, '24h')), bed.now)
        expectPercent(service, await sliOf({ metric_query }), wanted)
      }
      const gauge = 'worker_items_per_second'
      expect(await sliOf({ metric_query: `sum(${gauge}) / sum(${gauge})` })).toBeCloseTo(100, 9)
    })

    test('as a mean over time it is another number, for comparison', async () => {
      for (const service of ['checkout', 'payments', 'gateway']) {
        const asMean = { metric_query: availabilityQuery(service, '5m'), window_method: 'mean' }
        const [mean, widened] = [await sliOf(asMean), await sliOf({ ...asMean, window_method: 'widen' })]
        const truth = (truthOf(service, '24h')?.sli ?? NaN) * 100
        process.stdout.write(`${service} over 24h: truth ${truth}, over the window ${widened}, mean ${mean}\n`)
        expect(mean).not.toBeCloseTo(widened ?? NaN, 2)
      }
    })

    test.each(['checkout', 'search'])('the share of fast requests of %s agrees with the truth', async (service) => {
      const requests = 'http_request_duration_seconds'
      const fast = `sum(rate(${requests}_bucket{service="${service}",le="0.25"}[5m]))`
      const query = `${fast} / sum(rate(${requests}_count{service="${service}"}[5m]))`
      const id = await createSlo(nines, { metric_type: 'latency', metric_query: query })
      for (const window of ['24h', '7d', '30d', '90d'] as const) {
        const { current_value: sli } = await calculate(nines, id, window)
        const truth = (truthOf(service, window)?.latency?.['0.25']?.sli ?? NaN) * 100
        expect(Math.abs(sli - truth), `${window}: ${sli}, truly ${truth}`).toBeLessThan(0.02)
      }
    })

    test('the share of time over a threshold agrees with the truth', async () => {
      const quantity = { metric_type: 'throughput', metric_query: 'worker_items_per_second' }
      const id = await createSlo(nines, { ...quantity, threshold: 200, threshold_op: 'gte' })
      const truth = bed.truth.gauges.worker_items_per_second.evals[bed.now]
      for (const window of ['1h', '24h', '7d', '30d'] as const) {
        const { current_value: sli } = await calculate(nines, id, window)
        const share = (truth?.[window].share_at_or_over_floor ?? NaN) * 100
        expect(Math.abs(sli - share), `${window}: ${sli}, truly ${share}`).toBeLessThan(0.2)
      }
    })

    test('a comparison in the query is assessed minute by minute', async () => {
      const p95 =
        'histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket{service="search"}[5m])))'
      const minutes = { startSeconds: bed.now - 86_400 + 60, endSeconds: bed.now, stepSeconds: 60 }
      const seconds = (await askDirectlyOver(url, p95, minutes)).filter((value) => Number.isFinite(value))
      const slow = seconds.filter((value) => value > 0.25).length
      expect(slow).toBeWithin(10, 16) // the incident lasts 10 minutes, plus a range of 5
      const sli = await sliOf({ metric_type: 'latency', metric_query: `${p95} <= 0.25` })
      expect(sli).toBeCloseTo((1 - slow / seconds.length) * 100, 9)
    })

    test.each(constants)('a constant %s is what its unit says', async (name, wanted) => {
      const constant = `demo_sli{case="${name}"}`
      const mayBeLost = key === 'victoria' && (name === 'nan' || name === 'inf')
      for (const metric_query of [constant, `avg_over_time(${constant}[5m])`, `max(${constant})`]) {
        const widened = metric_query.replace('[5m]', '[24h]')
        const isLost = mayBeLost && (await askDirectly(url, widened, bed.now)) === null
        for (const query_unit of ['auto', 'ratio', 'percent'] as const) {
          const id = await createSlo(nines, { metric_query, query_unit })
          const { current_value: sli, status_reason: reason } = await calculate(nines, id, '24h')
          const said = sli === null ? reason : Number(sli.toFixed(9))
          expect({ metric_query, query_unit, said }).toMatchObject({ said: isLost ? 'no_data' : wanted[query_unit] })
        }
      }
    })
  })
}

const everySpelling = (service: string) => ({
  ...spellings(service),
  ...rawSpellings(service),
  ...groupedSpellings(service),
})

/**
 * Constants of the bed, with the SLI in percent or the reason for its absence by unit. Prometheus keeps them all.
 * VictoriaMetrics keeps no NaN; 1.79 keeps no infinity, and 1.145 no daily average of infinities.
 */
const constants = [
  ['ratio', { auto: 99.95, ratio: 99.95, percent: 0.9995 }],
  ['percent', { auto: 99.95, ratio: 'out_of_range', percent: 99.95 }],
  ['zero', { auto: 0, ratio: 0, percent: 0 }],
  ['one', { auto: 100, ratio: 100, percent: 1 }],
  ['hundred', { auto: 100, ratio: 'out_of_range', percent: 100 }],
  ['over', { auto: 1.2, ratio: 'out_of_range', percent: 1.2 }],
  ['negative', { auto: 'out_of_range', ratio: 'out_of_range', percent: 'out_of_range' }],
  ['nan', { auto: 'no_data', ratio: 'no_data', percent: 'no_data' }],
  ['inf', { auto: 'not_a_number', ratio: 'not_a_number', percent: 'not_a_number' }],
  ['half_percent', { auto: 50, ratio: 50, percent: 0.5 }],
] as const

async function importInto({ app }: TestApp, path: string) {
  const keepMs = app.config.samplesRetentionDays * 86_400_000
  const chunks = Bun.file(path).stream()
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs })
}

/** Checks that a missing value has the right reason: no samples, or counters that do not increase. */
function expectReasons(rows: Row[]) {
  const wanted = ({ generated }: Row) =>
    generated.total > 0 ? null : generated.coverage > 0 ? 'no_traffic' : 'no_data'
  expect(rows.filter((row) => row.nines.reason !== wanted(row))).toEqual([])
}

/**
 * Checks that coverage is the share of the window in which the service existed. The truth does not include its loss by gaps.
 */
function expectCoverage(rows: Row[]) {
  const assessed = rows.filter(({ service }) => service !== 'gaps')
  expect(assessed.filter(({ nines, generated }) => Math.abs(nines.coverage - generated.coverage) > 0.005)).toEqual([])
  const of = (service: string, asked: string) =>
    rows.find((row) => row.service === service && row.asked === asked)?.nines.coverage
  const known = [of('newborn', '30d'), of('ghost', '7d'), of('ghost', '24h'), of('clean', '90d')]
  expect(known).toEqual([0.333, 0.571, 0, 0.389].map((share) => expect.closeTo(share, 2)))
  expect(of('gaps', '7d')).toBeWithin(0.95, 0.97)
}

function expectPercent(what: string, sli: number | null, wantedRatio: number | null) {
  const wanted = wantedRatio === null ? null : expect.closeTo(wantedRatio * 100, 8)
  expect([what, sli]).toEqual([what, wanted])
}
