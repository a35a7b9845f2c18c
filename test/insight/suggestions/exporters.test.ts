import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../../support/closing.ts'
import { readExposition, type Sample } from '../../support/exposition.ts'
import { collect, emptySource, foundIn, scraped } from './recorded.ts'

afterEach(closeAll)

type Found = { kind: string; metric: string; slo: { name: string } }
const listed = ({ suggestions }: { suggestions: Found[] }) =>
  suggestions.map(({ kind, metric, slo }) => `${kind} ${metric}: ${slo.name}`)

/** The sample that a source adds to a target's own metrics. */
const up = (labels: Record<string, string>): Sample => ({ name: 'up', labels, value: 1 })

test('the metrics of nines itself are suggested as its requests, its latency and what its sources take', async () => {
  const nines = await emptySource()
  for (const path of ['/api/v1/slos', '/api/v1/tsdb/sources', '/api/v1/nothing']) await nines.call('GET', path)
  const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
  const job = { job: 'nines', instance: 'inside' }
  // Its source was not queried yet, so the histogram does not change.
  await collect(nines, [...scraped(readExposition(text).samples, job), up(job)])
  expect(listed(await foundIn(nines))).toEqual([
    'availability http_requests_total: nines answers',
    expect.stringMatching(/^latency http_request_duration_seconds_bucket: nines answers within \d+(\.\d+)? m?s$/),
    'up up: nines is up',
  ])
})

const programs = { node: 'prometheus-node-exporter', blackbox: 'prometheus-blackbox-exporter' }
const missing = Object.values(programs).filter((name) => Bun.which(name) === null)
const isSkipped = missing.length > 0 && process.env['CI'] !== 'true'
if (isSkipped)
  process.stderr.write(`Skipped, "real exporters": not installed: ${missing.join(', ')} (Debian: apt-get install)\n`)

describe.skipIf(isSkipped)('real exporters', () => {
  test('node-exporter counts no requests: it is suggested to be up', async () => {
    const address = await startExporter([programs.node])
    const samples = await samplesOf(`${address}/metrics`)
    expect(samples.length).toBeGreaterThan(100)
    const nines = await emptySource()
    const job = { job: 'node', instance: 'db-1:9100' }
    await collect(nines, [...scraped(samples, job), up(job)], { days: 1 })
    expect(listed(await foundIn(nines))).toEqual(['up up: node is up'])
  }, 60_000)

  test('blackbox-exporter is suggested by what its probes say, each address by itself', async () => {
    const address = await startExporter([programs.blackbox, '--config.file=/etc/prometheus/blackbox.yml'])
    const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('well') })
    closeLater(() => site.stop(true))
    const probed = async (target: string, instance: string) =>
      scraped(await samplesOf(`${address}/probe?module=http_2xx&target=${encodeURIComponent(target)}`), {
        job: 'blackbox',
        instance,
      })
    const samples = [
      ...(await probed(site.url.href, 'https://shop.example.com/')),
      ...(await probed(`${site.url.href}health`, 'https://shop.example.com/health')),
      ...(await probed('http://127.0.0.1:1/', 'https://gone.example.com/')),
      ...scraped(await samplesOf(`${address}/metrics`), { job: 'blackbox_exporter', instance: 'blackbox:9115' }),
      up({ job: 'blackbox', instance: 'https://shop.example.com/' }),
      up({ job: 'blackbox_exporter', instance: 'blackbox:9115' }),
    ]
    const nines = await emptySource()
    await collect(nines, samples, { days: 1 })
    const found = await foundIn(nines)
    expect(listed(found).toSorted()).toEqual([
      'probe probe_success: shop.example.com answers',
      'probe probe_success: shop.example.com/health answers',
      'up up: blackbox is up',
      'up up: blackbox_exporter is up',
    ])
    const { slo } = found.suggestions.find(({ kind }: Found) => kind === 'probe')
    expect((await nines.call('POST', '/api/v1/slos/preview', slo)).body).toMatchObject({
      problems: [],
      own: { sli: 100 },
    })
  }, 60_000)
})

/** Starts an exporter on a free port and returns its address once it answers. */
async function startExporter(command: string[]): Promise<string> {
  const held = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const address = `127.0.0.1:${held.port}`
  await held.stop(true)
  const child = Bun.spawn([...command, `--web.listen-address=${address}`], { stdout: 'ignore', stderr: 'ignore' })
  closeLater(async () => {
    child.kill()
    await child.exited
  })
  while (!(await fetch(`http://${address}/metrics`).catch(() => null))) await Bun.sleep(50)
  return `http://${address}`
}

async function samplesOf(url: string): Promise<Sample[]> {
  const { samples } = readExposition(await (await fetch(url)).text())
  return samples.filter(({ value }) => Number.isFinite(value))
}
