import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { webhookTo } from '../support/good-configurations.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const channels = '/api/v1/notifications/channels'
const hook = webhookTo('https://receiver.example')
const logged = async () => (await nines.call('GET', '/api/v1/audit-log?page_size=100')).body
const entriesOf = async (event: string) =>
  (await nines.call('GET', `/api/v1/audit-log?event=${event}`)).body.entries.map(
    ({ details }: { details: unknown }) => details,
  )
const channel = { id: 1, name: 'on call', channel_type: 'webhook', enabled: true, is_default: false, max_retries: 3 }

test('the creation of a channel is in the audit log, with who made it', async () => {
  await nines.call('POST', channels, hook, { headers: { 'user-agent': 'curl/8' } })
  expect((await logged()).entries[0]).toMatchObject({
    event: 'channel_created',
    outcome: 'success',
    user_id: 1,
    email: 'ada@example.com',
    user_agent: 'curl/8',
    details: channel,
  })
})

const { webhook_url } = hook.configuration
test.each([
  ['another name', { name: 'other' }, { name: 'other', configuration_changed: false }],
  ['rest', { enabled: false }, { enabled: false, configuration_changed: false }],
  ['another address', { config: { webhook_url: 'https://n3w.example/' } }, { configuration_changed: true }],
  ['the same configuration', { config: hook.configuration }, { configuration_changed: false }],
  ['the masks', { config: { webhook_url, secret: '********' } }, { configuration_changed: false }],
  ['less', { config: { webhook_url } }, { configuration_changed: true }],
])('a channel given %s is in the audit log', async (_, change, details) => {
  await nines.call('POST', channels, hook)
  expect((await nines.call('PUT', `${channels}/1`, change)).status).toBe(200)
  expect(await entriesOf('channel_changed')).toEqual([{ ...channel, ...details }])
})

test('the end of a channel is in the audit log', async () => {
  await nines.call('POST', channels, hook)
  await nines.call('DELETE', `${channels}/1`)
  expect(await entriesOf('channel_deleted')).toEqual([channel])
})

test('what is refused is no change, and has no entry', async () => {
  await nines.call('POST', channels, hook)
  const before = await logged()
  expect((await nines.call('PUT', `${channels}/1`, { channel_type: 'email' })).status).toBe(400)
  expect((await nines.call('DELETE', `${channels}/7`)).status).toBe(404)
  expect(await logged()).toEqual(before)
})

test('no secret is ever in the audit log', async () => {
  await nines.call('POST', channels, hook)
  const config = { webhook_url, headers: { 'X-Key': 'k3y' }, secret: 'n3w' }
  expect((await nines.call('PUT', `${channels}/1`, { config })).status).toBe(200)
  await nines.call('DELETE', `${channels}/1`)
  const rows = await nines.app.db.read.selectFrom('audit_log').selectAll().execute()
  expect(rows.length).toBeGreaterThan(3)
  expect(JSON.stringify(rows)).not.toMatch(/s3cret|n3w|k3y|receiver/)
})
