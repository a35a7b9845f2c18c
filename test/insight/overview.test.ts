import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { KyselyPlugin } from 'kysely'
import { overview } from '../../src/insight/overview.ts'
import { fillOverview } from '../../scripts/bench/page/data.ts'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'
import { checkout } from '../support/slo-calls.ts'
import { evaluated, measured } from '../sli/ledger-fixtures.ts'

const hour = 3600
const day = 24 * hour

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const rate = {
  severity: 'page',
  long_seconds: 3600,
  short_seconds: 300,
  factor: 14.4,
  min_events: 0,
  enabled: true,
  long: 20,
  short: 3,
  long_bad_events: 12,
  firing: false,
} as const
const made = async (change: object): Promise<number> =>
  (await nines.call('POST', '/api/v1/slos', { ...checkout, ...change })).body.id
const read = (headers: Record<string, string> = {}) =>
  nines.call('GET', '/api/v1/slos/overview', undefined, { headers })

test('has of each SLO what a list shows', async () => {
  const sloId = await made({ name: 'Checkout', target: 99, time_window: '24h', labels: { tier: '1' } })
  await evaluated(nines, sloId, { own: 99.5, budgetUsed: 50, status: 'warning', burnRates: [rate] })
  const { status, body } = await read()
  expect(status).toBe(200)
  expect(body).toMatchObject({ total: 1, days_end: '2026-11-22T00:00:00.000Z' })
  expect(body.slos[0]).toMatchObject({
    id: sloId,
    name: 'Checkout',
    target: 99,
    time_window: '24h',
    team_name: 'Default',
    labels: { tier: '1' },
    status: 'warning',
    stale: false,
    sli: 99.5,
    percentage_remaining: 50,
    burn: { state: 'recovering', rate: 20, window_seconds: 3600, factor: 14.4, severity: 'page' },
    firing: [],
    exhausts_at: null,
  })
  expect(body.slos[0].days).toHaveLength(30)
})

test('says what the budget counts: events, or time where the evaluation has none', async () => {
  const [counted, timed] = [await made({}), await made({})]
  await evaluated(nines, counted, { budgetUsed: 50, goodEvents: 995, totalEvents: 1000 })
  await evaluated(nines, timed, { budgetUsed: 50 })
  const { slos } = (await read()).body
  const unitOf = (id: number) => slos.find((slo: { id: number }) => slo.id === id).unit
  expect([counted, timed].map(unitOf)).toEqual(['events', 'seconds'])
})

test('a day is the share of its budget that was used, from its bucket, its hours or its minutes', async () => {
  const sloId = await made({ target: 99, time_window: '30d' })
  const midnight = -10 * hour // it is 10:00
  await measured(
    nines,
    { sloId, resolution: 86_400, from: midnight - 2 * day, to: midnight - day },
    { good: 980, total: 1000 },
  )
  await measured(nines, { sloId, resolution: 3600, from: midnight - day, to: midnight }, { good: 99.5, total: 100 })
  await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 100, total: 100 })
  const [{ days }] = (await read()).body.slos
  expect(days.slice(-4)).toEqual([null, 200, 50, 0])
})

test('the running minute that a budget includes is part of its day, also where nothing else of the day is', async () => {
  const [sloId, midnight] = [await made({ target: 99, time_window: '30d' }), -10 * hour]
  await measured(nines, { sloId, resolution: 60, from: -hour, to: 0 }, { good: 60, total: 60 })
  await evaluated(nines, sloId, { budgetUsed: 0 })
  const dayWith = async (measuredAt: number) => {
    const running = { running_seconds: 30, running_good: 0, running_total: 30 }
    const state = { ...running, measured_at: nines.clock.now() + 1000 * measuredAt }
    await nines.app.db.write.updateTable('slo_states').set(state).where('slo_id', '=', sloId).execute()
    const [row] = await overview(nines.app, 1) // a token would not last until then
    return row?.days.slice(-2)
  }
  expect(await dayWith(0)).toEqual([null, expect.closeTo((100 * 30) / (3630 * 0.01), 2)])
  nines.clock.advance(1000 * (midnight + day + 20)) // twenty seconds after midnight
  expect(await dayWith(-20)).toEqual([0, 10_000])
  expect(await dayWith(-80)).toEqual([expect.closeTo((100 * 30) / (3630 * 0.01), 2), null])
})

