import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'

let nines: TestApp
let port: string
beforeEach(async () => {
  nines = await joinedApp()
  port = new URL(nines.listen()).port
})
afterEach(() => nines.close())

/** The error does not reveal the address of a name. */
const refusal = /the address ([\d.:[\]a-f]+ with port \d+ is where nines itself listens|of the host may not be reached)/
const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '127.9.9.9']

test.each(hosts)('nines is not queried by a source at %s', async (host) => {
  await nines.call('POST', '/api/v1/tsdb/sources', { name: 's', api_url: `http://${host}:${port}` })
  const { body } = await nines.call('GET', '/api/v1/tsdb/health')
  expect(body.data_sources[0].error).toMatch(refusal)
})

test.each(hosts)('nines is not scraped, nor probed, at %s', async (host) => {
  const url = `http://${host}:${port}/metrics`
  const { body: target } = await nines.call('POST', '/api/v1/embedded/targets', { name: 't', url })
  expect((await nines.call('POST', `/api/v1/embedded/targets/${target.id}/test`, {})).body.error).toMatch(refusal)
  const probes = [
    { name: 'http', type: 'http', target: url },
    { name: 'tcp', type: 'tcp', target: `${host}:${port}` },
  ]
  for (const probe of probes) {
    const { body } = await nines.call('POST', '/api/v1/embedded/probes', probe)
    expect((await nines.call('POST', `/api/v1/embedded/probes/${body.id}/test`, {})).body.error).toMatch(refusal)
  }
})

test('nines is not queried as a name server', async () => {
  const probe = { name: 'dns', type: 'dns', target: 'example.org', settings: { server: `localhost:${port}` } }
  const { body } = await nines.call('POST', '/api/v1/embedded/probes', probe)
  expect((await nines.call('POST', `/api/v1/embedded/probes/${body.id}/test`, {})).body.error).toMatch(refusal)
})

test('a redirect to nines is not followed', async () => {
  const elsewhere = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.redirect(`http://127.0.0.1:${port}/health`),
  })
  const probe = { name: 'http', type: 'http', target: `http://127.0.0.1:${elsewhere.port}/` }
  const { body } = await nines.call('POST', '/api/v1/embedded/probes', probe)
  const tried = await nines.call('POST', `/api/v1/embedded/probes/${body.id}/test`, {})
  await elsewhere.stop(true)
  expect(tried.body.error).toMatch(refusal)
})

test.each([
  ['webhook', () => ({ webhook_url: `http://localhost:${port}/api/v1/auth/register` })],
  ['chat_hook_a', () => ({ webhook_url: `http://127.0.0.1:${port}/api/v1/auth/register` })],
  ['email', () => ({ to: 'a@example.com', smtp_server: `localhost:${port}` })],
  ['ntfy', () => ({ topic: 'a', server_url: `http://localhost:${port}` })],
  ['gotify', () => ({ app_token: 'a', server_url: `http://127.0.0.1:${port}` })],
  ['matrix', () => ({ access_token: 'a', room_id: '!a:b', homeserver_url: `http://127.0.0.1:${port}` })],
  ['apprise', () => ({ key: 'a', api_url: `http://127.0.0.1:${port}` })],
  ['teams', () => ({ webhook_url: `http://127.0.0.1:${port}/api/v1/auth/register` })],
  ['google_chat', () => ({ webhook_url: `http://127.0.0.1:${port}/api/v1/auth/register` })],
])('nines is not told anything by a channel: %s', async (channel_type, configuration) => {
  const channel = { name: 'c', channel_type, configuration: configuration() }
  await nines.call('POST', '/api/v1/notifications/channels', channel)
  const test = { channel_id: 1, subject: 'hello', message: 'is this on?' }
  expect((await nines.call('POST', '/api/v1/notifications/test', test)).body.details).toMatch(refusal)
})
