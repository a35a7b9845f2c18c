import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { sendTest } from '../../src/notifications/test-send.ts'
import { type TestApp, testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { webhookTo } from '../support/good-configurations.ts'
import { dump } from '../support/populated.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'

let nines: TestApp
let receiver: Receiver
beforeEach(async () => {
  receiver = startReceiver(() => new Response(null, { status: 202 }))
  nines = await joinedApp()
  expect((await nines.call('POST', channels, webhookTo(receiver.url))).status).toBe(201)
})
afterEach(async () => {
  await nines.close()
  await receiver.close()
})

const channels = '/api/v1/notifications/channels'
const hello = { channel_id: 1, subject: 'Hello', message: 'First line\nSecond line' }
const send = (more: object = {}) => nines.call('POST', '/api/v1/notifications/test', { ...hello, ...more })
const change = (body: object) => nines.call('PUT', `${channels}/1`, body)
const health = async () => (await nines.call('GET', channels)).body.data[0].health
const iso = (afterMs = 0) => new Date(testStartMs + afterMs).toISOString()
const untested = {
  status: 'untested',
  consecutive_failures: 0,
  failing_since: null,
  last_error: null,
  last_success_at: null,
  paused_until: null,
}

test('a test arrives at once, and the answer says so', async () => {
  const { status, body } = await send()
  const data = { channel_id: 1, status: 'delivered', delivered_at: iso() }
  expect([status, body]).toEqual([200, { success: true, message: 'Test notification sent', data }])
  expect(receiver.received.map(({ path, json }) => [path, json.event])).toEqual([
    ['/s3cretPath?key=s3cretParameter', 'alert'],
  ])
  expect(receiver.received[0]?.text).toContain('Second line')
})

test('a test is in no history and no outbox', async () => {
  const before = dump(nines)
  await send()
  const { channels: _, ...others } = dump(nines)
  expect(before).toMatchObject(others)
})

test.each([
  ['alert', ['alert']],
  ['recovery', ['recovery']],
  ['both', ['alert', 'recovery']],
])('%s sends %p', async (event, events) => {
  expect((await send({ event })).status).toBe(200)
  expect(receiver.received.map(({ headers }) => headers.get('x-nines-event'))).toEqual(events)
})

test('a recovery closes what the alert of an earlier test opened', async () => {
  const channel_type = 'incident_a'
  const configuration = { routing_key: 'a'.repeat(32), api_url: receiver.url }
  await nines.call('POST', channels, { name: 'pager', channel_type, configuration })
  await send({ channel_id: 2 })
  await send({ channel_id: 2, event: 'recovery' })
  const [opened, closed] = receiver.received.map(({ json }) => json)
  expect([opened.event_action, closed.event_action]).toEqual(['trigger', 'resolve'])
  expect([closed.dedup_key, opened.dedup_key.length > 0]).toEqual([opened.dedup_key, true])
})

describe('a test that is not taken', () => {
  test('answers 500 with what the receiver said, and no secret', async () => {
    receiver.next(({ path }) => Response.json({ error: `no hook at ${path} for s3cretOfSignature` }, { status: 410 }))
    const { status, body } = await send()
    const details = 'the receiver answered 410: no hook at ******** for ********'
    expect([status, body]).toEqual([500, { success: false, error: 'Test notification was not delivered', details }])
    expect((await health()).last_error).toBe(details)
    expect(nines.logged.join('')).not.toContain('s3cret')
  })

  test('is not tried again, and no recovery follows it', async () => {
    receiver.next(() => new Response('later', { status: 503 }))
    expect((await send({ event: 'both' })).status).toBe(500)
    expect(receiver.received).toHaveLength(1)
  })

  test('says where nobody listens', async () => {
    await receiver.close()
    const { status, body, text } = await send()
    expect([status, body.details.length > 0]).toEqual([500, true])
    expect(text).not.toContain('s3cret')
  })

  test('is given up after a while, both messages together', async () => {
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    receiver.next(
      () => new Response(null, { status: 200 }),
      () => released.then(() => new Response(null)),
    )
    const late = sendTest(nines.app, 1, { ...hello, event: 'both' }, 200)
    await expect(late).rejects.toMatchObject({ kind: 'delivery_failed', details: 'no answer within 0.2 s' })
    release()
    expect(await health()).toMatchObject({ consecutive_failures: 1, last_error: 'no answer within 0.2 s' })
  })
})

describe('the health of a channel', () => {
  const fail = async (times: number) => {
    for (let at = 0; at < times; at += 1) {
      receiver.next(() => Response.json({ error: 'no' }, { status: 500 }))
      expect((await send()).status).toBe(500)
      nines.clock.advance(1000)
    }
  }

  test('is untested at first, and healthy after a success', async () => {
    expect(await health()).toEqual(untested)
    await send()
    expect(await health()).toEqual({ ...untested, status: 'healthy', last_success_at: iso() })
  })

  test('is left alone for as long as its receiver asks', async () => {
    receiver.next(() => new Response(null, { status: 429, headers: { 'retry-after': '7' } }))
    expect((await send()).status).toBe(500)
    expect(await health()).toMatchObject({ consecutive_failures: 1, paused_until: iso(7000) })
  })

  test('is unhealthy from three failures in a row, until one succeeds', async () => {
    await send()
    await fail(2)
    const failing = { consecutive_failures: 2, failing_since: iso(), last_error: 'the receiver answered 500: no' }
    expect(await health()).toEqual({ ...untested, ...failing, status: 'healthy', last_success_at: iso() })
    await fail(1)
    expect(await health()).toMatchObject({ ...failing, status: 'unhealthy', consecutive_failures: 3 })
    await send()
    expect(await health()).toEqual({ ...untested, status: 'healthy', last_success_at: iso(3000) })
  })

  test.each([
    ['another name', [{ name: 'other' }], 'unhealthy'],
    ['the same configuration', [{ config: { webhook_url: '********', secret: '********' } }], 'unhealthy'],
    ['another configuration', [{ config: { webhook_url: 'http://x.example/y' } }], 'untested'],
    ['rest', [{ enabled: false }], 'unhealthy'],
    ['rest and work', [{ enabled: false }, { enabled: true }], 'untested'],
    ['what it has already', [{ enabled: true }], 'unhealthy'],
  ])('with %s', async (_, changes, status) => {
    await fail(3)
    for (const one of changes) expect((await change(one)).status).toBe(200)
    expect((await health()).status).toBe(status)
    if (status === 'untested') expect(await health()).toEqual(untested)
  })
})

describe('nothing is sent', () => {
  test.each([
    ['to a channel that is not there', { channel_id: 4711 }, 404],
    ['without a channel', { channel_id: undefined }, 400],
    ['to a channel by name', { channel_id: '1' }, 400],
    ['without a subject', { subject: undefined }, 400],
    ['with an empty subject', { subject: '  ' }, 400],
    ['with a subject of two lines', { subject: 'a\r\nBcc: x' }, 400],
    ['with a long subject', { subject: 'x'.repeat(201) }, 400],
    ['without a message', { message: undefined }, 400],
    ['with an empty message', { message: '' }, 400],
    ['with a long message', { message: 'x'.repeat(4001) }, 400],
    ['of an event there is not', { event: 'message' }, 400],
  ])('%s', async (_, more, status) => {
    expect((await send(more)).status).toBe(status)
    expect(receiver.received).toEqual([])
    expect(await health()).toEqual(untested)
  })

  test('to a disabled channel', async () => {
    await change({ enabled: false })
    const { status, body } = await send()
    expect([status, body.error]).toEqual([404, 'Notification channel not found or disabled'])
    expect(receiver.received).toEqual([])
  })
})