test('a budget that is used up says since when, and one that burns says until when, as the budget itself does', async () => {
  const over = await made({ target: 99, time_window: '24h' })
  await measured(nines, { sloId: over, resolution: 60, from: -day, to: -2 * hour }, { good: 100, total: 100 })
  await measured(nines, { sloId: over, resolution: 60, from: -2 * hour, to: 0 }, { good: 50, total: 100 })
  await evaluated(nines, over, { own: 95.8, budgetUsed: 416 })
  const near = await made({ target: 99, time_window: '24h' })
  await measured(nines, { sloId: near, resolution: 60, from: -day, to: -hour }, { good: 100, total: 100 })
  await measured(nines, { sloId: near, resolution: 60, from: -hour, to: 0 }, { good: 90, total: 100 })
  await evaluated(nines, near, { own: 99.58, budgetUsed: 42 })
  const { slos } = (await read()).body
  const exhaustsAt = (id: number) => slos.find((slo: { id: number }) => slo.id === id).exhausts_at
  expect(exhaustsAt(over)).toBe('2026-11-21T08:29:00.000Z')
  const { forecast } = (await nines.call('GET', `/api/v1/slos/${near}/budget`)).body
  expect([exhaustsAt(near), typeof forecast.exhausts_at]).toEqual([forecast.exhausts_at, 'string'])
})

/** Stores two days of 100 events a minute, which allow 28.8 failures. The failures are in consecutive buckets of one length. */
async function twoDays(sloId: number, end: number, failures: { resolution: 60 | 3600; from: number; bad: number[] }) {
  const { resolution, from, bad } = failures
  const span = { sloId, from: end - 2 * day, to: end }
  const fill = (size: 60 | 3600) =>
    measured(nines, { ...span, resolution: size }, { good: (100 * size) / 60, total: (100 * size) / 60 })
  await fill(3600)
  if (resolution === 60) await fill(60)
  const put = (size: 60 | 3600, start: number, failed: number) => {
    const total = (100 * size) / 60
    return measured(nines, { sloId, resolution: size, from: start, to: start + size }, { good: total - failed, total })
  }
  for (const [at, failed] of bad.entries()) await put(resolution, from + at * resolution, failed)
  const all = bad.reduce((sum, failed) => sum + failed, 0)
  if (resolution === 60) await put(3600, Math.floor(from / hour) * hour, all)
}

