import { afterEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../support/closing.ts'
import { newFolder, type Nines, register, startNines } from '../support/process.ts'
import { startReceiver } from '../support/receiver.ts'

afterEach(closeAll)

const intervalSeconds = 10
const kinds = ['violation', 'warning', 'recovery', 'burn_rate_too_fast', 'error_budget_low', 'error_budget_exhausted']

/** A site that is probed, its SLO, and a receiver that is notified of everything about it. */
async function outageWorld() {
  const world = { isUp: true, heard: [] as { subject: string; key: string }[] }
  const site = startReceiver(() => new Response('welcome', { status: world.isUp ? 200 : 503 }))
  const receiver = startReceiver(({ json, headers }) => {
    const key = headers.get('idempotency-key') ?? ''
    const isRepeated = world.heard.some((one) => one.key === key) // a kill may come before the outcome is stored
    if (json.event !== 'message' && !isRepeated) world.heard.push({ subject: json.subject, key })
    return new Response('ok')
  })
  closeLater(site.close)
  closeLater(receiver.close)
  const dataDir = newFolder()
  const start = () => startNines({ dataDir, env: { SOURCE_URL: 'embedded' } })
  const nines = await start()
  const token = await register(nines, 'ada')
  const post = async (path: string, body: object) => {
    const answer = await nines.call('POST', `/api/v1${path}`, body, token)
    if (answer.status > 201) throw new Error(`${path}: ${answer.text}`)
    return answer.body
  }
  await post('/embedded/probes', {
    name: 'site',
    type: 'http',
    target: `${site.url}/`,
    interval_seconds: intervalSeconds,
  })
  const { id } = await post('/slos', {
    name: 'My site',
    target: 99.9,
    time_window: '30d',
    metric_type: 'availability',
    metric_query: 'probe_success{job="site"}',
  })
  const configuration = { webhook_url: receiver.url }
  await post('/notifications/channels', { name: 'hook', channel_type: 'webhook', configuration })
  for (const alert_type of kinds) {
    await post('/notifications/rules', { slo_id: id, channel_id: 1, priority: 'high', alert_type, notify: false })
  }
  return Object.assign(world, { nines, token, start })
}

/** Seconds until something holds; throws after `maxSeconds`. */
async function secondsUntil(maxSeconds: number, holds: () => boolean | Promise<boolean>): Promise<number> {
  const beganMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - beganMs > maxSeconds * 1000) throw new Error(`not within ${maxSeconds} s`)
    await Bun.sleep(100)
  }
  return (performance.now() - beganMs) / 1000
}

async function isProbedGood(nines: Nines, token: string): Promise<boolean> {
  const { body } = await nines.call('GET', '/api/v1/embedded/probes/1', undefined, token)
  return body.health.recent.filter(({ ok }: { ok: boolean }) => ok).length >= 2
}

describe('an outage of a probed address', () => {
  test('is notified within an interval and 20 s, its end within two intervals and 5 s, each once over a SIGKILL', async () => {
    const world = await outageWorld()
    await secondsUntil(60, () => isProbedGood(world.nines, world.token))
    world.isUp = false
    const down = await secondsUntil(90, () => world.heard.length > 0)
    expect(down).toBeLessThan(intervalSeconds + 20 + busySeconds)
    expect(world.heard[0]?.subject).toMatch(/^My site is down since \d\d:\d\d:\d\d UTC: HTTP 503, expected 2xx$/)
    world.nines.kill('SIGKILL')
    await world.nines.exited
    const next = await world.start()
    await secondsUntil(60, async () => {
      const { body } = await next.call('GET', '/api/v1/embedded/probes/1', undefined, world.token)
      return body.health.down_since !== null
    })
    expect(world.heard).toHaveLength(1)
    world.isUp = true
    const up = await secondsUntil(90, () => world.heard.length > 1)
    expect(up).toBeLessThan(2 * intervalSeconds + 5 + busySeconds)
    expect(world.heard[1]?.subject).toMatch(/^My site is up again after [\d ]+(s|min)( \d+ s)?$/)
    await Bun.sleep(20_000) // nothing follows
    expect(world.heard.map(({ subject }) => subject.slice(0, 15))).toEqual(['My site is down', 'My site is up a'])
  }, 300_000)
})

const busySeconds = 5
