import { afterEach, beforeEach, expect, test } from 'bun:test'
import { insertRow } from '../../../src/db/statements/insert-row.ts'
import type { Evaluation } from '../../../src/evaluation/evaluation-store.ts'
import type { SloData } from '../../../src/notifications/notification-data.ts'
import { type Alerting, alerting, healthy, tiers } from '../alerts/alerting.ts'

let world: Alerting
beforeEach(async () => {
  world = await alerting()
  await world.rule('burn_rate_too_fast')
})
afterEach(() => world.close())

const recent = (rate: number, events: number, badEvents: number): Pick<Evaluation, 'recent'> => ({
  recent: { seconds: 300, rate, events, badEvents, isBeyondChance: rate > 1, isCovered: true },
})
const burning = { ...tiers({ 1: true }), ...recent(171, 3010, 515), budgetUsed: 95.7 }
const calm = { ...tiers({}), ...recent(0, 3000, 0), budgetUsed: 96 }

const last = async () => (await world.outbox()).at(-1)
const dataOf = async (): Promise<SloData> => JSON.parse((await last())?.metadata ?? '{}')

/** Stores minutes before now with so many failures each, of 100 events. */
async function putMinutes(...bad: number[]): Promise<void> {
  const { write } = world.nines.app.db
  const nowSeconds = Math.floor(world.nines.clock.now() / 60_000) * 60
  for (const [at, failed] of bad.entries()) {
    const start = nowSeconds - 60 * (bad.length - at)
    const leads = { lead_good: 0, lead_total: 0 }
    const sums = { good: 100 - failed, total: 100, covered_seconds: 60 }
    await insertRow(write, 'buckets', { slo_id: 1, revision: 1, resolution: 60, start, ...sums, ...leads })
  }
}

test('an opening says the burn rate now, the counts of the last minutes and the forecast of budget left ÷ burn rate', async () => {
  await world.minute({ ...healthy, ...burning })
  const seconds = Math.round((0.043 * 30 * 86_400) / 171)
  expect((await dataOf()).forecast).toMatchObject({ exhausted_in_seconds: seconds, burn_rate: 171, basis_seconds: 300 })
  const { subject, message } = (await last()) ?? {}
  expect(subject).toMatch(/^Checkout: burning 171× since \d\d:\d\d UTC, budget gone in 11 min$/)
  expect(message).toStartWith(
    '17 % of requests failed in the last 5 min (515 of 3,010).\n4.3 % of the 30 d budget is left.\n\nIncident http',
  )
})

test('a ticket says the burn rate of its long window, and the end of the incident its cost', async () => {
  await putMinutes(0, 0, 10, 10)
  const ticket = { ...tiers({ 24: true }), ...recent(3.5, 3000, 10) }
  await world.minute({ ...ticket, totalEvents: 100_000 })
  expect((await last())?.subject).toMatch(/^Checkout: burning 4× since/)
  await world.minute({ ...calm, totalEvents: 100_000 })
  expect((await last())?.event).toBe('recovery')
  const { incident } = await dataOf()
  expect(incident?.cost).toEqual({ percent: 20, bad_seconds: null, allowed_seconds: null })
  expect((await last())?.message).toStartWith('This outage used 20 % of the 30 d budget.\n')
})

test('a rise is a message of its own, and a relapse is one', async () => {
  const eventsSoFar = async () => (await world.outbox()).map(({ incident_event }) => incident_event)
  await world.minute({ ...tiers({ 24: true }), ...recent(3.5, 3000, 10) })
  await world.minute(burning)
  expect((await last())?.subject).toContain(': now urgent, burning 171× since')
  await world.minute(calm)
  await world.minute(burning)
  expect((await last())?.subject).toContain(': burning 171× again since')
  expect(await eventsSoFar()).toEqual(['opened', 'rose', 'recovered', 'again'])
})

test('an outage that failed again costs what failed before, and the newest part by its duration', async () => {
  await world.rule('violation')
  const firstSeconds = Math.floor(world.nines.clock.now() / 60_000) * 60
  const at = (isDown: boolean, sinceSeconds: number) =>
    world.minute({
      ...tiers({}),
      ...recent(isDown ? 1000 : 0, 10, 0),
      totalEvents: null,
      outage: { isDown, isUnconfirmed: false, sinceSeconds, reason: 'HTTP 503' },
    })
  await at(true, firstSeconds + 30)
  await at(false, firstSeconds + 75)
  await putMinutes(0, 30, 45) // the ledger has the first outage alone
  await world.minutes(2, { ...calm, totalEvents: null })
  await at(true, firstSeconds + 310)
  await at(false, firstSeconds + 370)
  const { incident } = await dataOf()
  expect(incident?.cost).toMatchObject({ bad_seconds: 75 + 60, allowed_seconds: 2592 })
})

test('an incident that is flapping is silent until it is closed, and then its end is sent once', async () => {
  for (let n = 0; n < 6; n += 1) {
    await world.minute(burning)
    await world.minute(calm)
  }
  const before: (string | null)[] = (await world.outbox()).map(({ incident_event }) => incident_event)
  expect(before).toEqual(['opened', 'recovered', 'again', 'recovered', 'again', 'recovered', 'flapping'])
  await world.minutes(20, calm)
  const { subject, message, event } = (await last()) ?? {}
  expect((await world.outbox()).length).toBe(before.length + 1)
  expect([event, subject]).toEqual([
    'recovery',
    expect.stringMatching(/^Checkout is stable again, up since \d\d:\d\d UTC$/),
  ])
  expect(message).toMatch(/It failed 6 times since [-\d: ]+UTC, the last time from [-\d: ]+UTC to [-\d: ]+UTC\./)
})

test('its messages are in the time zone of the organization, from the next one on, with fields in UTC', async () => {
  const organization = world.nines.app.db.write.updateTable('organizations')
  await organization.set({ time_zone: 'Asia/Kolkata', clock: '12h' }).execute()
  await world.minute({ ...healthy, ...burning })
  expect((await last())?.subject).toMatch(/since \d?\d:\d\d [AP]M \(\d\d:\d\d UTC\), budget gone/)
  expect((await dataOf()).incident?.began_at).toEndWith('Z')
  await organization.set({ time_zone: null, clock: null }).execute()
  await world.minute(calm)
  expect((await last())?.message).toMatch(/From [\d-]+ \d\d:\d\d UTC to [\d-]+ \d\d:\d\d UTC\./)
})
