import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { hourMs, minuteMs } from '../../../src/clock.ts'
import { acceptingHook } from '../../support/accepting-hook.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { evaluateByTicks } from '../../support/evaluate-by-ticks.ts'
import { shareWorkers } from '../../support/shared-workers.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
const base = '/api/v1/embedded/heartbeats'
beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '3600' }, workers: shareWorkers() })
  await nines.join('ada')
})
afterEach(() => nines.close())

const nightly = { name: 'Nightly backup', cron: '30 2 * * *', time_zone: 'Europe/Zurich', grace_seconds: 600 }
const create = (body: object = nightly) => nines.call('POST', base, body)
const read = async (id = 1) => (await nines.call('GET', `${base}/${id}`)).body
const pathOf = ({ body }: Answer): string => new URL(body.ping_url).pathname
const anonymous = { token: null }
const ping = (path: string, method = 'GET') => nines.call(method, path, undefined, anonymous)

/** Lets time pass as the timetable does, a call a second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nines.clock.advance(1000)
    await nines.app.heartbeats.tick()
  }
}

/** Value of a series of the embedded source, now. */
async function valueOf(query: string): Promise<string | null> {
  const path = `/api/v1/embedded/prometheus/api/v1/query?query=${encodeURIComponent(query)}`
  const { body } = await nines.call('GET', `${path}&time=${nines.clock.now() / 1000}`)
  return body.data.result[0]?.value[1] ?? null
}

test('a heartbeat is created, reported to, read, paused, rotated and deleted', async () => {
  const created = await create()
  expect([created.status, created.body]).toEqual([
    201,
    {
      id: 1,
      organization_id: 1,
      slug: 'nightly-backup',
      ...nightly,
      period_seconds: null,
      labels: {},
      is_active: true,
      state: 'waiting',
      state_since: null,
      reason: null,
      is_running: false,
      next_due_at: null,
      deadline_at: null,
      runs: 0,
      good_runs: 0,
      last_success_at: null,
      last_duration_ms: null,
      ping_url: expect.stringMatching(/\/ping\/[0-9a-f-]{36}$/),
      created_at: expect.any(String),
      updated_at: expect.any(String),
    },
  ])
  const path = pathOf(created)
  expect((await ping(`${path}/start`)).text).toBe('OK')
  expect((await read()).is_running).toBe(true)
  nines.clock.advance(90_000)
  const done = await nines.call('POST', path, 'saved 3 files', anonymous)
  expect([done.status, done.text, done.headers.get('content-type')]).toEqual([200, 'OK', 'text/plain; charset=utf-8'])
  const after = await read()
  expect(after).toMatchObject({ state: 'up', runs: 1, good_runs: 1, last_duration_ms: 90_000, is_running: false })
  expect(after.next_due_at).toBe('2026-11-22T01:30:00.000Z')
  expect(after.deadline_at).toBe('2026-11-22T01:40:00.000Z')
  expect(after.last_runs[0]).toMatchObject({ outcome: 'good', report: 'success', duration_ms: 90_000 })
  expect(after.last_runs[0].message).toContain('saved 3 files')
  expect((await nines.call('PUT', `${base}/1`, { is_active: false })).body).toMatchObject({
    state: 'paused',
    next_due_at: null,
  })
  expect((await ping(`${path}/fail`)).text).toBe('OK')
  expect((await nines.call('PUT', `${base}/1`, { is_active: true })).body).toMatchObject({ state: 'up', runs: 1 })
  const rotated = await nines.call('POST', `${base}/1/rotate`)
  expect((await ping(path)).status).toBe(404)
  expect((await ping(pathOf(rotated))).status).toBe(200)
  expect((await nines.call('DELETE', `${base}/1`)).body).toEqual({ message: 'Heartbeat deleted' })
  expect((await ping(pathOf(rotated))).status).toBe(404)
})

