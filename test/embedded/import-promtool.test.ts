import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createReadStream, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importSamples } from '../../src/embedded/import-samples.ts'
import { cleanUpAtTheEnd, describeOnBed, runKit, seed } from '../support/kit.ts'
import { samplesIn, select, storeWorld, where } from './store/store-world.ts'

const days = 1
const metrics = ['http_requests_total', 'http_request_duration_seconds_bucket', 'demo_sli', 'up']

/** Raw samples of a series: milliseconds and value. */
type Raw = { labels: Readonly<Record<string, string>>; samples: (number | string)[][] }
type Answered = { data: { result: { metric: Record<string, string>; values: [number, string][] }[] } }

describeOnBed('an import beside one of promtool', () => {
  const keepMs = 10 * 86_400_000
  const nowMs = Math.floor(Date.now() / 60_000) * 60_000
  const world = storeWorld({ keepMs })
  let url = ''
  let stop = async () => {}

  beforeAll(async () => {
    world.setNow(nowMs)
    const dir = mkdtempSync(join(tmpdir(), 'nines-import-'))
    stop = cleanUpAtTheEnd(dir)
    await runKit(
      'gen-truth.py',
      '--no-vm',
      '--now',
      `${nowMs / 1000}`,
      '--days',
      `${days}`,
      '--seed',
      `${seed}`,
      '--out',
      dir,
    )
    const file = join(dir, 'metrics.om')
    const clock = { now: () => nowMs }
    await importSamples({ store: world.store(), organizationId: 1, chunks: createReadStream(file), clock, keepMs })
    world.reopen()
    await runKit('backfill.sh', file, join(dir, 'blocks'))
    const started = await runKit(
      'start-prometheus.sh',
      '--dir',
      join(dir, 'prometheus'),
      '--blocks',
      join(dir, 'blocks'),
    )
    url = JSON.parse(started).url
  }, 60_000)
  afterAll(async () => {
    world.close()
    await stop()
  })

  /** Samples in Prometheus. */
  async function theirs(metric: string): Promise<Raw[]> {
    const query = new URLSearchParams({ query: `${metric}[${days + 1}d]`, time: String(nowMs / 1000 + 60) })
    const answer = await fetch(`${url}/api/v1/query?${query}`)
    const { data }: Answered = JSON.parse(await answer.text())
    return data.result.map(({ metric: labels, values }) => ({
      labels,
      samples: values.map(([time, value]) => [Math.round(time * 1000), Number(value.replace('Inf', 'Infinity'))]),
    }))
  }

  function ours(metric: string): Raw[] {
    const found = select(world.store(), 1, [where('__name__', '=', metric)], 0, nowMs + 60_000)
    return [...found].map((series) => ({ labels: series.labels, samples: samplesIn(series) }))
  }

  test.each(metrics)('every series of %s has the same raw samples', async (metric) => {
    const [mine, others] = [ours(metric), await theirs(metric)]
    expect(mine.length).toBeGreaterThan(3)
    expect(inOrder(mine)).toEqual(inOrder(others))
  })
})

function inOrder(all: Raw[]): [string, Raw['samples']][] {
  const named = all.map(({ labels, samples }): [string, Raw['samples']] => [nameOf(labels), samples])
  return named.toSorted(([a], [b]) => (a < b ? -1 : 1))
}

function nameOf(labels: Raw['labels']): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
