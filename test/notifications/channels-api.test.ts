import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { channelTypes } from '../../src/notifications/channels/index.ts'
import { type TestApp, testStartMs } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { countEventLoopIterations } from '../support/event-loop-iterations.ts'
import { goodConfigurations, webhookTo } from '../support/good-configurations.ts'
import { dump } from '../support/populated.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const channels = '/api/v1/notifications/channels'
const good = webhookTo('https://receiver.example')
const create = (more: object = {}) => nines.call('POST', channels, { ...good, ...more })
const change = (body: unknown, id = 1) => nines.call('PUT', `${channels}/${id}`, body)
const now = new Date(testStartMs).toISOString()
const configuration = { webhook_url: 'https://receiver.example/********', format: 'nines', secret: '********' }
const created = {
  id: 1,
  organization_id: 1,
  name: 'on call',
  channel_type: 'webhook',
  product: null,
  configuration,
  config: configuration,
  enabled: true,
  is_default: false,
  max_retries: 3,
  retry_policy: 'exponential_backoff',
  health: {
    status: 'untested',
    consecutive_failures: 0,
    failing_since: null,
    last_error: null,
    last_success_at: null,
    paused_until: null,
  },
  created_at: now,
  updated_at: now,
}

test('a list of many channels lets the event loop go on while configurations are opened', async () => {
  await Promise.all(Array.from({ length: 400 }, (_, at) => create({ name: `channel ${at}` })))
  using turns = countEventLoopIterations()
  const { body } = await nines.call('GET', channels)
  expect(body.count).toBe(400)
  expect(turns.count()).toBeGreaterThan(2)
})

test('the table has every type that the API promises', () => {
  const named = 'apprise google_chat gotify matrix ntfy pushover teams'
  const types = `${named} bot_chat chat_hook_a chat_hook_b email incident_a incident_b webhook`.split(' ')
  expect(Object.keys(channelTypes).toSorted()).toEqual(types.toSorted())
})

const products = {
  slack: 'chat_hook_a',
  discord: 'chat_hook_b',
  telegram: 'bot_chat',
  pagerduty: 'incident_a',
  opsgenie: 'incident_b',
} as const

test.each(Object.entries(products))('a channel for %s is created by that name, and is a %s', async (product, type) => {
  const { configuration } = goodConfigurations[type]
  for (const channel_type of [product, type]) {
    const { status, body } = await create({ channel_type, configuration })
    expect([status, body.data]).toMatchObject([201, { channel_type: type, product }])
  }
  const stored = await nines.app.db.read.selectFrom('channels').select('channel_type').execute()
  expect(stored).toEqual([{ channel_type: type }, { channel_type: type }])
})

test('the name of a product is the same type in a change, and another product another type', async () => {
  await create({ channel_type: 'slack', configuration: { webhook_url: 'https://hooks.slack.example/x' } })
  const same = await change({ channel_type: 'slack', name: 'renamed' })
  expect([same.status, same.body.data]).toMatchObject([200, { channel_type: 'chat_hook_a', name: 'renamed' }])
  expect((await change({ channel_type: 'discord' })).body.details).toBe(
    'configuration: must have the fields of a chat_hook_b channel',
  )
})

test('the names of types and products are all different', () => {
  const names = Object.entries(channelTypes).flatMap(([name, { product }]) =>
    product === null ? [name] : [name, product],
  )
  expect(new Set(names).size).toBe(names.length)
})

test('a channel is created, listed, read and deleted', async () => {
  expect(await create()).toMatchObject({ status: 201, body: { success: true, data: created } })
  expect((await nines.call('GET', channels)).body).toEqual({ success: true, count: 1, data: [created] })
  expect((await nines.call('GET', `${channels}/1`)).body).toEqual({ success: true, data: created })
  const deleted = await nines.call('DELETE', `${channels}/1`)
  expect([deleted.status, deleted.body]).toEqual([200, { success: true, message: 'Channel deleted' }])
  expect((await nines.call('GET', `${channels}/1`)).body).toEqual({
    success: false,
    error: 'Notification channel not found',
  })
  expect((await nines.call('GET', channels)).body).toEqual({ success: true, count: 0, data: [] })
})

test('what may be given at creation is kept', async () => {
  const given = {
    name: '  mine ',
    enabled: false,
    is_default: true,
    max_retries: 0,
    retry_policy: 'exponential_backoff',
  }
  const { status, body } = await create(given)
  expect([status, body.data]).toEqual([
    201,
    { ...created, name: 'mine', enabled: false, is_default: true, max_retries: 0 },
  ])
})

test('a configuration may be called config, and both where they say the same', async () => {
  const { configuration: config, ...others } = good
  for (const body of [
    { ...others, config },
    { ...good, config },
  ]) {
    const { status, body: answer } = await nines.call('POST', channels, body)
    expect([status, answer.data.configuration, answer.data.config]).toEqual([201, configuration, configuration])
  }
  const other = { webhook_url: 'https://other.example/x' }
  expect((await change({ config: other })).body.data.config.webhook_url).toBe('https://other.example/********')
  const both = await change({ config: other, configuration: config })
  expect([both.status, both.body.details]).toEqual([
    400,
    'config: cannot differ from configuration: send one of the two',
  ])
})

