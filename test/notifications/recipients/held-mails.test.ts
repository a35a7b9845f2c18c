import { afterEach, describe, expect, test } from 'bun:test'
import { headerOf } from '../../support/mail-server.ts'
import { recipientWorld, type RecipientWorld } from './recipient-world.ts'
import { rulesOf } from '../../support/rules-of.ts'

let world: RecipientWorld
afterEach(() => world.close())

describe('too many mails', () => {
  test('to an address wait until they may go, and use up no retry', async () => {
    world = await recipientWorld({ MAIL_PER_ADDRESS_HOURLY: '2' })
    await world.channel({ to: 'ada@example.com' }, { max_retries: 0 })
    for (const subject of ['one', 'two']) expect(await world.notify(subject)).toMatchObject({ status: 'sent' })
    const held = {
      status: 'pending',
      retry_count: 0,
      error_message: 'held back: at most 2 mails an hour to ada@example.com',
    }
    expect(await world.notify('three')).toMatchObject(held)
    expect((await world.channelData()).health).toMatchObject({
      status: 'healthy',
      consecutive_failures: 0,
      paused_until: null,
    })
    for (let quarter = 0; quarter < 2; quarter += 1) {
      expect(world.box.mails).toHaveLength(2)
      world.nines.clock.advance(15 * 60_000)
      await world.deliver()
    }
    expect(world.box.mails.map((mail) => headerOf(mail, 'Subject'))).toEqual(['one', 'two', 'three'])
  })

  test('of tests are answered with 429 and when to come again', async () => {
    world = await recipientWorld({ MAIL_PER_ORGANIZATION_HOURLY: '1' })
    await world.channel({ to: 'ada@example.com' })
    const send = () =>
      world.nines.call('POST', '/api/v1/notifications/test', { channel_id: 1, subject: 'a', message: 'b' })
    expect((await send()).status).toBe(200)
    const answer = await send()
    expect([answer.status, answer.headers.get('retry-after'), rulesOf(answer.body)]).toEqual([
      429,
      '3600',
      'held back: at most 1 mails an hour of an organization',
    ])
  })

  test('of requests to confirm are sent another time', async () => {
    world = await recipientWorld({ MAIL_PER_ORGANIZATION_HOURLY: '10' })
    await world.channel({ to: 'eve@other.example' })
    await world.channel({ to: 'dan@other.example' })
    expect(world.box.mails).toHaveLength(1)
    world.nines.clock.advance(3_600_000)
    await world.notify('Trouble', 2)
    expect(world.to('dan@other.example')).toHaveLength(1)
  })

  test('of invitations leave the link in the answer, and say that it was not mailed', async () => {
    world = await recipientWorld({ MAIL_PER_ADDRESS_HOURLY: '10' })
    const invite = () => world.nines.call('POST', '/api/v1/organization/invitations', { email: 'eve@other.example' })
    expect((await invite()).body.mailed).toBe(true)
    const { status: made, body } = await invite()
    expect([made, body.mailed, body.link.length > 0]).toEqual([201, false, true])
    await world.nines.app.mailer.drain()
    expect(world.box.mails).toHaveLength(1)
  })
})
