import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closeAll, closeLater } from '../support/closing.ts'
import { readExposition, type Sample } from '../support/exposition.ts'
import { cleanUpAtTheEnd, describeOnBed, runKit } from '../support/kit.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

const timeoutMs = 60_000
const metricsToken = 'sesame'
const names = ['Checkout', 'He said "99.9 %" \\ and {left}, 日本']

type Found = { metric: Record<string, string>; value: [number, string] }
type Target = { health: string; lastError: string }

describeOnBed('a real Prometheus that scrapes nines, which measures by it', () => {
  let nines: Nines
  let prometheus: string
  let stop = async () => {}

  const text = async () =>
    (await fetch(`${nines.url}/metrics`, { headers: { authorization: `Bearer ${metricsToken}` } })).text()
  const ask = async <T>(path: string): Promise<T> =>
    JSON.parse(await (await fetch(`${prometheus}/api/v1/${path}`)).text()).data
  const query = async (expression: string): Promise<Found[]> =>
    (await ask<{ result: Found[] }>(`query?query=${encodeURIComponent(expression)}`)).result

  beforeAll(async () => {
    const outgoing = startReceiver(() => new Response(null, { status: 204 }))
    closeLater(() => outgoing.close())
    const env = { EVALUATION_INTERVAL: '10', METRICS_TOKEN: metricsToken, REMOTE_WRITE_URL: `${outgoing.url}/write` }
    nines = await startNines({ dataDir: newFolder(), env })
    const dir = mkdtempSync(join(tmpdir(), 'nines-metrics-'))
    stop = cleanUpAtTheEnd(dir)
    const scraped = ['--scrape', new URL(nines.url).host, '--scrape-interval', '1s', '--scrape-token', metricsToken]
    prometheus = JSON.parse(await runKit('start-prometheus.sh', '--dir', join(dir, 'prometheus'), ...scraped)).url
    await happen(nines, prometheus)
    const all = [
      ...names.map((name) => `slo_burn_rate{slo_name=${JSON.stringify(name)},window="5m"}`),
      'nines_deliveries_total{outcome="delivered"}',
      'websocket_connections == 1',
      'nines_backfills{status="done"} == 2',
      'nines_event_loop_lag_seconds_count > 5',
    ]
    const deadline = Date.now() + timeoutMs
    for (const one of all) {
      while ((await query(one)).length === 0) {
        if (Date.now() > deadline) throw new Error(`not seen: ${one}\n${await text()}`)
        await Bun.sleep(200)
      }
    }
  }, 90_000)

  afterAll(async () => {
    closeAll()
    await stop()
  })

  test('takes all of it', async () => {
    const { activeTargets } = await ask<{ activeTargets: Target[] }>('targets')
    expect(activeTargets).toMatchObject([{ health: 'up', lastError: '' }])
  })

  test('answers queries over every series', async () => {
    const samples = await samplesOfAllFamilies()
    const deadline = Date.now() + timeoutMs
    const empty = new Set(samples.map((sample) => sample.name))
    while (empty.size > 0 && Date.now() < deadline) {
      for (const name of empty) {
        // the last scrape may be older than the samples, or newer and without a value that is not known any more
        if ((await query(`last_over_time({__name__="${name}"}[5m])`)).length > 0) empty.delete(name)
      }
    }
    expect([...empty]).toEqual([])
  }, 90_000)

  /** Samples of a moment in which each family has one: a burn rate is not known at each evaluation of a busy machine. */
  async function samplesOfAllFamilies(): Promise<Sample[]> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      const { samples, types } = readExposition(await text())
      const silent = [...types.keys()].filter(
        (family) => !samples.some(({ name }) => name.replace(family, '').match(/^(_bucket|_sum|_count)?$/)),
      )
      if (silent.length === 0) return samples
      if (Date.now() > deadline) throw new Error(`without samples: ${silent.join(', ')}`)
      await Bun.sleep(200)
    }
  }

  test('has the series of SLOs with the labels and values that nines gave them', async () => {
    const { samples } = readExposition(await text())
    const stable = [
      'slo_status',
      'slo_sli_ratio',
      'slo_error_budget_remaining_ratio',
      'slo_target_ratio',
      'slo_labels_info',
    ]
    for (const name of stable) {
      const wanted = samples.filter((sample) => sample.name === name)
      const found = (await query(name)).map(({ metric, value }): Sample => {
        const ours = Object.entries(metric).filter(([label]) => !['__name__', 'instance', 'job'].includes(label))
        return { name, labels: Object.fromEntries(ours), value: Number(value[1]) }
      })
      // Prometheus may have scraped before the last evaluation, whose sums end in other digits.
      const close = wanted.map((sample) => ({ ...sample, value: expect.closeTo(sample.value, 9) }))
      expect<object[]>(found.toSorted(byLabels)).toEqual(close.toSorted(byLabels))
      expect(new Set(wanted.map(({ labels }) => labels['slo_name']))).toEqual(new Set(names))
    }
  })

  test('keeps its own up apart from ours', async () => {
    const values = async (expression: string) => (await query(expression)).map(({ value }) => value[1])
    expect(await values('up{service="nines"}')).toEqual(['1'])
    expect(await values('up{service=""}')).toEqual(['1'])
  })

  test('has a linter that finds nothing', async () => {
    const promtool = Bun.spawn(['promtool', 'check', 'metrics'], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
    promtool.stdin.write(await text())
    await promtool.stdin.end()
    const said = await Promise.all([new Response(promtool.stdout).text(), new Response(promtool.stderr).text()])
    expect([await promtool.exited, ...said]).toEqual([0, '', ''])
  })
})

/** Creates something for every metric family. */
async function happen(nines: Nines, sourceUrl: string): Promise<void> {
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const answer = await nines.call('POST', `/api/v1${path}`, body, token)
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  await post('/tsdb/sources', { name: 'prometheus', api_url: sourceUrl })
  const slo = { target: 99.9, time_window: '1h', metric_type: 'availability', metric_query: 'vector(0.9995)' }
  const labels = { 'team-name': 'payments' }
  const made = []
  for (const name of names) made.push(await post('/slos', { ...slo, name, labels }))
  const receiver = startReceiver(() => new Response('ok'))
  closeLater(() => void receiver.close())
  const configuration = { webhook_url: receiver.url, format: 'nines' }
  const channel = await post('/notifications/channels', { name: 'hook', channel_type: 'webhook', configuration })
  const rule = { slo_id: made[0].id, channel_id: channel.data.id, alert_type: 'violation', subject: 's', message: 'm' }
  await post('/notifications/rules', rule)
  await post('/cache/entry', { key: 'k', query: 'up', slo_id: 1, time_window: '1h', result: 1 })
  const socket = new WebSocket(`${nines.url.replace('http', 'ws')}/api/v1/ws/subscribe?token=${token}`)
  closeLater(() => socket.close())
}

function byLabels(one: Sample, other: Sample): number {
  const key = ({ labels }: Sample) => JSON.stringify(Object.entries(labels).toSorted())
  return key(one) < key(other) ? -1 : 1
}