test('a change changes what is given, and nothing else', async () => {
  await create()
  nines.clock.advance(60_000)
  const { status, body } = await change({ name: 'renamed', max_retries: 100 })
  const updated_at = new Date(nines.clock.now()).toISOString()
  const data = { ...created, name: 'renamed', max_retries: 100, updated_at }
  expect([status, body]).toEqual([200, { success: true, message: 'Channel updated', data }])
  expect((await nines.call('GET', `${channels}/1`)).body.data).toEqual(data)
})

test('a configuration is replaced as a whole', async () => {
  await create()
  const { body } = await change({ configuration: { webhook_url: 'https://other.example/x', format: 'alertmanager' } })
  expect(body.data.configuration).toEqual({ webhook_url: 'https://other.example/********', format: 'alertmanager' })
})

test('another type comes with its configuration, and with its secrets', async () => {
  await create()
  const type = { channel_type: 'chat_hook_a' }
  expect((await change(type)).body.details).toBe('configuration: must have the fields of a chat_hook_a channel')
  const masked = await change({ ...type, configuration: { webhook_url: configuration.webhook_url } })
  expect([masked.status, masked.body.details]).toEqual([
    400,
    expect.stringContaining('configuration.webhook_url: must be the secret itself'),
  ])
  const moved = await change({ ...type, configuration: { webhook_url: 'https://receiver.example/new' } })
  expect(moved.body.data).toMatchObject({ channel_type: 'chat_hook_a', name: 'on call' })
  expect((await change({ channel_type: 'chat_hook_a', name: 'same type' })).status).toBe(200)
})

const typesMessage = /^channel_type: must be one of .*\bemail\b/
const retries = 'max_retries: must be a whole number from 0 to 100'
const refused: [string, object, string | RegExp][] = [
  ['no name', { name: undefined }, /^name: /],
  [
    'an empty name',
    { name: '  ' },
    'name: must be 1 to 200 characters, one of them visible, no control characters, got "  "',
  ],
  ['a long name', { name: 'x'.repeat(201) }, /^name: /],
  ['a name of two lines', { name: 'a\r\nBcc: x' }, /^name: /],
  ['no type', { channel_type: undefined }, /^channel_type: /],
  ['an unknown type', { channel_type: 'pigeon' }, typesMessage],
  ['a type that objects have by nature', { channel_type: 'constructor' }, typesMessage],
  ['null as type', { channel_type: null }, /^channel_type: /],
  ['no configuration', { configuration: undefined }, 'configuration: is required: an object'],
  ['null as configuration', { configuration: null }, 'configuration: must be an object'],
  ['a text as configuration', { configuration: '{"webhook_url":"s3cret"}' }, 'configuration: must be an object'],
  ['a list as configuration', { configuration: [good.configuration] }, 'configuration: must be an object'],
  ['a number as config', { configuration: undefined, config: 7 }, 'config: must be an object'],
  ['an empty configuration', { configuration: {} }, /^configuration\.webhook_url: must /],
  ['a wrong key', { configuration: { webhook_url: 'ftp://s3cret' } }, /^configuration\.webhook_url: must /],
  ['enabled as text', { enabled: 'yes' }, 'enabled: must be true or false, got "yes"'],
  ['less than no retries', { max_retries: -1 }, `${retries}, got -1`],
  ['too many retries', { max_retries: 101 }, `${retries}, got 101`],
  ['half a retry', { max_retries: 1.5 }, `${retries}, got 1.5`],
  ['another policy', { retry_policy: 'linear' }, 'retry_policy: must be one of exponential_backoff, got "linear"'],
]

describe('what is refused leaves nothing behind:', () => {
  test.each(refused)('a creation with %s', async (_, wrong, details) => {
    const before = dump(nines)
    const { status, body, text } = await create(wrong)
    expect([status, body.error]).toEqual([400, 'Invalid request'])
    expect(body.details).toEqual(details instanceof RegExp ? expect.stringMatching(details) : details)
    expect(text).not.toContain('s3cret')
    expect(dump(nines)).toEqual(before)
  })

  test.each(refused.filter(([name]) => !name.startsWith('no ')))('a change to %s', async (_, wrong, details) => {
    await create()
    const before = dump(nines)
    const { status, body } = await change({ max_retries: 5, ...wrong })
    expect(status).toBe(400)
    expect(body.details).toEqual(details instanceof RegExp ? expect.stringMatching(details) : details)
    expect(dump(nines)).toEqual(before)
  })

  test.each([
    ['nothing', {}],
    ['unknown fields', { colour: 'red' }],
  ])('a change of %s', async (_, body) => {
    await create()
    expect((await change(body)).body.details).toBe('body: must have at least one known field of a channel')
  })
})

test.each(['abc', '0', '-1', '1.5', '%00'])('%s is no id of a channel', async (id) => {
  for (const [method, body] of [['GET'], ['PUT', { name: 'a' }], ['DELETE']] as const) {
    const { status, body: answer } = await nines.call(method, `${channels}/${id}`, body)
    const came = id === '%00' ? String.raw`\u0000` : id
    expect([status, answer.details]).toEqual([400, `id: must be the channel id, a whole number from 1, got "${came}"`])
  }
})