test.each([
  [{ name: 'x' }, 'period_seconds: is required, or cron with time_zone'],
  [{ ...nightly, period_seconds: 60 }, 'cron: cannot be sent with period_seconds: a heartbeat has one schedule'],
  [{ ...nightly, cron: '0 0 30 2 *' }, 'cron: must name a time that comes, unlike 30 February'],
  [{ ...nightly, time_zone: 'Mars/Base' }, 'time_zone: must be the name of an IANA time zone, such as Europe/Zurich'],
  [{ ...nightly, slug: 'A b' }, 'slug: must be 1 to 100 of a to z, 0 to 9, - and _'],
  ...['* * * * * *', 'x', '2026-01-01T00:00:00', '61 * * * *'].map((cron): [object, string] => [
    { ...nightly, cron },
    'cron: must be a cron expression: minute, hour, day of month, month, day of week, such as 30 2 * * *',
  ]),
])('%j is refused', async (body, details) => {
  const answer = await create(body)
  expect([answer.status, rulesOf(answer.body)]).toEqual([400, details])
})

test('only administrators see the address, and other organizations nothing', async () => {
  await create()
  const token = await nines.join('eve')
  for (const path of [`${base}/1`, `${base}/1/rotate`]) {
    expect((await nines.call(path === `${base}/1` ? 'GET' : 'POST', path, undefined, { token })).status).toBe(404)
  }
  const { body } = await nines.call('POST', '/api/v1/auth/tokens', { name: 'reader', role: 'viewer' })
  const seen = (await nines.call('GET', base, undefined, { token: body.token })).body
  expect(seen).toMatchObject({ total: 1, ping_key_created_at: null })
  expect(seen.heartbeats[0].ping_url).toBeNull()
})

describe('addresses', () => {
  test.each([
    ['', 'good', null],
    ['/0', 'good', 0],
    ['/3', 'failed', 3],
    ['/255', 'failed', 255],
    ['/fail', 'failed', null],
  ])('%j decides a run as %s', async (action, outcome, exitCode) => {
    const path = pathOf(await create())
    expect((await ping(`${path}${action}`, 'HEAD')).status).toBe(200)
    expect((await read()).last_runs[0]).toMatchObject({ outcome, exit_code: exitCode })
  })

  test.each([
    ['/256', 404],
    ['/finish', 404],
    ['/start/now', 404],
    ['/start?rid=7', 400],
    ['?rid=7b5a8e3e-9a0e-4b53-8a3a-5c0f0f2a1c11', 200],
    ['/%2e%2e', 404],
  ])('%j gets %i', async (rest, status) => {
    const path = pathOf(await create())
    expect((await ping(`${path}${rest}`)).status).toBe(status)
  })

  test('a key and a slug are an address too, until two heartbeats have the slug or there is another key', async () => {
    await create()
    const { body } = await nines.call('POST', `${base}/key`)
    const url = new URL(body.url).pathname
    expect((await ping(`${url}nightly-backup/start`)).text).toBe('OK')
    expect((await ping(`${url}nightly-backup`)).text).toBe('OK')
    expect((await ping(`${url}other`)).text).toBe('not found')
    await create({ ...nightly, name: 'Second', slug: 'nightly-backup' })
    const ambiguous = await ping(`${url}nightly-backup`)
    expect([ambiguous.status, ambiguous.text]).toEqual([409, 'ambiguous slug'])
    await nines.call('POST', `${base}/key`)
    expect((await ping(`${url}nightly-backup`)).status).toBe(404)
  })

  test('runs that overlap are told apart by their ids', async () => {
    const path = pathOf(await create())
    const [one, other] = ['7b5a8e3e-9a0e-4b53-8a3a-5c0f0f2a1c11', '7b5a8e3e-9a0e-4b53-8a3a-5c0f0f2a1c22']
    await ping(`${path}/start?rid=${one}`)
    nines.clock.advance(minuteMs)
    await ping(`${path}/start?rid=${other}`)
    nines.clock.advance(minuteMs)
    await ping(`${path}?rid=${one}`)
    expect((await read()).last_duration_ms).toBe(2 * minuteMs)
  })

  test('of a body its first 10 kB are kept, of the last 50 reports', async () => {
    const path = pathOf(await create())
    for (let n = 0; n < 60; n += 1) await nines.call('POST', `${path}/log`, `${n} ${'é'.repeat(10_000)}`, anonymous)
    const { last_runs: runs } = await read()
    expect(runs).toHaveLength(50)
    expect(runs[0]).toMatchObject({ outcome: null, report: 'log' })
    expect(Buffer.byteLength(runs[0].message)).toBeLessThanOrEqual(10_003)
  })

  test('Uptime Kuma pushes to the same heartbeat', async () => {
    const token = pathOf(await create()).slice('/ping/'.length)
    const pushed = await ping(`/api/push/${token}?status=up&msg=fine&ping=42`)
    expect([pushed.status, pushed.body]).toEqual([200, { ok: true }])
    expect((await read()).last_runs[0]).toMatchObject({ outcome: 'good', message: 'fine', duration_ms: 42 })
    await ping(`/api/push/${token}?status=down&msg=broken&ping=`, 'POST')
    expect((await read()).state).toBe('up') // beside the schedule of the night
    const unknown = await ping('/api/push/none')
    expect([unknown.status, unknown.body]).toEqual([404, { ok: false, msg: 'not found' }])
  })

  test('another method is 405, and names those that are taken', async () => {
    const path = pathOf(await create())
    const refused = [await ping(path, 'PUT'), await ping(path, 'DELETE'), await ping('/api/push/none', 'OPTIONS')]
    expect(refused.map(({ status, headers }) => [status, headers.get('allow')])).toEqual([
      [405, 'GET, HEAD, POST'],
      [405, 'GET, HEAD, POST'],
      [405, 'DELETE, GET, HEAD, PATCH, POST, PUT'],
    ])
    expect((await read()).runs).toBe(0)
  })

  test('/metrics counts each answer by its status', async () => {
    await ping(pathOf(await create()))
    await ping('/ping/none')
    await ping('/api/push/none', 'POST')
    const { text } = await nines.call('GET', '/metrics', undefined, anonymous)
    const counted = text.split('\n').filter((line) => /^http_requests_total.*(?:ping|push)/.test(line))
    expect(counted.toSorted()).toEqual([
      'http_requests_total{method="GET",path="/ping/*",status="200"} 1',
      'http_requests_total{method="GET",path="/ping/*",status="404"} 1',
      'http_requests_total{method="POST",path="/api/push/*",status="404"} 1',
    ])
  })

  test('no address is logged', async () => {
    const path = pathOf(await create())
    await ping(`${path}/fail`)
    await ping(`${path}/x`)
    expect(nines.logged.join('\n')).not.toContain(path.slice('/ping/'.length))
  })
})

