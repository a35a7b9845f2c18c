import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { queueNotifications } from '../../src/notifications/outbox-store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { type FaultySource, faultySource } from '../support/faulty-source.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { aDraft } from '../support/messages.ts'
import { checkout } from '../support/slo-calls.ts'

const minuteMs = 60_000

let source: FaultySource
let switchboard: Receiver
let nines: TestApp
beforeEach(async () => {
  source = faultySource('empty')
  switchboard = startReceiver(() => new Response('OK'))
  const env = { SOURCE_URL: source.url, SOURCE_TIMEOUT: '1', HEARTBEAT_URL: `${switchboard.url}/ping/s3cret?x=1` }
  nines = await testApp({ env })
  await nines.join('ada')
})
afterEach(async () => {
  await closeAll()
  await nines.close()
  await switchboard.close()
  source.close()
})

const healthNames = async () => {
  const { body } = await nines.call('GET', '/api/v1/health', undefined, { token: null })
  const names = body.conditions.map(({ name }: { name: string }) => name)
  expect(body.status === 'ok').toBe(names.length === 0 && body.services.notifications)
  return names
}

/** Advances time as the timetable does; `each` runs every minute. */
async function minutes(count: number, each: () => Promise<unknown> = async () => {}, of: TestApp = nines) {
  for (let second = 0; second < count * 60; second += 20) {
    of.clock.advance(20_000)
    if (second % 60 === 0) await each()
    await of.app.selfMonitoring.watch()
  }
}

test('evaluation that stands still is a condition after three minutes, and no longer once it goes on', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  await minutes(2)
  expect(await healthNames()).toEqual([])
  await minutes(1)
  expect(await healthNames()).toEqual(['evaluation_stalled'])
  const { text } = await nines.call('GET', '/metrics', undefined, { token: null })
  expect(text).toContain('nines_condition{condition="evaluation_stalled"} 1')
  await nines.app.evaluator.evaluateAll()
  await minutes(1)
  expect(await healthNames()).toEqual([])
})

test('a clock that is set back by an hour hides no evaluation that stands still', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  nines.clock.jump(-60 * minuteMs)
  await minutes(3)
  expect(await healthNames()).toEqual(['evaluation_stalled'])
})

test('without SLOs nothing stands still', async () => {
  await minutes(10)
  expect(await healthNames()).toEqual([])
})

test('a source that gives no answer for five minutes is a condition that names nothing of it', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  await nines.app.evaluator.evaluateAll()
  source.order('reset')
  await minutes(6, nines.app.evaluator.evaluateAll)
  const { body } = await nines.call('GET', '/api/v1/health', undefined, { token: null })
  expect(body.conditions).toMatchObject([
    {
      name: 'source_silent',
      message: '1 of 1 metrics sources that SLOs use gave no answer for 5 minutes or longer',
    },
  ])
  source.order('empty')
  await minutes(1, nines.app.evaluator.evaluateAll)
  expect(await healthNames()).toEqual([])
})

test('a scrape that fails for five minutes is a condition, a probe that finds its target down is none', async () => {
  const target = { name: 'gone', url: 'http://127.0.0.1:9/metrics', interval_seconds: 60 }
  const made = await nines.call('POST', '/api/v1/embedded/targets', target)
  const other = await nines.call('POST', '/api/v1/embedded/targets', { ...target, name: 'away' })
  const probe = { name: 'down', type: 'tcp', target: '127.0.0.1:9', interval_seconds: 60 }
  await nines.call('POST', '/api/v1/embedded/probes', probe)
  expect(made.status).toBe(201)
  const collect = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      nines.clock.advance(1000)
      nines.app.collector.tick()
      await nines.app.collector.drain()
      if (second % 5 === 0) await nines.app.selfMonitoring.watch()
    }
  }
  await collect(240)
  expect(nines.app.conditions.list()).toEqual([])
  await collect(180)
  const { body } = await nines.call('GET', '/api/v1/health', undefined, { token: null })
  const message = '2 of 3 scrape targets and probes have failed again and again for five minutes'
  expect(body.conditions).toMatchObject([{ name: 'scrapes_failing', message }])
  const alerts = await nines.call('GET', '/api/v1/notifications/alerts')
  expect(alerts.body.alerts).toMatchObject([{ kind: 'condition', reason: `${message}: gone, and 1 more` }])
  await nines.call('DELETE', `/api/v1/embedded/targets/${other.body.id}`)
  await nines.call('DELETE', `/api/v1/embedded/targets/${made.body.id}`)
  await collect(120)
  expect(nines.app.conditions.list()).toEqual([])
})

