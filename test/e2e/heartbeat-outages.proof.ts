import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { acceptingHook } from '../support/accepting-hook.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { evaluateByTicks } from '../support/evaluate-by-ticks.ts'
import { shareWorkers } from '../support/shared-workers.ts'

let nines: TestApp
let path: string
const base = '/api/v1/embedded/heartbeats'

beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '60' }, workers: shareWorkers() })
  await nines.join('ada')
  const made = await nines.call('POST', base, { name: 'sync', period_seconds: 300, grace_seconds: 60 })
  path = new URL(made.body.ping_url).pathname
  await nines.call('POST', '/api/v1/slos', {
    name: 'Backups',
    target: 90,
    time_window: '30d',
    metric_type: 'availability',
    good_query: 'heartbeat_runs_good_total{job="sync"}',
    total_query: 'heartbeat_runs_total{job="sync"}',
  })
  await nines.call('POST', '/api/v1/notifications/channels', {
    name: 'hook',
    channel_type: 'webhook',
    configuration: { webhook_url: acceptingHook() },
  })
  const rule = { slo_id: 1, channel_id: 1, priority: 'high', alert_type: 'violation', notify: false }
  await nines.call('POST', '/api/v1/notifications/rules', rule)
  nines.app.collector.tick()
  await nines.app.collector.drain()
  for (let at = 0; at < 4; at += 1) {
    await minutes(5)
    await ping()
  }
})
afterEach(() => nines.close())

const missed = 'sync has not reported by 10:26 UTC; it was due at 10:25:00 UTC, and last succeeded at 10:20:00'
const ping = (action = '') => nines.call('GET', `${path}${action}`, undefined, { token: null })

/** Lets minutes pass, as the timetable does, with an evaluation of each. */
async function minutes(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    for (let second = 0; second < 60; second += 1) {
      nines.clock.advance(1000)
      await nines.app.heartbeats.tick()
    }
    await nines.app.evaluator.evaluateAll()
  }
}

/** Evaluates what a change made due, one second after it. */
async function evaluatedAfterChange(): Promise<void> {
  nines.clock.advance(1000)
  await evaluateByTicks(nines)
}

const incident = async () => (await nines.call('GET', '/api/v1/incidents?state=all')).body.incidents[0]
const state = async () => (await nines.call('GET', '/api/v1/slos/1/budget')).body
const sent = async () =>
  (await nines.app.db.read.selectFrom('notifications').select('subject').orderBy('id').execute()).map(
    ({ subject }) => subject,
  )

describe('a heartbeat that stops while its run is missed', () => {
  test.each([
    ['deleted', () => nines.call('DELETE', `${base}/1`), 'sync was deleted'],
    ['paused', () => nines.call('PUT', `${base}/1`, { is_active: false }), 'sync is paused'],
    [
      'given another label',
      () => nines.call('PUT', `${base}/1`, { labels: { job: 'x' } }),
      'sync has other labels now',
    ],
  ])('because it was %s ends the outage, with that reason, and nothing is known of its SLO', async (_, stop, why) => {
    await minutes(9)
    expect((await state()).state).toBe('down')
    await stop()
    await evaluatedAfterChange()
    expect(await state()).toMatchObject({ state: 'unknown', state_reason: why })
    const closed = await incident()
    expect(closed).toMatchObject({ state: 'closed', close_reason: 'not_evaluated' })
    expect(closed.reason).toBe(`${missed}; ${why}`)
    expect((await sent()).at(-1)).toBe(`Backups was down for 3 min, and is not known to be up: ${why}`)
    await minutes(20)
    expect((await state()).state).toBe('unknown')
    const alerts = await nines.app.db.read.selectFrom('alerts').select('name').where('ended_at', 'is', null).execute()
    expect([alerts, (await sent()).length]).toEqual([[], 2])
  })
})

test('the message of a missed run says in seconds when it was due, and when the job last succeeded', async () => {
  await minutes(9)
  const [{ subject, message } = {}] = await nines.app.db.read
    .selectFrom('notifications')
    .select(['subject', 'message'])
    .execute()
  expect(subject).toBe('Backups is down since 10:26:00 UTC: sync has not reported by 10:26 UTC')
  expect(message).toStartWith('It was due at 10:25:00 UTC, and last succeeded at 10:20:00.\n')
})

describe('the message of the end of a missed run', () => {
  beforeEach(() => nines.app.backfills.run()) // then the age of the SLO is known

  const end = async () => {
    await ping()
    await evaluatedAfterChange()
    const rows = await nines.app.db.read.selectFrom('notifications').select(['subject', 'message']).execute()
    return rows.find(({ subject }) => subject.includes('is up again'))?.message.split('\n')[0]
  }

  test('says what the run cost', async () => {
    await minutes(9)
    expect(await end()).toBe('This outage used 0.1 % of the 30 d budget.')
  })

  test('says nothing of its cost while the run is not in the ledger yet', async () => {
    await minutes(6)
    nines.clock.advance(1000)
    await nines.app.heartbeats.tick()
    await evaluatedAfterChange()
    expect(await end()).toBe('At 2026-11-21 10:26 UTC.')
  })
})

