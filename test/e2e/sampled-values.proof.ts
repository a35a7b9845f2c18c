import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SloRow } from '../../src/db/tables/tables.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import type { Bucket, Span } from '../../src/ledger/bucket.ts'
import { measureOneWithoutCounters } from '../../src/ledger/measure/measure-without-counters.ts'
import { createPrometheus } from '../../src/sources/prometheus/client.ts'
import type { Source } from '../../src/sources/source.ts'
import { plan } from '../sli/planned.ts'
import { describeOnBed, runKit } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { encodeLabels, remoteWrite } from '../support/remote-write.ts'
import {
  gauges,
  longGapSeconds,
  longGauges,
  longOutageSeconds,
  longSeconds,
  seriesOfGauges,
  seriesOfLongGauges,
  sumSamples,
} from '../support/sampled-gauges.ts'
import { type SampledSeries, sampledSource } from '../support/sampled-source.ts'

const hour = 3600
const endSeconds = Math.floor(Date.now() / 1000 / hour) * hour - hour
const startSeconds = endSeconds - 10 * hour
const series = [...seriesOfGauges(startSeconds, endSeconds), ...seriesOfLongGauges(endSeconds)]
const slo = { query_unit: 'ratio', inferred_unit: null } as SloRow

const selectorOf = (metric: string, job: string) => `${metric}{job="${job}"}`
const jobs = [...new Set(gauges.map(({ job }) => job))]
const seriesOf = (metric: string, job: string) =>
  series.filter(({ labels }) => labels['__name__'] === metric && labels['job'] === job)
const intervalOf = (job: string) => gauges.find((gauge) => gauge.job === job)?.intervalSeconds ?? NaN

type Open = (start: (script: string, name: string, program?: string) => Promise<Source>) => Promise<Source>

