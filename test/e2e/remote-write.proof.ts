import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../attacks/world.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { describeOnNewer, newer } from '../support/newer-components.ts'
import { encodeLabels, type RemoteSample, remoteWrite } from '../support/remote-write.ts'
import { seeded } from '../support/seeded.ts'
import { countSentRequests } from '../support/sent-shop.ts'

const stepMs = 15_000
const steps = 28 // seven minutes, because a Prometheus and nines take samples of the next ten
const senders = [
  ['Prometheus 2.42', 'prometheus', ''],
  ['Prometheus 3.5', newer.prometheus, ''],
  ['Prometheus 3.5 by remote write 2.0', newer.prometheus, 'io.prometheus.write.v2.Request'],
] as const

/** Starts a Prometheus that takes samples, and sends them to a URL at once. Gives its own URL. */
async function startSender(program: string, url: string, token: string, message: string): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'nines-sender-'))
  mkdirSync(join(dir, 'data'))
  const queue = 'queue_config: {batch_send_deadline: 200ms, min_backoff: 30ms, max_backoff: 200ms}'
  const type = message === '' ? '' : `\n  protobuf_message: ${message}`
  const config = `remote_write:\n- url: ${url}\n  authorization: {credentials: ${token}}\n  ${queue}${type}\n`
  await Bun.write(join(dir, 'prometheus.yml'), config)
  const free = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = free
  await free.stop(true)
  const flags = [`--web.listen-address=127.0.0.1:${port}`, '--web.enable-remote-write-receiver', '--log.level=warn']
  const files = [`--config.file=${join(dir, 'prometheus.yml')}`, `--storage.tsdb.path=${join(dir, 'data')}`]
  const child = Bun.spawn([program, ...files, ...flags], { stdout: 'ignore', stderr: 'inherit' })
  closeLater(async () => {
    child.kill('SIGKILL')
    await child.exited
  })
  const own = `http://127.0.0.1:${port}`
  const ready = () => fetch(`${own}/-/ready`).catch(() => undefined)
  return eventually(20, async () => ((await ready())?.ok ? own : undefined))
}

type Generated = { samples: RemoteSample[]; good: number; total: number }

/** Requests of two instances by code, one of which begins again at 0 halfway. */
function generate(startMs: number): Generated {
  const random = seeded(31)
  const samples: RemoteSample[] = []
  let [good, total] = [0, 0]
  for (const [instance, code] of [
    ['a', '200'],
    ['a', '500'],
    ['b', '200'],
    ['b', '503'],
  ] as const) {
    const labels = encodeLabels({ __name__: 'http_requests_total', code, instance, job: 'shop' })
    let value = 1000
    for (let step = 0; step <= steps; step += 1) {
      const isQuiet = step <= 4 || step > steps - 4 // nothing is extrapolated where samples begin and end
      const more = isQuiet ? 0 : Math.floor(random() * (code === '200' ? 1000 : 20))
      if (instance === 'b' && step === steps / 2) value = more
      else if (step > 0) value += more
      if (step > 0) total += more
      if (step > 0 && code === '200') good += more
      samples.push({ labels, atMs: startMs + step * stepMs, value })
    }
  }
  return { samples: samples.toSorted((one, other) => one.atMs - other.atMs), good, total }
}

/** Value of an instant query of the embedded source. */
async function ask(nines: TestApp, query: string): Promise<number | undefined> {
  const path = `/api/v1/embedded/prometheus/api/v1/query?query=${encodeURIComponent(query)}&time=${nines.clock.now() / 1000}`
  const { body } = await nines.call('GET', path)
  return body.data.result[0] && Number(body.data.result[0].value[1])
}

describeOnNewer('remote write of a real Prometheus', () => {
  afterAll(closeAll)

  test.each(senders)(
    '%s feeds an SLO whose events are those that were generated',
    async (_, program, message) => {
      const nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: Date.now() })
      closeLater(nines.close)
      await nines.join('ada')
      const agent = { name: 'prometheus', role: 'admin', scope: 'ingest' }
      const { token } = (await nines.call('POST', '/api/v1/auth/tokens', agent)).body
      const url = `${nines.listen()}/embedded/prometheus/api/v1/write`
      const prometheus = await startSender(program, url, token, message)
      const startMs = Math.ceil(Date.now() / 60_000) * 60_000 // a Prometheus sends what came after its start
      const { samples, good, total } = generate(startMs)
      nines.clock.jump(Date.now() - nines.clock.now())
      for (let at = 0; at < samples.length; at += 40) await remoteWrite(prometheus, samples.slice(at, at + 40))
      const endMs = startMs + steps * stepMs
      nines.clock.jump(endMs + 1000 - nines.clock.now())
      await eventually(20, async () =>
        (await ask(nines, 'sum(count_over_time(http_requests_total[10m]))')) === samples.length ? true : undefined,
      )
      expect(await countSentRequests(nines)).toEqual({ good, total })
      const { body } = await nines.call('GET', '/api/v1/slos/1/budget')
      const share = (body.events.total - body.events.good) / body.events.total // of the window, at whose ends is extrapolated
      expect(share).toBeCloseTo((total - good) / total, 2)
    },
    120_000,
  )
})
