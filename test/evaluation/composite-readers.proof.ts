import { afterEach, beforeEach, expect, test } from 'bun:test'
import { open, type LiveClient, type Message } from '../realtime/live.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { readExposition } from '../support/exposition.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'

const target = 99
const tiers = [{ long_window: '1h', short_window: '10m', factor: 5, severity: 'page' }]

let source: FakeSource
let nines: TestApp
let client: LiveClient
let failsSince: number
beforeEach(async () => {
  failsSince = Number.POSITIVE_INFINITY
  const cart = (at: number) => ({ total: 50, bad: at > failsSince ? 10 : 0 })
  source = fakeSource(countingScript({ shop: { total: 100, bad: 0 }, cart }))
  nines = await testApp({ env: { SOURCE_URL: source.url, METRICS_TOKEN: 'sesame' } })
  const token = await nines.join('ada')
  for (const name of ['shop', 'cart']) await create({ ...countedSlo(name), target, time_window: '24h' })
  await nines.app.backfills.run()
  client = await open(nines.listen(), { headers: { authorization: `Bearer ${token}` } })
})
afterEach(async () => {
  client.close()
  await nines.close()
  source.close()
})

async function create(slo: object): Promise<number> {
  const { status, body } = await nines.call('POST', '/api/v1/slos', slo)
  expect({ status, body }).toMatchObject({ status: 201 })
  await nines.call('PUT', `/api/v1/slos/${body.id}/alerting`, { burn_rate_tiers: tiers })
  return body.id
}

async function journey(method: string, on_unknown_member: string): Promise<number> {
  const members = [1, 2].map((slo_id) => ({ slo_id, ...(method === 'weighted' && { weight: slo_id }) }))
  const composite = { method, members, on_unknown_member }
  const id = await create({ name: method, target, time_window: '24h', metric_type: 'availability', composite })
  expect((await client.subscribe(id, ['metrics'])).type).toBe('subscription_confirmed')
  return id
}

/** Lets a minute pass, and returns the message about an SLO that it brought. */
async function minute(id: number): Promise<Message['data']> {
  nines.clock.advance(60_000)
  await nines.app.evaluator.evaluateAll()
  await nines.app.feed.drain()
  const updates = (await client.heard()).filter(({ type, data }) => type === 'slo_update' && data.slo_id === id)
  expect(updates).toHaveLength(1)
  return updates[0]?.data
}

const get = async (path: string) => (await nines.call('GET', `/api/v1/slos/${path}`)).body
const change = (id: number, body: object) => nines.call('PUT', `/api/v1/slos/${id}`, body)
const rounded = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Math.round(value * 1e7) / 1e7

/** Figures of an SLO, as `/metrics` has them: ratios in percent; null: there is no sample. */
async function inMetrics(id: number) {
  const { text } = await nines.call('GET', '/metrics', undefined, { token: 'sesame' })
  const { all } = readExposition(text)
  const ofSlo = (name: string) => all(name).filter(({ labels }) => labels['slo_id'] === String(id))
  const oneOf = (name: string, label: string) => ofSlo(name).find(({ value }) => value === 1)?.labels[label]
  const percent = (name: string) => {
    const [sample] = ofSlo(name)
    return sample ? rounded(100 * sample.value) : null
  }
  return {
    status: oneOf('slo_status', 'status'),
    state: oneOf('slo_state', 'state'),
    target: percent('slo_target_ratio'),
    sli: percent('slo_sli_ratio'),
    current: percent('slo_current_sli_ratio'),
    remaining: percent('slo_error_budget_remaining_ratio'),
    windowUsed: percent('slo_window_error_budget_used_ratio'),
    burnRateNow: ofSlo('slo_burn_rate_now')[0]?.value ?? null,
    burnRates: Object.fromEntries(
      ofSlo('slo_burn_rate').map(({ labels, value }) => [labels['window'], rounded(value)]),
    ),
  }
}