/** Compares the answers of these sources with the samples they hold. */
function testSources(sources: [name: string, open: Open][]): void {
  const dir = mkdtempSync(join(tmpdir(), 'nines-sampled-'))
  const started: string[] = []
  afterAll(async () => {
    for (const one of started) await runKit('stop.sh', one)
    rmSync(dir, { recursive: true, force: true })
  })

  const start = async (script: string, name: string, program?: string): Promise<Source> => {
    const own = join(dir, name)
    const bin = program === undefined ? [] : ['--bin', program]
    const { url } = JSON.parse(await runKit(script, '--dir', own, ...bin))
    started.push(own)
    const samples = series.flatMap(({ labels, samples: all }) => {
      const encoded = encodeLabels(labels)
      return all.map(({ atMs, value }) => ({ labels: encoded, atMs, value }))
    })
    const sorted = samples.toSorted((a, b) => a.atMs - b.atMs)
    for (let at = 0; at < sorted.length; at += 5000) await remoteWrite(url, sorted.slice(at, at + 5000))
    if (script === 'start-victoria.sh') await fetch(`${url}/internal/force_flush`)
    const prometheus = createPrometheus({ outbound: createOutbound({ deny: [] }), timeoutMs: 30_000, concurrency: 4 })
    return prometheus.open({ id: 1, organizationId: 1, name, apiUrl: url, auth: null })
  }

  describe.each(sources)('in %s', (_, open) => {
    let source: Source
    beforeAll(async () => {
      source = await open(start)
    }, 60_000)

    const bucketsOf = async (query: string, span: Span): Promise<Bucket[]> => {
      const measured = await measureOneWithoutCounters(source, { slo, plan: plan(query) }, span)
      if ('error' in measured) throw measured.error
      return measured.buckets
    }
    const minutes = { resolution: 60, startSeconds: startSeconds + hour, endSeconds: startSeconds + 6 * hour } as const
    const hours = { resolution: 3600, startSeconds: startSeconds + hour, endSeconds } as const

    type Known = { series: SampledSeries[]; interval: number; valueOf: (sample: number) => number }
    const differences = (buckets: Bucket[], span: Span, { series, interval, valueOf }: Known) =>
      buckets.flatMap((bucket) => {
        const truth = sumSamples(series, valueOf, {
          endSeconds: bucket.startSeconds + span.resolution,
          rangeSeconds: Math.max(span.resolution, interval),
          bucketSeconds: span.resolution,
          intervalSeconds: interval,
        })
        const isSame = Math.abs(bucket.good - truth.good) < 1e-6 && Math.abs(bucket.total - truth.total) < 1e-6
        return isSame && bucket.coveredSeconds === Math.round(truth.covered) ? [] : [{ bucket, truth }]
      })

    test.each(jobs)('minutes and hours of %s are the sums of their samples', async (job) => {
      const query = selectorOf('probe_success', job)
      for (const span of [minutes, hours]) {
        const buckets = await bucketsOf(query, span)
        const known = { series: seriesOf('probe_success', job), interval: intervalOf(job) }
        expect(differences(buckets, span, { ...known, valueOf: (value) => value })).toEqual([])
      }
    })

    test.each(jobs)(
      'minutes of %s say exactly, and hours nearly, how often a comparison with a constant held',
      async (job) => {
        const query = `${selectorOf('latency_seconds', job)} <= 0.3`
        const known = { series: seriesOf('latency_seconds', job), interval: intervalOf(job) }
        const valueOf = (value: number) => (value <= 0.3 ? 1 : 0)
        expect(differences(await bucketsOf(query, minutes), minutes, { ...known, valueOf })).toEqual([])
        for (const { startSeconds: start, good, total } of await bucketsOf(query, hours)) {
          const truth = sumSamples(known.series, valueOf, {
            endSeconds: start + hour,
            rangeSeconds: hour,
            bucketSeconds: hour,
            intervalSeconds: known.interval,
          })
          // the mean of 60 moments, or of 12 samples
          expect(Math.abs(good / total - (truth.mean ?? NaN))).toBeLessThan(0.25)
          // looked at once a minute at both ends of a gap
          expect(total).toBeWithin(truth.total - 120, truth.total + 2 * 60 * known.series.length)
        }
      },
    )

    test.each(longGauges)('6 days of samples ($job) are weighed by time', async ({ job }) => {
      const span = { resolution: hour, startSeconds: endSeconds - longSeconds, endSeconds } as const
      const recent = { resolution: 60, startSeconds: endSeconds - 12 * hour, endSeconds } as const
      const sumsOf = async (query: string, of: Span) => {
        const buckets = await bucketsOf(query, of)
        const sum = (valueOf: (bucket: Bucket) => number) => buckets.reduce((all, one) => all + valueOf(one), 0)
        return { bad: sum(({ good, total }) => total - good), covered: sum(({ coveredSeconds }) => coveredSeconds) }
      }
      for (const query of [selectorOf('probe_success', job), `${selectorOf('latency_seconds', job)} <= 0.3`]) {
        const { bad, covered } = await sumsOf(query, span)
        expect(Math.abs(bad - longOutageSeconds)).toBeLessThanOrEqual(60)
        expect(Math.abs(covered - (longSeconds - longGapSeconds))).toBeLessThanOrEqual(60)
        expect(await sumsOf(query, recent)).toEqual({ bad: 0, covered: 12 * hour })
      }
    })
  })
}

describeOnBed('numbers at each sample', () => {
  testSources([
    ['Prometheus 2.42', (start) => start('start-prometheus.sh', 'prometheus-2')],
    ['VictoriaMetrics 1.79', (start) => start('start-victoria.sh', 'victoria-1.79')],
    ['the embedded source', () => Promise.resolve(sampledSource(series))],
  ])
})

describeOnNewer('numbers at each sample, in newer sources', () => {
  testSources([
    ['Prometheus 3.5', (start) => start('start-prometheus.sh', 'prometheus-3', newer.prometheus)],
    ['VictoriaMetrics 1.145', (start) => start('start-victoria.sh', 'victoria-1.145', newer.victoria)],
  ])
})
