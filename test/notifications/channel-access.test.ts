import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { type People, people } from '../support/people.ts'
import { dump } from '../support/populated.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
let receiver: Receiver
let everybody: People
beforeAll(async () => {
  receiver = startReceiver(() => new Response(null, { status: 204 }))
  nines = await testApp()
  everybody = await people(nines)
  await nines.call('POST', channels, webhookTo(receiver.url), everybody.admin)
})
afterAll(async () => {
  await nines.close()
  await receiver.close()
})

const channels = '/api/v1/notifications/channels'
const send = '/api/v1/notifications/test'
const wish = webhookTo('http://evil.example')
const hello = { channel_id: 1, subject: 'a', message: 'b' }

describe.each(['viewer', 'member'] as const)('a %s', (role) => {
  test('may read the channels', async () => {
    for (const path of [channels, `${channels}/1`]) {
      const { status, text } = await nines.call('GET', path, undefined, everybody[role])
      expect([status, text]).toEqual([200, expect.stringContaining('"name":"on call"')])
    }
  })

  test.each([
    ['POST', channels, wish],
    ['PUT', `${channels}/1`, wish],
    ['DELETE', `${channels}/1`, undefined],
    ['PUT', `${channels}/4711`, { name: 7 }],
    ['DELETE', `${channels}/not-an-id`, undefined],
  ])('may not %s %s, and nothing happens', async (method, path, body) => {
    const before = dump(nines)
    const answer = await nines.call(method, path, body, everybody[role])
    expect([answer.status, rulesOf(answer.body)]).toEqual([403, 'needs the role admin'])
    expect(dump(nines)).toEqual(before)
  })
})

test('a member may send a test, a viewer may not', async () => {
  expect((await nines.call('POST', send, hello, everybody.viewer)).status).toBe(403)
  expect(receiver.received).toEqual([])
  expect((await nines.call('POST', send, hello, everybody.member)).status).toBe(200)
  expect(receiver.received).toHaveLength(1)
})

test('another organization’s channel answers just as one that does not exist', async () => {
  const before = dump(nines)
  for (const [method, body] of [['GET'], ['PUT', wish], ['DELETE']] as const) {
    const theirs = await nines.call(method, `${channels}/1`, body, everybody.stranger)
    const nobodys = await nines.call(method, `${channels}/4711`, body, everybody.stranger)
    expect([theirs.status, theirs.text]).toEqual([404, '{"success":false,"error":"Notification channel not found"}'])
    expect([nobodys.status, nobodys.text]).toEqual([theirs.status, theirs.text])
  }
  const test = await nines.call('POST', send, hello, everybody.stranger)
  expect([test.status, test.text]).toEqual([
    404,
    '{"success":false,"error":"Notification channel not found or disabled"}',
  ])
  const list = await nines.call('GET', channels, undefined, everybody.stranger)
  expect(list.body).toEqual({ success: true, count: 0, data: [] })
  expect(dump(nines)).toEqual(before)
})
