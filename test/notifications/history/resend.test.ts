import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { NotificationStatus } from '../../../src/db/tables/tables.ts'
import { closeAll } from '../../support/closing.ts'
import { testStartMs } from '../../support/app.ts'
import { deliveryWorld, type DeliveryWorld, refusing, subjectsAt, type Through } from '../delivery/delivery-world.ts'

const path = '/api/v1/notifications'

let world: DeliveryWorld
let channel: Through
beforeEach(async () => {
  world = await deliveryWorld()
  channel = await world.channel()
})
afterEach(async () => {
  await world.nines.close()
  closeAll()
})

const setStatus = (id: number, status: NotificationStatus) =>
  world.nines.app.db.write.updateTable('notifications').set({ status }).where('id', '=', id).execute()
const retryFailed = (max_age_seconds: unknown) => world.nines.call('POST', `${path}/retry-failed`, { max_age_seconds })
const resend = (id: number) => world.nines.call('POST', `${path}/${id}/resend`)
/** Pauses all channels, so that queued notifications are not delivered. */
const pause = () =>
  world.nines.app.db.write
    .updateTable('channels')
    .set({ paused_until: testStartMs * 2 })
    .execute()
/** Waits until nothing is pending or being sent. */
async function emptied() {
  while ((await world.statuses()).some((status) => status === 'pending' || status === 'sending')) await Bun.sleep(1)
}
const disable = (id: number) => world.nines.call('PUT', `${path}/channels/${id}`, { enabled: false })

describe('retry-failed', () => {
  test('delivers what failed, in its order, with the same keys and all of its retries', async () => {
    channel.receiver.next(refusing(400), refusing(404))
    const ids = await world.queue(channel.id, ['a', 'b', 'c'])
    await world.delivery.run()
    expect(await world.statuses()).toEqual(['failed', 'failed', 'delivered'])
    expect(await retryFailed(3600)).toMatchObject({
      status: 200,
      body: { success: true, message: expect.any(String), data: { max_age_seconds: 3600, retried: 2, skipped: 0 } },
    })
    await emptied()
    expect(subjectsAt(channel)).toEqual(['a', 'b', 'c', 'a', 'b'])
    const [first, , , again] = channel.receiver.received.map(({ headers }) => headers.get('idempotency-key'))
    expect(again).toBe(first)
    expect(await world.row(ids[0] ?? 0)).toMatchObject({ status: 'delivered', retry_count: 0, error_message: '' })
    expect(await world.attempts(ids[0] ?? 0)).toHaveLength(2)
    expect((await retryFailed(3600)).body.data).toEqual({ max_age_seconds: 3600, retried: 0, skipped: 0 })
  })

  test('leaves alone what is older, what did not fail, and what is not its organization’s', async () => {
    await pause()
    const eve = await world.nines.join('eve')
    const [old = 0] = await world.queue(channel.id, ['old'])
    await setStatus(old, 'failed')
    world.nines.clock.advance(60_001)
    const [, young = 0, throttled = 0] = await world.queue(channel.id, ['pending', 'young', 'throttled'])
    await setStatus(young, 'failed')
    await setStatus(throttled, 'throttled')
    const byEve = await world.nines.call('POST', `${path}/retry-failed`, { max_age_seconds: 60 }, { token: eve })
    expect(byEve.body.data.retried).toBe(0)
    expect((await retryFailed(60)).body.data).toMatchObject({ retried: 1, skipped: 0 })
    expect(await world.statuses()).toEqual(['failed', 'pending', 'pending', 'throttled'])
  })

  test('skips what has no channel any more, or a disabled one', async () => {
    const deleted = await world.channel()
    const disabled = await world.channel()
    for (const { id } of [deleted, disabled, channel]) {
      const [notification = 0] = await world.queue(id, ['a'])
      await setStatus(notification, 'failed')
    }
    await disable(disabled.id)
    await pause()
    await world.nines.call('DELETE', `${path}/channels/${deleted.id}`)
    expect((await retryFailed(60)).body.data).toMatchObject({ retried: 1, skipped: 2 })
    expect(await world.statuses()).toEqual(['failed', 'failed', 'pending'])
  })

  test('takes any number', async () => {
    await pause()
    await world.queue(
      channel.id,
      Array.from({ length: 1203 }, (_, at) => `${at}`),
    )
    await world.nines.app.db.write.updateTable('notifications').set({ status: 'failed' }).execute()
    expect((await retryFailed(60)).body.data.retried).toBe(1203)
    expect(new Set(await world.statuses())).toEqual(new Set(['pending']))
  })

  test.each([[0], [2_678_401], [1.5], ['60'], [undefined]])('with a max_age_seconds of %p is 400', async (seconds) => {
    expect((await retryFailed(seconds)).status).toBe(400)
  })
})

describe('resend', () => {
  test.each(['failed', 'throttled'] as const)('of what is %s queues the same again', async (status) => {
    const [id = 0] = await world.queue(channel.id, ['a'])
    await setStatus(id, status)
    world.nines.clock.advance(3_600_000)
    expect(await resend(id)).toMatchObject({ status: 200, body: { success: true, data: { id, status: 'pending' } } })
    await emptied()
    expect(await world.statuses()).toEqual(['delivered'])
    expect(subjectsAt(channel)).toEqual(['a'])
  })

  test.each(['sent', 'delivered'] as const)('of what was %s queues a copy with a key of its own', async (status) => {
    const draft = { alert_id: 7, event: 'alert', alert_type: 'violation', priority: 'high' } as const
    const [id = 0] = await world.queue(channel.id, ['a'], draft)
    await world.delivery.run()
    await setStatus(id, status)
    const before = await world.row(id)
    world.nines.clock.advance(1000)
    const answer = await resend(id)
    expect(answer).toMatchObject({ status: 201, body: { success: true, data: { status: 'pending', subject: 'a' } } })
    const copy = await world.row(answer.body.data.id)
    expect(copy).toMatchObject({ ...draft, metadata: before.metadata, retry_count: 0 })
    expect(copy.idempotency_key).not.toBe(before.idempotency_key)
    expect(await world.row(id)).toEqual(before)
    await emptied()
    expect(subjectsAt(channel)).toEqual(['a', 'a'])
  })

  test.each(['pending', 'sending'] as const)('of what is %s is refused', async (status) => {
    const [id = 0] = await world.queue(channel.id, ['a'])
    await setStatus(id, status)
    const before = await world.row(id)
    expect(await resend(id)).toMatchObject({ status: 409, body: { error: 'Notification is still queued' } })
    expect(await world.row(id)).toEqual(before)
  })

  test.each([
    ['disabled', () => disable(channel.id)],
    ['deleted', () => world.nines.call('DELETE', `${path}/channels/${channel.id}`)],
  ])('through a channel that is %s is refused', async (_, change) => {
    const [failed = 0] = await world.queue(channel.id, ['a'])
    await setStatus(failed, 'failed')
    const [delivered = 0] = await world.queue(channel.id, ['b'])
    await setStatus(delivered, 'delivered')
    await change()
    for (const id of [failed, delivered]) {
      expect(await resend(id)).toMatchObject({
        status: 404,
        body: { error: 'Notification channel not found or disabled' },
      })
    }
    expect(await world.statuses()).toEqual(['failed', 'delivered'])
  })
})
