import { afterEach, describe, expect, test } from 'bun:test'
import type { Message } from '../../../../src/notifications/channels/channel.ts'
import { pushover } from '../../../../src/notifications/channels/push/pushover.ts'
import { closeAll, closeLater } from '../../../support/closing.ts'
import {
  aManualMessage,
  aMessage,
  aRecovery,
  aTestMessage,
  channelDeps,
  someData,
  writtenAtMs,
} from '../../../support/messages.ts'
import { pushoverRefusals, startPushover } from '../../../support/receivers/pushover.ts'

afterEach(closeAll)

function open() {
  const phone = startPushover()
  closeLater(() => void phone.close())
  const configuration = { app_token: phone.token, user_key: phone.user, api_url: phone.url }
  const send = (message: Message, rest: object = {}) =>
    pushover.send(channelDeps(), { ...configuration, ...rest }, message, AbortSignal.timeout(5000))
  return { phone, configuration, send }
}

const delivered = { outcome: 'delivered', statusCode: 200 } as const
const emergency = { emergency: true }

test('an alert, its recovery, a message and a test are shown, each with its link', async () => {
  const { phone, send } = open()
  for (const message of [aMessage(), aRecovery(), aManualMessage(), aTestMessage()]) {
    expect(await send(message)).toEqual(delivered)
  }
  const [url, device] = ['https://nines.example/slos/7', undefined]
  expect(phone.shown).toEqual([
    { title: aMessage().subject, message: aMessage().text, priority: 1, url, device },
    { title: aRecovery().subject, message: aRecovery().text, priority: 0, url, device },
    { title: 'Maintenance tonight', message: 'We move the database at 22:00.', priority: -1, url, device },
    { title: 'A test', message: 'It works.', priority: -1, url: undefined, device },
  ])
  const form = new URLSearchParams(phone.received[0]?.text)
  expect(Number(form.get('timestamp'))).toBe(writtenAtMs / 1000)
  expect(form.get('url_title')).toBe('Checkout availability')
})

test.each([
  ['low', -1],
  ['medium', 0],
  ['high', 1],
  ['critical', 1],
] as const)('the priority %s is %i', async (priority, expected) => {
  const { phone, send } = open()
  await send(aMessage({ priority }))
  expect(phone.shown[0]?.priority).toBe(expected)
})

test('a device and a sound are named', async () => {
  const { phone, send } = open()
  await send(aMessage(), { device: 'iphone,desk', sound: 'siren' })
  expect(phone.shown[0]?.device).toBe('iphone,desk')
  expect(new URLSearchParams(phone.received[0]?.text).get('sound')).toBe('siren')
})

describe('an emergency', () => {
  test('is repeated until its recovery cancels it, and no other', async () => {
    const { phone, send } = open()
    expect(await send(aMessage(), emergency)).toEqual(delivered)
    await send(aMessage({ threadKey: 'alert-32' }), emergency)
    expect(phone.repeated.size).toBe(2)
    expect(await send(aRecovery(), emergency)).toEqual(delivered)
    expect(phone.repeated.size).toBe(1)
    expect(phone.shown.map(({ priority }) => priority)).toEqual([2, 2, 0])
  })

  test('is repeated as configured', async () => {
    const { phone, send } = open()
    await send(aMessage(), { ...emergency, retry_seconds: 30, expire_seconds: 10_800 })
    await send(aMessage(), emergency)
    const forms = phone.received.map(({ text }) => new URLSearchParams(text))
    expect(forms.map((form) => [form.get('retry'), form.get('expire')])).toEqual([
      ['30', '10800'],
      ['60', '3600'],
    ])
  })

  test('that is acknowledged is no longer repeated, and nothing more is shown', async () => {
    const { phone, send } = open()
    await send(aMessage(), emergency)
    expect(await send(aMessage({ event: 'acknowledgement' }), emergency)).toEqual(delivered)
    expect([phone.shown.length, phone.repeated.size]).toEqual([1, 0])
    phone.refuse(pushoverRefusals.unavailable)
    expect(await send(aMessage({ event: 'acknowledgement' }), emergency)).toMatchObject({ outcome: 'retry' })
    expect(await send(aMessage({ event: 'acknowledgement' }))).toMatchObject({ outcome: 'delivered', statusCode: null })
    expect(phone.received).toHaveLength(3)
  })

  test('is only an alert of the priority critical', async () => {
    const { phone, send } = open()
    for (const message of [aMessage({ priority: 'high' }), aManualMessage({ priority: 'critical' }), aRecovery()]) {
      expect(await send(message, emergency)).toEqual(delivered)
    }
    expect(phone.shown.map(({ priority }) => priority)).toEqual([1, 1, 0])
  })

  test('that could not be cancelled is cancelled at the next attempt, before the recovery is shown', async () => {
    const { phone, send } = open()
    await send(aMessage(), emergency)
    phone.refuse(pushoverRefusals.unavailable)
    expect(await send(aRecovery(), emergency)).toMatchObject({ outcome: 'retry', statusCode: 503 })
    expect([phone.shown.length, phone.repeated.size]).toEqual([1, 1])
    expect(await send(aRecovery(), emergency)).toEqual(delivered)
    expect([phone.shown.length, phone.repeated.size]).toEqual([2, 0])
  })

  test('that Pushover no longer knows does not hold back the recovery', async () => {
    const { phone, send } = open()
    phone.refuse(pushoverRefusals.not_found)
    expect(await send(aRecovery(), emergency)).toEqual(delivered)
    expect(phone.shown).toHaveLength(1)
  })
})

test('a quota that begins anew soon is waited for', async () => {
  const { phone, send } = open()
  const headers = { 'x-limit-app-reset': String(writtenAtMs / 1000 + 120) }
  phone.refuse({ ...pushoverRefusals.over_quota, headers })
  expect(await send(aMessage())).toMatchObject({ outcome: 'retry', retryAfterMs: 120_000 })
})

test('a link longer than Pushover takes is left out', async () => {
  const { phone, send } = open()
  const slo = {
    id: 7,
    data: someData({ slo_name: 'x'.repeat(2000) }),
    link: `https://nines.example/slos/7?${'x'.repeat(600)}`,
  }
  expect(await send(aMessage({ slo }))).toEqual(delivered)
  expect(phone.shown[0]).toMatchObject({ url: undefined })
})

test('goes to Pushover where it names nobody else', () => {
  const { app_token, user_key } = open().configuration
  const configuration = { app_token, user_key, api_url: 'https://api.pushover.net' }
  expect(pushover.read({ app_token, user_key })).toEqual(configuration)
  const whole = { ...configuration, emergency: true, retry_seconds: 60, expire_seconds: 3600 }
  expect(pushover.read({ ...configuration, ...emergency })).toEqual(whole)
  expect(pushover.read(whole)).toEqual(whole)
})
