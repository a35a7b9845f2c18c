import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importSamples } from '../../../src/embedded/import-samples.ts'
import { login } from '../../support/accounts.ts'
import { type TestApp, testApp } from '../../support/app.ts'

const minuteMs = 60_000
const startMs = Date.UTC(2026, 10, 30, 6) // a Monday; the month ends that night in UTC
const firstMs = startMs - 3 * 1440 * minuteMs
const hour = 60

/** A site of which a check of each minute fails for the last two hours before the start, and requests alike. */
const isFailing = (n: number) => n >= 3 * 1440 - 2 * hour && n < 3 * 1440 + 4 * hour

let nines: TestApp
let id = 0
let importedUntil = 0

/** Imports the samples up to a minute since the first: a source takes none of the future. */
async function importUntil(end: number) {
  const minutes = Array.from({ length: end - importedUntil }, (_, at) => importedUntil + at)
  importedUntil = end
  const lines = minutes.map((n) => `up ${isFailing(n) ? 0 : 1} ${firstMs / 1000 + 60 * n + 7}\n`)
  const { app } = nines
  const chunks = new Blob(['# TYPE up gauge\n', ...lines, '# EOF\n']).stream()
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs: 40 * 1440 * minuteMs })
}

beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: startMs + 5000 })
  await nines.join('ada')
  await importUntil(3 * 1440)
  const window = { time_window: 'month', time_zone: 'UTC' }
  const slo = { name: 'Site', target: 99, metric_type: 'availability', metric_query: 'up', ...window }
  id = (await nines.call('POST', '/api/v1/slos', slo)).body.id
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
}, 60_000)
afterAll(() => nines?.close())

const iso = (sinceStartMinutes: number) => new Date(startMs + sinceStartMinutes * minuteMs).toISOString()
const make = (sent: object) =>
  nines.call('POST', '/api/v1/corrections', { slo_ids: [id], category: 'planned_maintenance', ...sent })
const budget = async () => (await nines.call('GET', `/api/v1/slos/${id}/budget`)).body
const alerts = async (state: string) =>
  (await nines.call('GET', `/api/v1/notifications/alerts?state=${state}&slo_id=${id}`)).body.alerts

async function goTo(sinceStartMinutes: number) {
  nines.clock.advance(startMs + sinceStartMinutes * minuteMs + 5000 - nines.clock.now())
  await importUntil(3 * 1440 + sinceStartMinutes)
  await nines.app.evaluator.evaluateAll()
}

test.each([
  [{ slo_ids: undefined }, 'slo_ids: send exactly one of slo_ids, team_id and labels'],
  [{ labels: { a: 'b' } }, 'slo_ids: send exactly one of slo_ids, team_id and labels, got a list of 1'],
  [{ slo_ids: [999] }, 'slo_ids: must be SLOs of your organization'],
  [{ slo_ids: undefined, team_id: 999 }, 'team_id: must be a team'],
  [{ to: undefined }, 'to: is required, or rrule with'],
  [{ to: iso(-60) }, 'to: must be after from'],
  [{ from: '2024-01-01T00:00:00Z' }, 'from: must be at most 400 days ago'],
  [{ rrule: 'FREQ=DAILY', duration_seconds: 600, time_zone: 'UTC' }, 'to: cannot be sent with rrule'],
  [{ to: undefined, rrule: 'FREQ=DAILY', time_zone: 'UTC' }, 'duration_seconds: is required with rrule'],
  [{ to: undefined, rrule: 'FREQ=HOURLY', duration_seconds: 600, time_zone: 'UTC' }, 'rrule: must have FREQ=DAILY'],
  [{ from: iso(-90), to: iso(-80), hold_alerts: true }, 'hold_alerts: needs a correction that has not ended'],
])('a correction with %p is refused: %s', async (sent, sentence) => {
  const { status, text } = await make({ from: iso(-60), to: iso(0), ...sent })
  expect(status).toBe(400)
  const [field, message = ''] = sentence.split(': ')
  expect(text).toContain(`"field":"${field}"`)
  expect(text).toContain(message)
  expect((await nines.call('GET', '/api/v1/corrections')).body.total).toBe(0)
})

test('an alert that a correction would not have raised ends with that reason', async () => {
  expect((await alerts('firing')).map(({ name }: { name: string }) => name)).toContain('status')
  const { body } = await make({ from: iso(-2 * hour), to: iso(0), text: 'The checks were wrong' })
  expect(body).toMatchObject({ slo_count: 1, data: { category: 'planned_maintenance', text: 'The checks were wrong' } })
  expect(await budget()).toMatchObject({
    sli: 100,
    excluded: { seconds: 7200, good: 0, total: 7200, resolution: '1m' },
  })
  expect(await alerts('firing')).toEqual([])
  const ended = await alerts('all')
  expect(ended.map(({ reason }: { reason: string }) => reason)).toContain('Excluded by a correction')
})

test('in announced maintenance the state is maintenance until its end, and nothing opens', async () => {
  const { body } = await make({ from: iso(0), to: iso(hour), hold_alerts: true, text: 'Moving' })
  const silences = await nines.call('GET', '/api/v1/notifications/silences')
  expect(silences.body.silences).toMatchObject([
    { id: body.data.silence_id, slo_id: id, until: iso(hour), comment: 'Moving' },
  ])
  for (const minutes of [1, 2, 10, 30]) {
    await goTo(minutes)
    expect(await budget()).toMatchObject({ sli: 100, state: 'maintenance', state_reason: iso(hour) })
  }
  expect(await alerts('firing')).toEqual([])
  const incidents = await nines.call('GET', '/api/v1/incidents?state=open')
  expect(incidents.body.incidents.filter(({ state }: { state: string }) => state !== 'unknown')).toEqual([])
})