describe('a run that fails and is followed by a good one before it was evaluated', () => {
  const opened = 'Backups is down since 10:20:01 UTC: sync reported exit code 3'

  test('is an outage, which then ends', async () => {
    nines.clock.advance(1000)
    await ping('/3')
    await ping()
    await evaluatedAfterChange()
    await evaluatedAfterChange()
    expect((await state()).state).toBe('recovering')
    expect(await sent()).toEqual([opened, 'Backups is up again after 0 s'])
    expect(await incident()).toMatchObject({
      began_at: '2026-11-21T10:20:01.000Z',
      recovered_at: '2026-11-21T10:20:01.000Z',
    })
  })

  test('is no outage of an SLO that is evaluated a minute later', async () => {
    nines.clock.advance(1000)
    await ping('/3')
    await ping()
    for (let second = 0; second < 61; second += 1) {
      nines.clock.advance(1000)
      await nines.app.heartbeats.tick()
    }
    await evaluatedAfterChange()
    expect(await sent()).toEqual([])
  })
})

test('the reason of an outage is that of the newest report, in its alert, its incident and the state', async () => {
  await minutes(9)
  expect((await incident()).reason).toBe(missed)
  await ping('/3')
  await evaluatedAfterChange()
  const reason = 'sync reported exit code 3'
  expect(await state()).toMatchObject({ state: 'down', state_reason: reason })
  expect(await incident()).toMatchObject({ state: 'down', reason })
  const [alert] = await nines.app.db.read.selectFrom('alerts').select('reason').where('name', '=', 'down').execute()
  expect(alert?.reason).toBe(reason)
})

test('the checks of an SLO are the decided runs of its heartbeat, newest first, until it stops', async () => {
  await minutes(7)
  nines.clock.advance(1000)
  await ping('/start')
  nines.clock.advance(1000)
  await ping('/3')
  const { body } = await nines.call('GET', '/api/v1/slos/1/checks')
  expect(body.checks).toHaveLength(6)
  expect(body.checks.slice(0, 3)).toMatchObject([
    { probe: 'sync', ok: false, duration_ms: 1000, error: 'sync reported exit code 3' },
    { probe: 'sync', ok: false, duration_ms: null, error: 'sync has not reported by 10:26 UTC' },
    { probe: 'sync', ok: true, duration_ms: null, error: null },
  ])
  expect(Date.parse(body.next_at)).toBeGreaterThan(nines.clock.now())
  await nines.call('PUT', `${base}/1`, { is_active: false })
  expect((await nines.call('GET', '/api/v1/slos/1/checks')).body).toMatchObject({ checks: [], next_at: null })
})

test('a heartbeat names the SLOs that read it, with their open incidents', async () => {
  const read = async () => (await nines.call('GET', `${base}/1/slos`)).body
  await nines.call('POST', '/api/v1/slos', {
    name: 'Another job',
    target: 90,
    time_window: '30d',
    metric_type: 'availability',
    good_query: 'heartbeat_runs_good_total{job="other"}',
    total_query: 'heartbeat_runs_total{job="other"}',
    force: true,
  })
  expect(await read()).toEqual({ slos: [{ id: 1, name: 'Backups', reads_others: false, incident_id: null }], total: 1 })
  await minutes(9)
  const { id } = await incident()
  expect((await read()).slos).toEqual([{ id: 1, name: 'Backups', reads_others: false, incident_id: id }])
})

test('the preview of a heartbeat that waits says so, and warns of nothing', async () => {
  await nines.call('POST', base, { name: 'nightly', cron: '30 2 * * *' })
  const definition = {
    name: 'Nightly',
    target: 90,
    time_window: '30d',
    metric_type: 'availability',
    good_query: 'heartbeat_runs_good_total{job="nightly"}',
    total_query: 'heartbeat_runs_total{job="nightly"}',
  }
  const preview = async (job = 'nightly') => {
    const [good_query, total_query] = [definition.good_query, definition.total_query].map((query) =>
      query.replace('nightly', job),
    )
    return (await nines.call('POST', '/api/v1/slos/preview', { ...definition, good_query, total_query })).body
  }
  const status_message = 'There is nothing yet: nightly waits for its first report, and counts runs from then on.'
  expect(await preview()).toMatchObject({
    problems: [],
    warnings: [],
    own: { status_reason: 'no_data', status_message },
  })
  await minutes(2)
  expect(await preview()).toMatchObject({
    problems: [],
    warnings: [],
    own: { status_reason: 'no_traffic', status_message },
  })
  expect(await preview('sync')).toMatchObject({ warnings: [], own: { sli: 100, status_message: null } })
  expect((await preview('misspelt')).problems).not.toEqual([])
})
