import { expect, test } from 'bun:test'
import {
  type ChannelField,
  configurationOf,
  isShown,
  valuesOf,
} from '../../../../../src/web/page/pages/notify/channels/fields.ts'
import { healthOf } from '../../../../../src/web/page/pages/notify/channels/health.ts'
import { fieldsOf, howOf, productOf, products } from '../../../../../src/web/page/pages/notify/channels/products.ts'

const fields: ChannelField[] = [
  { key: 'webhook_url', kind: 'url', isSecret: true },
  { key: 'mode', kind: 'choice', choices: { genie: 'One', jsm: 'Other' }, default: 'genie' },
  { key: 'api_key', when: { key: 'mode', is: 'genie' } },
  { key: 'email', when: { key: 'mode', is: 'jsm' } },
  { key: 'headers', kind: 'headers', isSecret: true },
  { key: 'tags', kind: 'list' },
  { key: 'responders', kind: 'responders' },
  { key: 'emergency', kind: 'flag', choices: { true: 'Repeat' }, unset: 'Once' },
  { key: 'seconds', kind: 'number', when: { key: 'emergency', is: true } },
  { key: 'user', when: { key: 'tags' } },
]

test('a secret is kept as the API masks it until it is replaced', () => {
  const previous = { webhook_url: 'https://hooks.example/********', other: 7 }
  const { values, stored } = valuesOf(fields, previous)
  expect([values, stored]).toEqual([{}, { webhook_url: previous.webhook_url }])
  expect(configurationOf(fields, { values, stored, previous })).toEqual(previous)
  expect(configurationOf(fields, { values: { webhook_url: 'https://new.example' }, stored, previous })).toEqual({
    webhook_url: 'https://new.example',
    other: 7,
  })
  expect(configurationOf(fields, { values, stored: {}, previous })).toEqual({ other: 7 })
})

test('an address without its scheme gets one', () => {
  expect(configurationOf(fields, { values: { webhook_url: 'hooks.example/a' }, stored: {} })).toEqual({
    webhook_url: 'https://hooks.example/a',
  })
})

test('lists, headers and responders are texts in the form, and what they were in what it sends', () => {
  const configuration = {
    headers: { Authorization: '********', 'X-Team': 'a: b' },
    tags: ['slo', 'shop'],
    responders: [
      { type: 'team', name: 'the shop' },
      { type: 'user', username: 'ada@example.com' },
      { type: 'team', id: '4' },
    ],
    emergency: true,
    seconds: 60,
  }
  const { values } = valuesOf(fields, configuration)
  expect(values).toEqual({
    headers: 'Authorization: ********\nX-Team: a: b',
    tags: 'slo, shop',
    responders: 'team the shop\nuser ada@example.com\nteam id:4',
    emergency: 'true',
    seconds: '60',
  })
  expect(configurationOf(fields, { values, stored: {} })).toEqual(configuration)
})

test('what is not asked for is not sent, and what is no number is sent for the API to refuse', () => {
  const values = { email: 'ada@example.com', emergency: 'true', seconds: 'soon', headers: 'no colon', tags: ' , ' }
  expect(configurationOf(fields, { values, stored: {} })).toEqual({
    emergency: true,
    seconds: 'soon',
    headers: { 'no colon': '' },
    tags: [],
  })
  expect(configurationOf(fields, { values: { mode: 'jsm', email: ' a@b.c ' }, stored: {} })).toEqual({
    mode: 'jsm',
    email: 'a@b.c',
  })
})

test('a field is asked for by the value of another one, which may be its default, or by any value', () => {
  const shown = (values: Record<string, string>) =>
    fields.filter((field) => field.when && isShown(field, fields, values)).map(({ key }) => key)
  expect(shown({})).toEqual(['api_key'])
  expect(shown({ mode: 'genie', emergency: '' })).toEqual(['api_key'])
  expect(shown({ mode: 'jsm', emergency: 'true', tags: 'a' })).toEqual(['email', 'seconds', 'user'])
  expect(shown({ tags: ' ' })).toEqual(['api_key'])
})

test('a stored channel is shown as the product that it is of', () => {
  const of = (channel_type: string, product: string | null, configuration: object = {}) =>
    productOf({ channel_type, product, configuration })?.id
  expect(of('chat_hook_a', 'slack')).toBe('slack')
  expect(of('webhook', null, { format: 'alertmanager' })).toBe('alertmanager')
  expect(of('webhook', null, { format: 'nines' })).toBe('webhook')
  expect(of('carrier_pigeon', null)).toBeUndefined()
})

test('health says since when a channel fails, and until when it is paused', () => {
  const nowMs = new Date(2026, 10, 18, 14, 0).getTime()
  const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()
  const health = {
    status: 'unhealthy' as const,
    consecutive_failures: 3,
    failing_since: at(-60),
    last_error: 'the receiver answered 404',
    last_success_at: at(-90),
    paused_until: at(30),
  }
  expect(healthOf({ enabled: true, health }, nowMs)).toEqual({
    state: 'critical',
    word: 'Failing since 13:00',
    detail: 'the receiver answered 404; paused until 14:30',
  })
  const once = { ...health, status: 'healthy' as const, consecutive_failures: 1, paused_until: at(-1) }
  expect(healthOf({ enabled: true, health: once }, nowMs)).toMatchObject({ state: 'warning', word: 'Failed last time' })
  expect(healthOf({ enabled: false, health }, nowMs).word).toBe('Switched off')
  const well = { ...once, consecutive_failures: 0, last_error: null }
  expect(healthOf({ enabled: true, health: well }, nowMs)).toEqual({ state: 'healthy', word: 'Works', detail: null })
  expect(healthOf({ enabled: true, health: { ...well, status: 'untested' } }, nowMs).word).toBe('Not tried yet')
})

test('a form of mails promises a mail server only where nines has one, and else asks for it', () => {
  const [mail, slack] = [productOf(stored('email')), productOf(stored('slack'))]
  if (!mail || !slack) throw new Error('must be products')
  const isMore = (hasServer: boolean) =>
    Object.fromEntries(fieldsOf(mail, hasServer).map(({ key, isMore }) => [key, isMore]))
  expect(howOf(mail, true)).toContain('through the mail server of nines')
  expect(isMore(true)).toMatchObject({ to: false, smtp_server: true, from: true })
  expect(howOf(mail, false)).toBe('nines has no mail server of its own: name the one that sends these mails.')
  expect(isMore(false)).toMatchObject({ to: false, smtp_server: false, smtp_password: false, from: true })
  expect([howOf(slack, false), fieldsOf(slack, false)]).toEqual([slack.how, slack.fields])
  expect(products.filter(({ how }) => /[A-Z]+_[A-Z]+/.test(how))).toEqual([])
})

const stored = (product: string) => ({ product, channel_type: product })