const silenceOf = async ({ silence_id }: { silence_id: number }) =>
  (await nines.call('GET', `/api/v1/notifications/silences/${silence_id}`)).body.data

test('its end is moved; its silence lasts until then', async () => {
  const { body } = await nines.call('GET', '/api/v1/corrections')
  const [before] = body.corrections
  const change = (sent: object) => nines.call('PATCH', `/api/v1/corrections/${before.id}`, sent)
  const { body: longer } = await change({ to: iso(2 * hour) })
  expect(await silenceOf(longer.data)).toMatchObject({ state: 'active', until: iso(2 * hour), comment: 'Moving' })
  expect((await silenceOf(before)).state).toBe('expired')
  const { body: same } = await change({ to: iso(2 * hour), text: 'Moving house' })
  expect(same.data.silence_id).toBe(longer.data.silence_id)
  const far = await change({ to: iso(400 * 24 * hour) })
  expect([far.status, (await silenceOf(longer.data)).state]).toEqual([400, 'active'])
})

test('its end is changed; afterwards what fails counts', async () => {
  const { body } = await nines.call('GET', '/api/v1/corrections')
  const [{ id: correction }] = body.corrections
  const changed = await nines.call('PATCH', `/api/v1/corrections/${correction}`, { to: iso(20) })
  expect(changed.body.data).toMatchObject({ from: iso(0), to: iso(20) })
  expect((await silenceOf(changed.body.data)).state).toBe('expired')
  expect((await budget()).sli).toBeLessThan(100)
  await goTo(31)
  expect((await budget()).state).not.toBe('maintenance')
  expect((await alerts('firing')).length).toBeGreaterThan(0)
})

test('all of it is in the audit log', async () => {
  const { body } = await nines.call('GET', '/api/v1/audit-log?page_size=50')
  const events = body.entries
    .map(({ event }: { event: string }) => event)
    .filter((event: string) => event.startsWith('correction'))
  expect(events).toEqual([...Array(3).fill('correction_changed'), ...Array(2).fill('correction_created')])
})

test('a stored period stays until it is computed again with the corrections of now', async () => {
  for (let hours = 1; hours <= 18; hours += 1) await goTo(hours * hour)
  await goTo(18 * hour + 20)
  const { body: session } = await login(nines, 'ada')
  const call = (method: string, path: string, body?: object) =>
    nines.call(method, path, body, { token: session.access_token })
  const periods = async () => (await call('GET', `/api/v1/slos/${id}/periods`)).body.periods
  const [stored] = await periods()
  const failed = 4 * hour - 20
  const counted = 3 * 1440 + 18 * hour - 2 * hour - 20
  expect(stored).toMatchObject({ met: false, excluded: { seconds: 8400 }, recomputed_at: null })
  expect(stored.sli).toBeCloseTo(100 - (100 * failed) / counted, 6)
  const { body } = await call('POST', '/api/v1/corrections', {
    slo_ids: [id],
    from: iso(0),
    to: iso(5 * hour),
    category: 'incident_elsewhere',
  })
  expect(await periods()).toEqual([stored])
  const path = `/api/v1/slos/${id}/periods/${stored.starts_at}/recompute`
  const recomputed = await call('POST', path)
  expect(recomputed.body.data).toMatchObject({ sli: 100, met: true, excluded: { seconds: 7 * 3600 } })
  expect((await periods())[0]).toEqual(recomputed.body.data)
  await call('DELETE', `/api/v1/corrections/${body.data.id}`)
  const whole = { slo_ids: [id], from: stored.starts_at, to: stored.ends_at, category: 'bad_data' }
  const { body: all } = await call('POST', '/api/v1/corrections', whole)
  const note = 'Corrections exclude all that was counted'
  expect((await call('POST', path)).body.data).toMatchObject({ sli: null, note })
  await call('DELETE', `/api/v1/corrections/${all.data.id}`)
  expect((await call('POST', path)).body.data).toMatchObject({ sli: stored.sli, excluded: stored.excluded, note: null })
  expect((await call('POST', `/api/v1/slos/${id}/periods/2026-01-01T00:00:00Z/recompute`)).status).toBe(404)
})

test('a correction beyond the quota leaves no silence in force', async () => {
  const full = await testApp({ env: { SOURCE_URL: 'embedded', QUOTA_CORRECTIONS: '1' }, startMs })
  try {
    await full.join('ada')
    const slo = { name: 'Site', target: 99, metric_type: 'availability', metric_query: 'up', time_window: '30d' }
    const { body } = await full.call('POST', '/api/v1/slos', slo)
    const sent = { slo_ids: [body.id], category: 'other', from: iso(0), to: iso(hour) }
    expect((await full.call('POST', '/api/v1/corrections', sent)).status).toBe(201)
    expect((await full.call('POST', '/api/v1/corrections', { ...sent, hold_alerts: true })).status).toBe(409)
    expect((await full.call('GET', '/api/v1/notifications/silences')).body.silences).toEqual([])
  } finally {
    await full.close()
  }
})
