import { expect, test } from 'bun:test'
import type { SloRow } from '../../../src/db/tables/tables.ts'
import { AppError } from '../../../src/errors.ts'
import { emptyBucket, type Span } from '../../../src/ledger/bucket.ts'
import { measureLedger } from '../../../src/ledger/measure/measure-ledger.ts'
import { sampledSource, type SampledSource } from '../../support/sampled-source.ts'
import { plan } from '../../sli/planned.ts'

const hour = 3600
const startSeconds = 1_784_001_600
const sites = Array.from({ length: 20 }, (_, n) => `site ${n}`)
const planned = sites.map((job, id) => ({
  slo: { id, query_unit: 'ratio' } as SloRow,
  plan: plan(`probe_success{job="${job}"}`),
}))
const hours: Span = { resolution: hour, startSeconds, endSeconds: startSeconds + 3 * hour }

/** Source of sites that are probed every 30 s, of which some fail from an hour after the span's start on. */
function probed(fromSeconds: number, failing: string[] = []): SampledSource {
  const timesMs: number[] = []
  for (let at = fromSeconds + 7; at < startSeconds + 3 * hour; at += 30) timesMs.push(at * 1000)
  return sampledSource(
    sites.map((job) => ({
      labels: { __name__: 'probe_success', job },
      samples: timesMs.map((atMs) => ({
        atMs,
        value: failing.includes(job) && atMs > (startSeconds + hour) * 1000 ? 0 : 1,
      })),
    })),
  )
}

test('probed SLOs share the queries of their sample intervals, and each has its own sums', async () => {
  const source = probed(startSeconds - 2 * hour, ['site 3'])
  const measured = await measureLedger(source, planned, hours)
  expect(source.asked.filter((query) => !query.includes('nines_sum')).length).toBeLessThan(10)
  expect(source.asked.filter((query) => query.includes('nines_sum'))).toHaveLength(sites.length)
  for (const [id, site] of sites.entries()) {
    const result = measured.get(id) ?? { buckets: [] }
    const goods = 'buckets' in result ? result.buckets.map(({ good, total }) => good / total) : null
    expect(goods).toEqual(site === 'site 3' ? [1, 0, 0] : [1, 1, 1])
  }
})

test('a round of good probed SLOs is one query for each, once their sample intervals are known', async () => {
  const source = probed(startSeconds - 2 * hour)
  const endSeconds = startSeconds + 600
  await measureLedger(source, planned, { resolution: 60, startSeconds: endSeconds - 180, endSeconds })
  const before = source.asked.length
  await measureLedger(source, planned, { resolution: 60, startSeconds: endSeconds - 120, endSeconds: endSeconds + 60 })
  expect(source.asked.length - before).toBe(sites.length)
})

test('the past of new series is one question for all of them, and has empty buckets', async () => {
  const source = probed(startSeconds + 2 * hour)
  await measureLedger(source, planned, { ...hours, resolution: 60, startSeconds: hours.endSeconds - 60 })
  const before = source.asked.length
  const past = { ...hours, startSeconds: startSeconds - 97 * hour, endSeconds: startSeconds - hour }
  const measured = await measureLedger(source, planned, past, hours.endSeconds)
  expect(source.asked.length - before).toBe(2) // the fewest and the most samples of any series in each hour
  const empty = Array.from({ length: 96 }, (_, n) => emptyBucket(past.startSeconds + n * hour))
  for (const { slo } of planned) expect(measured.get(slo.id)).toMatchObject({ buckets: empty })
})

test('samples in the last minutes of a span are found, where it does not end with an hour', async () => {
  const source = probed(startSeconds + 2 * hour + 120)
  const span: Span = {
    resolution: 60,
    startSeconds: startSeconds - 9 * hour,
    endSeconds: startSeconds + 2 * hour + 300,
  }
  const measured = (await measureLedger(source, planned, span)).get(0)
  const covered = measured && 'buckets' in measured ? measured.buckets.filter(({ total }) => total > 0) : []
  expect(covered.map((bucket) => bucket.startSeconds - startSeconds - 2 * hour)).toEqual([120, 180, 240])
})

test('an SLO whose query is refused fails alone, also where others share what it asks first', async () => {
  const source = probed(startSeconds - 2 * hour)
  const range: SampledSource['range'] = async (query, grid, options) => {
    if (query.includes('nines_sum') && query.includes('"site 5"')) return Promise.reject(refusal)
    return source.range(query, grid, options)
  }
  const measured = await measureLedger({ ...source, range }, planned, hours)
  const failed = [...measured].flatMap(([id, result]) => ('error' in result ? [id] : []))
  expect(failed).toEqual([5])
})

const refusal = new AppError('source_refused', 'refused')