async function queueOne() {
  await nines.call('POST', '/api/v1/slos', checkout)
  const configuration = { webhook_url: switchboard.url }
  const channel = { name: 'hook', channel_type: 'webhook', configuration }
  await nines.call('POST', '/api/v1/notifications/channels', channel)
  await queueNotifications(nines.app.db.write, [aDraft()], nines.clock.now())
}

test('notifications that are due and not tried for five minutes are a condition', async () => {
  await queueOne()
  await minutes(4) // an evaluation would deliver it
  expect(await healthNames()).not.toContain('outbox_delayed')
  await minutes(2)
  expect(await healthNames()).toContain('outbox_delayed')
  await nines.app.delivery.run()
  await minutes(1)
  expect(await healthNames()).not.toContain('outbox_delayed')
})

test('notifications do not wait while nines is down: they are delayed five minutes after its start, if not tried', async () => {
  await queueOne()
  await nines.app.close()
  const again = await testApp({ dataDir: nines.dataDir, startMs: nines.clock.now() + 10 * minuteMs })
  closeLater(again.close)
  const isDelayed = () => again.app.conditions.list().some(({ name }) => name === 'outbox_delayed')
  await again.app.selfMonitoring.watch()
  expect([isDelayed(), again.app.conditions.isKnown('outbox_delayed')]).toEqual([false, false])
  await minutes(4, undefined, again)
  expect(isDelayed()).toBe(false)
  await minutes(2, undefined, again)
  expect(isDelayed()).toBe(true)
})

test('notifications do not wait while the machine sleeps or the process is halted', async () => {
  await queueOne()
  await minutes(1)
  nines.clock.advance(20 * minuteMs)
  await minutes(4)
  expect(await healthNames()).not.toContain('outbox_delayed')
  await minutes(2)
  expect(await healthNames()).toContain('outbox_delayed')
})

test('retries of a receiver that fails are a condition after an hour only', async () => {
  await nines.call('POST', '/api/v1/slos', checkout)
  const channel = { name: 'hook', channel_type: 'webhook', configuration: { webhook_url: 'http://127.0.0.1:9/' } }
  await nines.call('POST', '/api/v1/notifications/channels', channel)
  const message = { slo_id: 1, channel_id: 1, alert_type: 'manual', subject: 'x', message: 'y', max_retries: 100 }
  await nines.call('POST', '/api/v1/notifications/rules', message)
  const each = async () => {
    await nines.app.evaluator.evaluateAll()
    await nines.app.delivery.run()
  }
  await minutes(59, each)
  expect(await healthNames()).toEqual([])
  await minutes(2, each)
  expect(await healthNames()).toEqual(['outbox_delayed'])
})

test('the heartbeat is called while SLOs are evaluated and the database can be written to', async () => {
  const beats = async () => {
    await nines.app.selfMonitoring.beat()
    return switchboard.received.splice(0).map(({ method, path }) => `${method} ${path}`)
  }
  expect(await beats()).toEqual(['GET /ping/s3cret?x=1']) // nothing to evaluate
  await nines.call('POST', '/api/v1/slos', checkout)
  expect(await beats()).toEqual([]) // now there is an SLO
  await nines.app.evaluator.evaluateAll()
  expect(await beats()).toHaveLength(1)
  await minutes(3)
  expect(await beats()).toEqual([])
  await nines.app.evaluator.evaluateAll()
  expect(await beats()).toHaveLength(1)
  await sql`pragma query_only = on`.execute(nines.app.db.write)
  nines.clock.advance(1000)
  expect(await beats()).toEqual([])
})

test('a heartbeat that fails is logged without its URL', async () => {
  switchboard.next(() => new Response('gone', { status: 410 }))
  await nines.app.selfMonitoring.beat()
  await switchboard.close()
  await nines.app.selfMonitoring.beat()
  const failures = nines.logged
    .filter((line) => line.includes('heartbeat failed'))
    .map((line) => JSON.parse(line).error)
  expect(failures).toEqual(['the receiver answered 410', 'connection refused'])
  expect(nines.logged.join('')).not.toContain('s3cret')
})

test.each([
  ['open', []],
  ['invite', ['source_silent']],
])(
  'with REGISTRATION=%s a silent source of another organization than the first gives %j',
  async (registration, names) => {
    const env = { SOURCE_URL: source.url, SOURCE_TIMEOUT: '1' }
    const other = await testApp({ env })
    const mallory = (await other.join('ada')) && (await other.join('mallory'))
    await other.call('POST', '/api/v1/slos', checkout, { token: mallory })
    source.order('reset')
    await other.app.close()
    const again = await testApp({ env: { ...env, REGISTRATION: registration }, dataDir: other.dataDir })
    await minutes(7, again.app.evaluator.evaluateAll, again)
    const found = again.app.conditions.list().map(({ name }) => String(name))
    await again.close()
    expect(found).toEqual(names)
  },
)
