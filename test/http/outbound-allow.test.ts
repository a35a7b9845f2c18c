import { afterEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import { startReceiver } from '../support/receiver.ts'
import { rulesOf } from '../support/rules-of.ts'

let nines: TestApp
afterEach(async () => {
  await nines.close()
  closeAll()
})

const refusal =
  /the address 127\.0\.0\.1 is private: with REGISTRATION=open it is reached only if OUTBOUND_ALLOW names it/

/** Result of each kind of outbound request to a server on loopback. */
async function tryAll() {
  const receiver = startReceiver(() => new Response('m 1\n'))
  const source = fakeSource(() => 1)
  closeLater(() => void receiver.close())
  closeLater(source.close)
  const { host } = new URL(receiver.url)
  const made = async (path: string, body: object) => (await nines.call('POST', path, body)).body
  const tried = async (path: string, body: object) => {
    const { id } = await made(path, body)
    return (await nines.call('POST', `${path}/${id}/test`, {})).body.error
  }
  const probe = (type: string, target: string, settings = {}) =>
    tried('/api/v1/embedded/probes', { name: type, type, target, settings })
  await made('/api/v1/tsdb/sources', { name: 's', api_url: source.url })
  const webhook = { name: 'w', channel_type: 'webhook', configuration: { webhook_url: receiver.url } }
  const { data } = await made('/api/v1/notifications/channels', webhook)
  const told = { channel_id: data.id, subject: 'a', message: 'b' }
  return {
    source: (await nines.call('GET', '/api/v1/tsdb/health')).body.data_sources.at(-1).error,
    target: await tried('/api/v1/embedded/targets', { name: 't', url: receiver.url }),
    http: await probe('http', receiver.url),
    tcp: await probe('tcp', host),
    channel: rulesOf((await nines.call('POST', '/api/v1/notifications/test', told)).body),
  }
}

test('where everybody may register, nothing reaches loopback, and each says which setting allows it', async () => {
  nines = await joinedApp({ env: { OUTBOUND_ALLOW: '' } })
  const all = await tryAll()
  for (const [way, error] of Object.entries(all)) expect([way, error]).toEqual([way, expect.stringMatching(refusal)])
})

test.each([
  ['OUTBOUND_ALLOW names it', { OUTBOUND_ALLOW: '127.0.0.1' }],
  ['an invitation is needed', { OUTBOUND_ALLOW: '', REGISTRATION: 'invite' }],
  ['nobody may register', { OUTBOUND_ALLOW: '', REGISTRATION: 'closed' }],
])('loopback is reached where %s', async (_, env) => {
  nines = await joinedApp({ env })
  const errors = Object.values(await tryAll())
  expect(errors.filter((error) => typeof error === 'string' && refusal.test(error))).toEqual([])
  expect(errors.slice(0, 2)).toEqual([undefined, null])
})

test('the source that SOURCE_URL names is reached wherever it is, but no other way leads there', async () => {
  const source = fakeSource(() => 0.5)
  closeLater(source.close)
  nines = await testApp({ env: { OUTBOUND_ALLOW: '', SOURCE_URL: `${source.url}/` } })
  await nines.join('ada')
  expect((await nines.call('GET', '/api/v1/tsdb/health')).body.status).toBe('healthy')
  const query = await nines.call('POST', '/api/v1/tsdb/query', { query: 'up' })
  expect(query.status).toBe(200)
  nines.clock.advance(10_000)
  await nines.call('POST', '/api/v1/tsdb/sources', { name: 'other path', api_url: `${source.url}/admin` })
  const { body } = await nines.call('GET', '/api/v1/tsdb/health')
  expect(body.data_sources.map(({ error }: { error?: string }) => error ?? null)).toEqual([
    null,
    expect.stringMatching(refusal),
  ])
})
