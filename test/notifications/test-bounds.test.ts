import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let nines: TestApp
let receiver: Receiver
beforeEach(async () => {
  receiver = startReceiver(() => new Response(null, { status: 202 }))
  nines = await joinedApp()
  await nines.call('POST', '/api/v1/notifications/channels', webhookTo(receiver.url))
})
afterEach(async () => {
  await nines.close()
  await receiver.close()
})

const send = (more: object = {}, token?: string) =>
  nines.call(
    'POST',
    '/api/v1/notifications/test',
    { channel_id: 1, subject: 'a', message: 'b', ...more },
    token === undefined ? {} : { token },
  )
const refused = (bound: string) => ({ success: false, error: 'Too many tests', details: `must be ${bound}` })

test('ten test messages a minute go out for an organization, and another has its own ten', async () => {
  for (let times = 0; times < 8; times += 1) expect((await send()).status).toBe(200)
  expect((await send({ event: 'both' })).status).toBe(200)
  const { status, headers, body } = await send()
  expect([status, headers.get('retry-after')]).toEqual([429, '6'])
  expect(body).toEqual(refused('at most 10 messages a minute of an organization'))
  expect(receiver.received).toHaveLength(10)
  const bob = await nines.join('bob')
  const other = await nines.call('POST', '/api/v1/notifications/channels', webhookTo(receiver.url), { token: bob })
  expect((await send({ channel_id: other.body.data.id }, bob)).status).toBe(200)
  nines.clock.advance(6000)
  expect((await send()).status).toBe(200)
})

test('two tests of an organization are under way at once', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = () => promise.then(() => new Response(null, { status: 202 }))
  receiver.next(slow, slow)
  const sending = [send(), send()]
  while (receiver.received.length < 2) await Bun.sleep(1)
  const { status, body } = await send()
  expect([status, body]).toEqual([429, refused('at most 2 at once of an organization')])
  expect(receiver.received).toHaveLength(2)
  resolve()
  expect((await Promise.all(sending)).map((answer) => answer.status)).toEqual([200, 200])
  expect((await send()).status).toBe(200)
})
