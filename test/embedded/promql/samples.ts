import type { Labels } from '../../../src/promql/labels.ts'
import { fitsAll } from '../../support/fits-all.ts'
import { markStale, type SampleReader, type Series } from '../../../src/embedded/promql/reader.ts'
import { encodeLabels, type RemoteSample } from '../../support/remote-write.ts'
import { pick, type Random, seeded } from './random.ts'

type Sample = { atMs: number; value: number | 'stale' }
type SampledSeries = { labels: Labels; samples: Sample[] }

export const startMs = 1_760_000_000_000
export const scrapeMs = 15_000
const scrapes = 160
export const endMs = startMs + (scrapes - 1) * scrapeMs

/** Forty minutes of counters with resets, gauges with NaN and infinities, histograms, gaps, ended series and odd times. */
export function generatedSeries(random: Random = seeded(11)): SampledSeries[] {
  const series: SampledSeries[] = []
  const add = (labels: Labels, valueAt: (scrape: number) => number, jitterMs = 0) => {
    const gap = Math.floor(random() * scrapes)
    const end = random() < 0.3 ? Math.floor(random() * scrapes) : Infinity
    const samples = Array.from({ length: scrapes }, (_, scrape): Sample[] => {
      const value = valueAt(scrape)
      const atMs = startMs + scrape * scrapeMs + Math.floor(random() * jitterMs)
      if (scrape === end) return [{ atMs, value: 'stale' }]
      if (scrape >= gap && scrape < gap + 12 && gap % 2 === 0) return []
      return scrape > end && scrape < end + 30 ? [] : [{ atMs, value }]
    })
    series.push({ labels, samples: samples.flat() })
  }
  for (const job of ['api', 'web'])
    for (const instance of ['a:80', 'b:80', 'c:81']) {
      add({ __name__: 'up', job, instance }, () => Number(random() < 0.9))
      for (const code of ['200', '404', '500']) {
        add({ __name__: 'requests_total', job, instance, code }, counter(random, code === '200' ? 40 : 2))
      }
      add({ __name__: 'errors_total', job, instance }, counter(random, 1), 4000)
    }
  const odd = [NaN, Infinity, -Infinity, 0, -0, 1e300, -7]
  for (const room of ['hall', 'attic', 'cellar', 'lab']) {
    const isOdd = room === 'lab' || room === 'attic'
    add(
      { __name__: 'temperature', room, floor: String(room.length % 3) },
      () => (isOdd && random() < 0.04 ? pick(random, odd) : random() * 60 - 20),
      room === 'hall' ? 9000 : 0,
    )
    add({ __name__: 'switches', room }, () => Math.floor(random() * 3))
  }
  for (const job of ['api', 'web', 'cron']) {
    add({ __name__: 'build_info', job, version: `v${job.length}`, team: job === 'cron' ? 'x' : 'y' }, () => 1)
    const bounds = ['0.1', '0.5', '2.5', ...(job === 'cron' ? ['odd'] : ['+Inf'])]
    const counts = bounds.map(() => 0)
    bounds.forEach((le, index) =>
      add(
        { __name__: 'latency_seconds_bucket', job, le },
        () => (counts[index] = (counts[index] ?? 0) + index + random() * 9),
      ),
    )
  }
  add({ __name__: 'constant', room: 'hall' }, () => 4.25)
  add({ __name__: 'ramp' }, (scrape) => scrape * 0.5 - 12)
  return series
}

function counter(random: Random, perScrape: number): () => number {
  let value = random() < 0.5 ? 0 : Math.floor(random() * 1000)
  return () => (value = random() < 0.03 ? Math.floor(random() * 3) : value + Math.floor(random() * perScrape * 2))
}

/** The samples for remote write to a Prometheus, in order of time. */
export function remoteSamples(series: SampledSeries[]): RemoteSample[] {
  const all = series.flatMap(({ labels, samples }) => {
    const encoded = encodeLabels(labels)
    return samples.map(({ atMs, value }) => ({ labels: encoded, atMs, value }))
  })
  return all.toSorted((a, b) => a.atMs - b.atMs)
}

/** A reader of the same samples. */
export function readerOf(series: SampledSeries[]): SampleReader {
  return {
    select(matchers, fromMs, toMs) {
      const found = series.filter(({ labels }) => fitsAll(matchers, labels))
      return found.map(({ labels, samples }) => seriesOf(labels, samples, fromMs, toMs))
    },
  }
}

function seriesOf(labels: Labels, samples: Sample[], fromMs: number, toMs: number): Series {
  const inside = samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
  const values = Float64Array.from(inside, ({ value }) => (value === 'stale' ? NaN : value))
  inside.forEach(({ value }, index) => value === 'stale' && markStale(values, index))
  return { labels, timesMs: Float64Array.from(inside, ({ atMs }) => atMs), values }
}
