import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Live from '../../../../src/web/page/api/live.ts'
import type * as Updates from '../../../../src/web/page/api/overview-updates.ts'
import type * as Resources from '../../../../src/web/page/api/resource.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import type { Budget, Overview } from '../../../../src/web/page/api/types.ts'
import { slo } from '../pages/overview/slo.ts'
import { fakeBrowser, FakeSocket, pass } from './fake-browser.ts'

const second = 1000

describe('the overview, live', () => {
  let browser: ReturnType<typeof fakeBrowser>
  // loaded once the browser globals exist
  let parts: typeof Live & typeof Resources & typeof Session & typeof Updates
  let reads: number
  let refusedFor: number
  let overview: Overview
  let held: Resources.Resource<Overview>
  let draws: number
  let ends: (() => void)[]

  const answer = (path: string): Response => {
    if (path.startsWith('/auth/')) {
      return Response.json({ access_token: 'a', expires_at: '2100-01-01T00:00:00Z', user: { id: 1, name: 'Ada' } })
    }
    reads++
    if (refusedFor > 0) {
      refusedFor--
      return Response.json({ error: 'Too many requests' }, { status: 429, headers: { 'retry-after': '20' } })
    }
    return Response.json(overview)
  }
  const update = (sloId: number, change: object = {}) =>
    FakeSocket.last?.say('slo_update', {
      slo_id: sloId,
      status: 'healthy',
      state: 'ok',
      state_since: '2026-11-20T10:00:00.000Z',
      state_reason: null,
      burn_rate_now: 0.5,
      current_value: 99.9,
      target_value: 99.9,
      error_budget_used: 50,
      window_percent_used: 50,
      window_percent_estimated: false,
      timestamp: '2026-11-22T14:00:00.000Z',
      ...change,
    })
  const rowOf = (id: number) => held.value.peek()?.slos.find((slo) => slo.id === id)

  beforeAll(async () => {
    browser = fakeBrowser(answer)
    const [live, resources, session, updates] = await Promise.all([
      import('../../../../src/web/page/api/live.ts'),
      import('../../../../src/web/page/api/resource.ts'),
      import('../../../../src/web/page/api/session.ts'),
      import('../../../../src/web/page/api/overview-updates.ts'),
    ])
    parts = { ...live, ...resources, ...session, ...updates }
    await parts.signIn('/auth/login', {})
  })
  afterAll(() => browser.restore())

  beforeEach(async () => {
    ;[reads, refusedFor, draws] = [0, 0, 0]
    overview = {
      slos: Array.from({ length: 500 }, (_, at) => slo({ id: at + 1 })),
      total: 500,
      days_end: '',
      team_policies: [],
    }
    parts.forgetAll()
    held = parts.resource<Overview>('/slos/overview')
    void held.read()
    parts.connect()
    await pass(100)
    FakeSocket.last?.open()
    await pass(10 * second)
    ends = [parts.followOverview(held), held.value.subscribe(() => void draws++)]
    ;[reads, draws] = [0, 0]
  })
  afterEach(async () => {
    for (const end of ends) end()
    parts.disconnect()
    parts.forgetAll()
    await pass(second)
  })

  test('the overview, live subscribes to all SLOs with one message', () => {
    expect(FakeSocket.last?.sent[0]).toEqual({
      type: 'subscribe',
      data: { all: true, channels: ['status', 'metrics'] },
    })
  })

  test('an update puts status, SLI and budget in place, and leaves the other rows as they are', async () => {
    const other = rowOf(2)
    update(1, { status: 'critical', error_budget_used: 138 })
    await pass(200)
    expect(reads).toBe(0)
    expect(rowOf(1)).toMatchObject({ status: 'critical', percentage_remaining: -38, sli: 99.862, stale: false })
    expect(rowOf(2)).toBe(other)
  })

  test('an update changes the state and the burn rate at once, and leaves out the forecast of the state before', async () => {
    overview.slos[0] = slo({ id: 1, exhausts_at: '2026-12-04T00:00:00.000Z' })
    await held.read()
    const since = '2026-11-22T13:52:00.000Z'
    update(1, { state: 'down', state_since: since, state_reason: 'HTTP 503', burn_rate_now: 1000 })
    await pass(200)
    expect(rowOf(1)).toMatchObject({
      state: 'down',
      state_since: since,
      state_reason: 'HTTP 503',
      burn_rate_now: 1000,
      exhausts_at: null,
    })
    await pass(5 * second)
    expect(reads).toBe(2)
  })

  test('an update with another target leaves out the forecast for the target before, which is read again', async () => {
    overview.slos[0] = slo({ id: 1, exhausts_at: '2026-12-04T00:00:00.000Z' })
    await held.read()
    update(1, { target_value: 99, error_budget_used: 10 })
    await pass(200)
    expect(rowOf(1)).toMatchObject({ target: 99, percentage_remaining: 90, exhausts_at: null })
    await pass(5 * second)
    expect(reads).toBe(2)
  })

  test('a budget has the state of an update at once, without the forecast of the state before', () => {
    const forecast = { exhausts_at: '2026-12-04T00:00:00.000Z', burn_rate: 0.5 }
    const budget = { slo_id: 1, status: 'healthy', state: 'ok', burn_rate_now: 0.5, sli: 99.95, forecast } as Budget
    const now = { state: 'down', state_since: null, state_reason: 'HTTP 503', burn_rate_now: 1000 } as const
    const update = { ...now, status: 'healthy', error_budget_used: null } as Live.Update
    const updated = parts.withState(budget, update)
    expect(updated).toMatchObject({ ...now, sli: 99.95, forecast: { exhausts_at: null, burn_rate: null } })
    expect(parts.withState(updated, update).forecast).toBe(updated.forecast)
  })

  test('a budget takes reason, SLI and shares of the budget over with the state, all of one evaluation', () => {
    const before = {
      status: 'unknown',
      status_reason: 'no_data',
      status_message: 'The source has no data for this query in the window',
      state: 'measuring',
      target: 99.9,
      sli: 99.99,
      error_budget: { total: 0.1, percentage_used: 10 },
    }
    const timestamp = '2026-11-22T14:00:00.000Z'
    const budget = { ...before, forecast: { exhausts_at: null, burn_rate: null } } as Budget
    const first = { status: 'healthy', state: 'ok', target_value: 99.9, error_budget_used: 25, timestamp }
    const shares = { window_percent_used: 1, window_percent_estimated: false }
    expect(parts.withState(budget, { ...first, ...shares } as Live.Update)).toMatchObject({
      status_reason: null,
      status_message: null,
      state: 'ok',
      measured_at: timestamp,
      sli: 99.975,
      error_budget: { total: 0.1, percentage_used: 25, percentage_remaining: 75, ...shares },
    })
  })

  test('a state that becomes unknown with its status keeps the figures', async () => {
    const away = { state: 'unknown', state_reason: 'source_error', burn_rate_now: null }
    update(1, { status: 'unknown', ...away, error_budget_used: null, current_value: null })
    await pass(200)
    expect(rowOf(1)).toMatchObject({ ...away, percentage_remaining: 50, sli: 99.95 })
  })

  test('updates of all 500 SLOs are one change, and one reading', async () => {
    for (let id = 1; id <= 500; id++) update(id)
    await pass(2 * second)
    expect(draws).toBe(1)
    await pass(60 * second)
    expect(reads).toBe(1)
  })

  test('under steady traffic it is read twice a minute at most', async () => {
    for (let at = 0; at < 300; at++) {
      update((at % 500) + 1)
      await pass(second)
    }
    expect(reads).toBeLessThanOrEqual(10)
    expect(reads).toBeGreaterThan(5)
  })

  test('a changed status, a new SLO or an alert is read for within five seconds, and not more often', async () => {
    update(1, { status: 'critical' })
    await pass(second)
    expect(reads).toBe(1)
    for (let at = 0; at < 10; at++) {
      update(600)
      FakeSocket.last?.say('notification', { slo_id: 1 })
      await pass(second)
    }
    expect(reads).toBe(3)
  })

  test('a deleted SLO goes at once', async () => {
    FakeSocket.last?.say('unsubscription_confirmed', { slo_id: 1, message: 'The SLO has been deleted' })
    await pass(200)
    expect(rowOf(1)).toBeUndefined()
    expect(held.value.peek()?.total).toBe(499)
    await pass(5 * second)
    expect(reads).toBe(0)
  })

  test('a status that becomes unknown keeps its figures until the reason is read', async () => {
    update(1, { status: 'unknown', error_budget_used: null, current_value: null })
    await pass(200)
    expect(rowOf(1)).toMatchObject({ status: 'unknown', percentage_remaining: 50, sli: 99.95 })
    await pass(second)
    expect(reads).toBe(1)
  })

  test('after a lost connection it is read once', async () => {
    const lost = FakeSocket.last
    lost?.lose()
    await pass(3 * second)
    expect(FakeSocket.last).not.toBe(lost)
    FakeSocket.last?.open()
    await pass(5 * second)
    expect(reads).toBe(1)
  })

  test('where the server counts too many requests, it is read again when the server says', async () => {
    refusedFor = 1
    update(600)
    await pass(15 * second)
    for (let at = 0; at < 5; at++) update(600 + at)
    await pass(4 * second)
    expect(reads).toBe(1)
    await pass(4 * second)
    expect(reads).toBe(2)
    expect(held.error.peek()).toBeUndefined()
  })
})