/** Compares `/metrics` with the budget and the burn rates of this moment; returns both. */
async function atOnce(id: number) {
  const [budget, { tiers: rates }, metrics] = [
    await get(`${id}/budget`),
    await get(`${id}/burn-rates`),
    await inMetrics(id),
  ]
  expect(metrics).toMatchObject({
    status: budget.status,
    state: budget.state,
    target: budget.target,
    sli: rounded(budget.sli),
    remaining: rounded(budget.error_budget.percentage_remaining),
    windowUsed: rounded(budget.error_budget.window_percent_used),
    burnRateNow: budget.burn_rate_now,
  })
  const known = rates.flatMap((tier: Record<string, number | null>) => [
    ['1h', rounded(tier['long_burn_rate'])],
    ['10m', rounded(tier['short_burn_rate'])],
  ])
  expect(metrics.burnRates).toEqual(Object.fromEntries(known.filter(([, rate]: unknown[]) => rate !== null)))
  return { budget, metrics }
}

/** Compares the message of the next minute with `/metrics` and the budget; returns the budget. */
async function compared(id: number, { isEdited = false } = {}) {
  if (!isEdited) await atOnce(id) // what has just changed about a member counts from the next evaluation
  const message = await minute(id)
  const { budget, metrics } = await atOnce(id)
  expect(message).toMatchObject({
    status: budget.status,
    state: budget.state,
    state_since: budget.state_since,
    state_reason: budget.state_reason,
    burn_rate_now: budget.burn_rate_now,
    target_value: budget.target,
    error_budget_used: budget.error_budget.percentage_used,
    window_percent_used: budget.error_budget.window_percent_used,
  })
  expect(rounded(message.current_value)).toBe(metrics.current)
  return budget
}

const cases = [
  ['weighted', 'unknown'],
  ['weighted', 'leave_out'],
  ['events', 'leave_out'],
  ['worst', 'leave_out'],
] as const
test.each(cases)(
  'a composite by %s, set to %s, has the figures of its budget in /metrics and on the socket if a member is paused, resumed, deleted and restored',
  async (method, rule) => {
    const id = await journey(method, rule)
    expect(await compared(id)).toMatchObject({ sli: 100 })
    failsSince = nines.clock.now() / 1000
    for (let at = 0; at < 2; at += 1) expect((await compared(id)).sli).toBeLessThanOrEqual(100)
    expect((await compared(id)).sli).toBeLessThan(100)
    const isKnown = async () => (await compared(id)).status !== 'unknown'
    await change(2, { paused: true })
    expect(await isKnown()).toBe(rule === 'leave_out')
    await change(2, { paused: false })
    await nines.app.backfills.run()
    expect(await isKnown()).toBe(true)
    await nines.call('DELETE', '/api/v1/slos/2')
    expect(await isKnown()).toBe(rule === 'leave_out')
    await change(2, { active: true })
    await nines.app.backfills.run()
    expect(await isKnown()).toBe(true)
  },
)

test('a composite has the figures of its budget in /metrics and on the socket if a member gets another target or query', async () => {
  const id = await journey('weighted', 'leave_out')
  await compared(id)
  failsSince = nines.clock.now() / 1000
  for (let at = 0; at < 2; at += 1) await compared(id)
  await change(2, { target: 99.9 })
  await compared(id)
  const { bad_query, total_query } = countedSlo('shop')
  await change(2, { bad_query, total_query })
  await compared(id)
  await nines.app.backfills.run()
  expect(await compared(id)).toMatchObject({ sli: 100 })
})

test('a composite with another target has the figures of its budget in /metrics and on the socket after the next evaluation', async () => {
  failsSince = nines.clock.now() / 1000
  const id = await journey('worst', 'unknown')
  for (let at = 0; at < 2; at += 1) await compared(id)
  await change(id, { target: 99.5 })
  expect(await compared(id, { isEdited: true })).toMatchObject({ target: 99.5 })
})