describe('series and SLOs', () => {
  const hourly = { name: 'sync', period_seconds: 3600, grace_seconds: 600 }

  test('counters begin with 0, are written each minute, and a missed run raises the total', async () => {
    const path = pathOf(await create(hourly))
    expect(await valueOf('heartbeat_runs_total')).toBe('0')
    nines.clock.advance(1000)
    await ping(path)
    expect(await valueOf('heartbeat_runs_good_total{job="sync"}')).toBe('1')
    await pass(600)
    expect(await valueOf('count_over_time(heartbeat_runs_total[10m])')).toBe('10')
    await pass(3605)
    expect((await read()).state).toBe('missed')
    const values = ['heartbeat_runs_total', 'heartbeat_runs_good_total', 'heartbeat_success'].map(valueOf)
    expect(await Promise.all(values)).toEqual(['2', '1', '0'])
  })

  test('a run that was due while nines was off is unknown', async () => {
    await ping(pathOf(await create(hourly)))
    await pass(60)
    nines.clock.advance(1.1 * hourMs)
    await pass(600)
    expect(await read()).toMatchObject({ state: 'unknown', runs: 1, good_runs: 1 })
    expect(await valueOf('heartbeat_success')).toBeNull()
  })

  test('a missed run is in the outbox within seconds of its deadline', async () => {
    const path = pathOf(await create({ ...nightly, cron: '0 12 * * *' }))
    await nines.call('POST', '/api/v1/slos', {
      name: 'Backups',
      target: 90,
      time_window: '30d',
      metric_type: 'availability',
      good_query: 'heartbeat_runs_good_total{job="Nightly backup"}',
      total_query: 'heartbeat_runs_total{job="Nightly backup"}',
    })
    await nines.call('POST', '/api/v1/notifications/channels', {
      name: 'hook',
      channel_type: 'webhook',
      configuration: { webhook_url: acceptingHook() },
    })
    await nines.call('POST', '/api/v1/notifications/rules', {
      slo_id: 1,
      channel_id: 1,
      priority: 'high',
      alert_type: 'violation',
      notify: false,
    })
    nines.app.collector.tick()
    await nines.app.collector.drain()
    await ping(path)
    await pass(1)
    await evaluateByTicks(nines)
    nines.clock.advance(Date.parse('2026-11-21T10:59:00Z') - nines.clock.now())
    await pass(1)
    nines.clock.advance(1)
    await pass(11 * 60 + 2)
    await evaluateByTicks(nines)
    const [sent] = await nines.app.db.read.selectFrom('notifications').select(['subject', 'message']).execute()
    expect(sent?.subject).toMatch(/^Backups is down since .*: Nightly backup has not reported by 12:10 Zurich time$/)
    expect(sent?.message).toMatch(/^It was due at 12:00:00 Zurich time, and last succeeded at \d\d:\d\d:\d\d\.\n/)
    expect(sent?.message).not.toContain('check')
  })
})