test.each([
  ['24h', 'minute', '2026-11-21T02:48:00.000Z'],
  ['7d', 'minute', '2026-11-21T02:49:00.000Z'],
  ['30d', 'minute', '2026-11-21T02:49:00.000Z'],
  ['90d', 'minute', '2026-11-21T02:49:00.000Z'],
  ['30d', 'hour', '2026-11-04T08:00:00.000Z'],
  ['90d', 'hour', '2026-11-04T08:00:00.000Z'],
] as const)(
  'a budget of %s is over since the end of the %s by which it was, everywhere',
  async (window, size, since) => {
    const sloId = await made({ target: 99.99, time_window: window })
    if (size === 'minute') {
      const from = -8 * hour + 46 * 60
      await twoDays(sloId, 0, { resolution: 60, from, bad: [10, 10, 10] })
    } else await twoDays(sloId, -16 * day, { resolution: 3600, from: -17 * day - 4 * hour, bad: [20, 20] })
    await evaluated(nines, sloId, { own: 99.98, budgetUsed: 104 })
    const [{ exhausts_at }] = (await read()).body.slos
    const { burn_down } = (await nines.call('GET', `/api/v1/slos/${sloId}/budget`)).body
    const isGone = ({ remaining_percent: left }: { remaining_percent: number | null }) => left !== null && left <= 0
    expect([exhausts_at, burn_down.find(isGone).timestamp]).toEqual([since, since])
    expect(burn_down.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual(
      burn_down.map(({ timestamp }: { timestamp: string }) => timestamp).toSorted(),
    )
  },
)

test('an alert that fires is there, and says where it is silenced', async () => {
  const sloId = await made({ target: 99, time_window: '24h' })
  await nines.app.db.write
    .insertInto('alerts')
    .values({
      organization_id: 1,
      slo_id: sloId,
      name: 'status',
      severity: 'critical',
      began_at: 1_795_255_100,
      ended_at: null,
    })
    .execute()
  const firing = async () => (await read()).body.slos[0].firing
  const since = '2026-11-21T09:58:20.000Z'
  expect(await firing()).toEqual([
    { alert_id: 1, name: 'status', severity: 'critical', since, silenced: false, acknowledged: false },
  ])
  await nines.call('POST', '/api/v1/notifications/silences', {
    slo_id: sloId,
    until: '2026-11-22T10:00:00Z',
    comment: 'x',
  })
  expect(await firing()).toMatchObject([{ silenced: true }])
})

test('has no SLO of another organization, and none that is deleted', async () => {
  const sloId = await made({})
  expect(
    (await nines.call('GET', '/api/v1/slos/overview', undefined, { token: await nines.join('eve') })).body.slos,
  ).toEqual([])
  await nines.call('DELETE', `/api/v1/slos/${sloId}`)
  expect((await read()).body.slos).toEqual([])
})

test('is not sent again while it is the same', async () => {
  const sloId = await made({ target: 99, time_window: '24h' })
  await evaluated(nines, sloId, {})
  const { headers } = await read()
  const etag = headers.get('etag') ?? ''
  nines.clock.advance(20_000)
  expect((await read({ 'if-none-match': etag })).status).toBe(304)
})

test('the end of a budget is where its burn-down reaches zero, whatever its window', async () => {
  for (const time_window of ['1h', '24h', '7d', '30d', '90d']) {
    const sloId = await made({ name: time_window, target: 99, time_window })
    const begins = { '1h': -hour, '24h': -day, '7d': -7 * day, '30d': -30 * day, '90d': -34 * day }[time_window] ?? 0
    for (const [resolution, from, to] of [
      [86_400, -34 * day - 10 * hour, -2 * day - 10 * hour],
      [3600, -32 * day - 10 * hour, -hour],
      [60, -hour, 0],
    ] as const) {
      await measured(nines, { sloId, resolution, from, to }, { good: 98 * resolution, total: 100 * resolution })
    }
    await evaluated(nines, sloId, { own: 98, budgetUsed: 200 })
    const [{ exhausts_at }] = (await read()).body.slos
    const { burn_down } = (await nines.call('GET', `/api/v1/slos/${sloId}/budget`)).body
    const isGone = ({ remaining_percent: left }: { remaining_percent: number | null }) => left !== null && left <= 0
    const first = burn_down.find(isGone)
    expect([time_window, exhausts_at]).toEqual([time_window, first.timestamp])
    expect(Date.parse(exhausts_at)).toBeGreaterThan(nines.clock.now() + begins * 1000)
  }
})

test('asks as little of a hundred SLOs without a budget as of a few', async () => {
  await made({ target: 99.9, time_window: '30d' })
  const { db, clock, config } = nines.app
  let statements = 0
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements++
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const counted = { db: { ...db, read: db.read.withPlugin(counting) }, clock, config }
  const countedWith = async (slos: number) => {
    const has = (await overview(counted, 1)).length
    await fillOverview(db, { slos: slos - has + 1, exhausted: 10, nowMs: clock.now() })
    statements = 0
    const rows = await overview(counted, 1)
    expect(rows.filter(({ exhaustsAtMs }) => exhaustsAtMs !== null)).toHaveLength(slos)
    return statements
  }
  expect(await countedWith(10)).toBe(await countedWith(99))
})

test('the days of many SLOs are computed in turns of the event loop', async () => {
  await made({})
  await fillOverview(nines.app.db, { slos: 1000, exhausted: 0, nowMs: nines.clock.now(), hasPast: false })
  using loop = countEventLoopIterations()
  await overview(nines.app, 1)
  expect(loop.count()).toBeGreaterThan(30) // 10 of them for the days
})

test('an answer about SLOs with long labels is a stream of what a short one has, with the beginning of each description', async () => {
  const labels = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`l${at}`, '漢'.repeat(200)]))
  await made({ name: 'first', labels, description: `${'漢'.repeat(200)} and more` })
  const short = await read()
  expect(short.headers.has('etag')).toBe(true)
  for (let at = 1; at < 70; at += 1) await made({ name: `SLO ${at}`, labels })
  const long = await read()
  expect([long.status, long.headers.get('etag'), long.body.total]).toEqual([200, null, 70])
  expect(long.body.slos.at(-1)).toEqual(short.body.slos[0])
  expect(short.body.slos[0]).toMatchObject({ labels, description: '漢'.repeat(200) })
})
