import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { closeAll, closeLater } from '../../support/closing.ts'
import { genie, startOpsgenie } from '../../support/receivers/opsgenie.ts'
import { routingKey, startPagerDuty } from '../../support/receivers/pagerduty.ts'
import { type Alerting, alerting, healthy, tiers } from '../alerts/alerting.ts'

afterEach(closeAll)

let world: Alerting
let pager: ReturnType<typeof startPagerDuty>
beforeEach(async () => {
  world = await alerting()
  closeLater(world.close)
  pager = startPagerDuty()
  closeLater(() => void pager.close())
  const configuration = { routing_key: routingKey, api_url: pager.url }
  await world.post('/notifications/channels', { name: 'pager', channel_type: 'pagerduty', configuration })
  await world.rule('burn_rate_too_fast', { channel_id: 3, max_retries: 0 })
})

const calm = { ...healthy, ...tiers({}) }
const ticket = { ...healthy, ...tiers({ 24: true }) }
const page = { ...healthy, ...tiers({ 1: true, 24: true }) }
const [lower, higher] = ['incident-1-warning', 'incident-1-critical']
const named = (key: string) => key.replace(/^nines-[^-]+-/, '')
const refused = () => Response.json({ status: 'invalid event', message: 'no', errors: [] }, { status: 400 })

async function deliver() {
  await world.nines.app.delivery.run()
  await world.nines.app.delivery.drain()
}

/** Stores an evaluation of the next minute and delivers what it queued; returns what the receiver got of it. */
async function minute(found: object = {}) {
  const before = pager.received.length
  await world.minute(found)
  await deliver()
  return pager.received.slice(before).map(({ json }) => [json.event_action, named(json.dedup_key)])
}

const ofTool = async () => (await world.outbox()).filter(({ channel_id }) => channel_id === 3)

describe('an incident at PagerDuty', () => {
  test('that rises is one of its own there, and ends the lower one; its end resolves what is open', async () => {
    expect(await minute(ticket)).toEqual([['trigger', lower]])
    expect(await minute(page)).toEqual([
      ['trigger', higher],
      ['resolve', lower],
    ])
    expect(pager.open().map(named)).toEqual([higher])
    expect(await minute(page)).toEqual([])
    expect(await minute(calm)).toEqual([['resolve', higher]])
    expect(new Set((await ofTool()).map(({ idempotency_key }) => idempotency_key)).size).toBe(4)
  })

  test('has one key while its alerts come and go', async () => {
    await minute(tiers({ 1: true }))
    expect(await minute(tiers({ 1: true, 6: true }))).toEqual([])
    expect(await minute(calm)).toEqual([['resolve', higher]])
    expect(await minute(tiers({ 1: true }))).toEqual([['trigger', higher]])
    expect(await minute(calm)).toEqual([['resolve', higher]])
  })

  test('whose higher severity is refused stays open with the lower one, until it ends', async () => {
    await minute(ticket)
    pager.next(refused)
    expect(await minute(page)).toEqual([['trigger', higher]])
    expect(pager.open().map(named)).toEqual([lower])
    expect((await ofTool()).slice(1)).toMatchObject([
      { event: 'alert', status: 'failed' },
      { event: 'recovery', status: 'failed', error_message: expect.stringContaining('was not accepted') },
    ])
    expect(await minute(calm)).toEqual([['resolve', lower]])
    expect(pager.open().map(named)).toEqual([])
  })

  test('whose higher severity is accepted at the second try ends the lower one then', async () => {
    await minute(ticket)
    pager.next(refused)
    await minute(page)
    world.nines.clock.advance(30 * 60_000)
    expect(await minute(page)).toEqual([
      ['trigger', higher],
      ['resolve', lower],
    ])
    expect(await minute(calm)).toEqual([['resolve', higher]])
  })

  test('that is over before its rise was sent is resolved with both', async () => {
    await minute(ticket)
    await world.minute(page)
    await world.minute(calm)
    pager.next(refused)
    await deliver()
    expect(pager.open().map(named)).toEqual([])
    expect((await ofTool()).map(({ event, status }) => [event, status])).toEqual([
      ['alert', 'delivered'],
      ['alert', 'failed'],
      ['recovery', 'delivered'],
      ['recovery', 'failed'],
    ])
  })

  test('resolves the lower one after a kill between both, under the same keys', async () => {
    await minute(ticket)
    await world.minute(page)
    const rows = await ofTool()
    await world.nines.app.db.write
      .updateTable('notifications')
      .set({ status: 'sending', leased_until: world.nines.clock.now() })
      .where('id', '=', rows[1]?.id ?? 0)
      .execute() // the kill came after the request, before its outcome was stored
    world.nines.clock.advance(121_000)
    await deliver()
    expect(pager.open().map(named)).toEqual([higher])
    expect((await ofTool()).map(({ idempotency_key }) => idempotency_key)).toEqual(
      rows.map(({ idempotency_key }) => idempotency_key),
    )
    expect((await ofTool()).map(({ status }) => status)).toEqual(rows.map(() => 'delivered'))
  })
})

test('an incident at Opsgenie that rises is an alert of its own there, and closes the lower one', async () => {
  const opsgenie = startOpsgenie()
  closeLater(() => void opsgenie.close())
  const configuration = { ...genie, api_url: opsgenie.url }
  await world.post('/notifications/channels', { name: 'ops', channel_type: 'opsgenie', configuration })
  await world.rule('burn_rate_too_fast', { channel_id: 4 })
  await minute(ticket)
  expect(opsgenie.open().map(named)).toEqual([lower])
  await minute(page)
  expect(opsgenie.open().map(named)).toEqual([higher])
  expect(opsgenie.created().map(named)).toEqual([lower, higher])
  await minute(calm)
  expect(opsgenie.open().map(named)).toEqual([])
})