test('the address of a heartbeat that went with its organization is unknown from its next report on', async () => {
  const path = pathOf(await create())
  await pass(1)
  expect((await ping(path)).status).toBe(200)
  await nines.app.db.write.deleteFrom('heartbeats').execute()
  expect([(await ping(path)).status, (await ping(path)).status]).toEqual([404, 404])
  expect(nines.app.heartbeats.listOf(1)).toEqual([])
})

describe('the limits of addresses', () => {
  test('are for each heartbeat its own, and count nothing towards those of other requests', async () => {
    await nines.close()
    const env = { SOURCE_URL: 'embedded', INGEST_RATE_LIMIT: '2', RATE_LIMIT_PER_IP: '5' }
    nines = await testApp({ env, workers: shareWorkers() })
    await nines.join('ada')
    const [busy, other] = [pathOf(await create()), pathOf(await create({ ...nightly, name: 'Other' }))]
    const statuses = async (path: string, count: number) => {
      const found: number[] = []
      for (let n = 0; n < count; n += 1) found.push((await ping(path)).status)
      return found
    }
    expect(await statuses(busy, 3)).toEqual([200, 200, 429])
    expect((await ping(busy)).headers.get('retry-after')).toBe('30')
    expect(await statuses(other, 2)).toEqual([200, 200])
    expect((await read()).runs).toBe(1)
  })

  test('bound how many unknown addresses one network tries', async () => {
    await nines.close()
    nines = await testApp({ env: { SOURCE_URL: 'embedded', RATE_LIMIT_PER_IP: '3' }, workers: shareWorkers() })
    await nines.join('ada')
    const path = pathOf(await create())
    const tried: number[] = []
    for (let n = 0; n < 4; n += 1) tried.push((await ping(`/ping/${crypto.randomUUID()}`)).status)
    expect(tried).toEqual([404, 404, 404, 429])
    expect((await ping(path)).status).toBe(429)
    nines.clock.advance(minuteMs)
    expect((await ping(path)).status).toBe(200)
  })
})

test('a job that reports an exit code is failed with that reason, until it succeeds', async () => {
  const path = pathOf(await create({ name: 'sync', period_seconds: 3600 }))
  await ping(`${path}/3`)
  expect(await read()).toMatchObject({ state: 'failed', reason: 'sync reported exit code 3', runs: 1, good_runs: 0 })
  nines.clock.advance(hourMs)
  await ping(`${path}/0`)
  expect(await read()).toMatchObject({ state: 'up', runs: 2, good_runs: 1 })
})

test('a creation reads no heartbeat but the new one', async () => {
  await create()
  await nines.app.heartbeats.tick()
  await nines.app.db.write.updateTable('heartbeats').set({ due_at: nines.clock.now() }).execute()
  await create({ ...nightly, name: 'Weekly backup' })
  expect(nines.app.heartbeats.listOf(1)).toMatchObject([{ isWaiting: true }, { name: 'Weekly backup' }])
})
