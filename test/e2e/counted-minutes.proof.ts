import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queryIncreases } from '../../src/ledger/counters/query-counters.ts'
import { measureCounters } from '../../src/ledger/measure/measure-counters.ts'
import type { Source } from '../../src/sources/source.ts'
import { cleanUpAtTheEnd, runKit } from '../support/kit.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { encodeLabels, remoteWrite } from '../support/remote-write.ts'
import { countedBySamples, eventfulServices, samplesOf, type Service, slosOf } from '../support/sampled-counters.ts'
import { sampledSource } from '../support/sampled-source.ts'

const now = Math.floor(Date.now() / 3_600_000) * 3600
const seconds = 2 * 3600
const start = now - seconds
const count = 60
const slos = slosOf(count)
const [histories = []] = fc.sample<Service[]>(eventfulServices(seconds, count), { seed: 27, numRuns: 1 })
const series = samplesOf(histories, start, seconds)
const span = { resolution: 60, startSeconds: start, endSeconds: now } as const
/** Seconds that are measured at once: by a backfill, and by an evaluation. */
const atOnce = [seconds, 180]
const samplesPerBatch = 20_000

const servers = [
  ['Prometheus 2', 'start-prometheus.sh', [], true],
  ['Prometheus 3.5', 'start-prometheus.sh', ['--bin', newer.prometheus], false],
  ['VictoriaMetrics 1.79', 'start-victoria.sh', [], false],
  ['VictoriaMetrics 1.145', 'start-victoria.sh', ['--bin', newer.victoria], false],
] as const

/** Source that queries a server over HTTP as nines does. */
function sourceAt(url: string): Source {
  return {
    name: url,
    instant: () => Promise.reject(new Error('must be a range')),
    async range(query, { startSeconds, endSeconds, stepSeconds }) {
      const form = { query, start: String(startSeconds), end: String(endSeconds), step: String(stepSeconds) }
      const response = await fetch(`${url}/api/v1/query_range`, { method: 'POST', body: new URLSearchParams(form) })
      const { status, error, data } = (await response.json()) as {
        status: string
        error?: string
        data: { result: [] }
      }
      if (status !== 'success') throw new Error(`${query}: ${error}`)
      return { data: data.result, warnings: [], infos: [], isPartial: false, durationMs: 0 }
    },
  }
}

async function fill(url: string): Promise<void> {
  const all = series.flatMap(({ labels, samples }) => {
    const encoded = encodeLabels(labels)
    return samples.map(({ atMs, value }) => ({ labels: encoded, atMs, value }))
  })
  all.sort((a, b) => a.atMs - b.atMs)
  for (let at = 0; at < all.length; at += samplesPerBatch) await remoteWrite(url, all.slice(at, at + samplesPerBatch))
  for (const path of ['/internal/force_flush', '/internal/resetRollupResultCache']) await fetch(url + path)
}

/** Minutes whose sums differ from the samples, measured some seconds at once. */
async function wrongMinutes(source: Source, isClosed: boolean) {
  const spans = atOnce.flatMap((atOnceSeconds) =>
    Array.from({ length: seconds / atOnceSeconds }, (_, at) => {
      const startSeconds = start + at * atOnceSeconds
      return { resolution: 60, startSeconds, endSeconds: startSeconds + atOnceSeconds } as const
    }),
  )
  const wrong = []
  for (const one of spans) wrong.push(...wrongOf(await measureCounters(source, slos, one, now), isClosed))
  return wrong
}

function wrongOf(measured: Awaited<ReturnType<typeof measureCounters>>, isClosed: boolean) {
  return slos.flatMap(({ sloId }) => {
    const said = measured.get(sloId)
    if (!said || 'error' in said) throw new Error('must be measured')
    return said.buckets.flatMap(({ startSeconds: from, total, leadTotal }) => {
      const { all, inside, hasBegunAgain } = countedBySamples(series, sloId, from, from + 60, isClosed)
      const isSame = Math.abs(total - all) <= 1e-9
      const isLeadSame = isClosed || hasBegunAgain || Math.abs(total - leadTotal - inside) <= 1e-9
      return isSame && isLeadSame ? [] : [{ sloId, from, total, all, leadTotal, inside }]
    })
  })
}

test('minutes say what consecutive samples do, by the embedded source', async () => {
  expect(await wrongMinutes(sampledSource(series), false)).toEqual([])
}, 60_000)

describeOnNewer('minutes of counters that appear, vanish, begin again and pause', () => {
  const stops: (() => Promise<void>)[] = []
  const urls: string[] = []
  beforeAll(async () => {
    for (const [, script, options] of servers) {
      const dir = mkdtempSync(join(tmpdir(), 'nines-counted-'))
      const [kind] = /prometheus|victoria/.exec(script) ?? ['']
      stops.push(cleanUpAtTheEnd(dir))
      const { url } = JSON.parse(await runKit(script, '--dir', join(dir, kind), ...options)) as { url: string }
      await fill(url)
      urls.push(url)
    }
  }, 120_000)
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()))
  }, 30_000)

  test.each(servers.map(([name, , , isClosed], at) => [name, at, isClosed] as const))(
    'they say what consecutive samples do, by %s',
    async (_, at, isClosed) => {
      expect(await wrongMinutes(sourceAt(urls[at] ?? ''), isClosed)).toEqual([])
    },
    60_000,
  )

  test('beside increase they agree within one interval for each edge of a series', async () => {
    const increases = await queryIncreases(sourceAt(urls[1] ?? ''), slos, seconds, now)
    const measured = await measureCounters(sampledSource(series), slos, span)
    for (const { sloId } of slos) {
      const [said, increase] = [measured.get(sloId), increases.get(sloId)]
      if (!said || 'error' in said || !increase || 'error' in increase) throw new Error('must be measured')
      const pods = series.filter(({ labels }) => labels['service'] === `s${sloId}`)
      const ofEdges = pods.map((pod) => {
        const { all, inside } = countedBySamples([pod], sloId, start, now)
        const samples = pod.samples.filter(({ atMs, value }) => value !== 'stale' && atMs > start * 1000).length
        // Prometheus extrapolates up to 1.1 intervals
        return samples < 2 ? all : all - inside + (2 * 1.1 * inside) / (samples - 1)
      })
      const max = ofEdges.reduce((sum, one) => sum + one, 0)
      const sum = said.buckets.reduce((all, { total }) => all + total, 0)
      expect(Math.abs(sum - (increase.total ?? 0))).toBeLessThanOrEqual(max + 1e-6)
    }
  })
})
