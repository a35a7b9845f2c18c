import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { addUser } from '../support/accounts.ts'
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts'

let nines: TestApp
let prometheus: Receiver
beforeEach(async () => {
  nines = await testApp()
  await nines.join('ada')
  prometheus = startReceiver(answerOf)
})
afterEach(async () => {
  await prometheus.close()
  await nines.close()
})

const sources = '/api/v1/tsdb/sources'
const tryUnsaved = (change: object = {}) =>
  nines.call('POST', `${sources}/test`, { name: 'main', api_url: prometheus.url, ...change })
const stored = async () => (await nines.call('GET', sources)).body.sources

/** A Prometheus with two targets, one of which is up, that requires a token. */
function answerOf({ path, headers }: Received): Response {
  if (headers.get('authorization') !== 'Bearer s3cret') return new Response('who are you?', { status: 401 })
  if (path.endsWith('/status/buildinfo')) {
    return Response.json({ status: 'success', data: { version: '3.5.0' } })
  }
  const result = ['0', '1'].map((value) => ({ metric: { job: 'node' }, value: [1, value] }))
  return Response.json({ status: 'success', data: { resultType: 'vector', result } })
}

const auth = { bearer: { token: 's3cret' } }

test('a source that is not stored is asked, and stays so', async () => {
  const { status, body } = await tryUnsaved({ auth })
  expect([status, body]).toEqual([
    200,
    {
      ok: true,
      error: null,
      duration_ms: expect.any(Number),
      version: '3.5.0',
      targets: { all: 2, up: 1, jobs: ['node'] },
    },
  ])
  expect(await stored()).toEqual([])
  expect((await nines.call('GET', '/metrics')).text).not.toContain('source_id="0"')
})

test('why it does not answer is said, without its credentials', async () => {
  expect((await tryUnsaved()).body).toMatchObject({
    ok: false,
    error: 'main: HTTP 401, check its credentials',
    targets: null,
  })
  const { body } = await tryUnsaved({ api_url: 'http://127.0.0.1:1', auth })
  expect(body).toMatchObject({ ok: false, error: 'main: connection refused', version: null })
  expect(JSON.stringify(body)).not.toContain('s3cret')
})

test('what cannot be asked is refused at its field', async () => {
  const { status, body } = await tryUnsaved({ api_url: 'embedded', auth })
  expect([status, body.problems[0].field]).toEqual([400, 'auth'])
  expect((await tryUnsaved({ auth: { bearer: { token: '********' } } })).body.problems[0].field).toBe(
    'auth.bearer.token',
  )
})

test('a stored source is asked with its secrets and with changes, which are not kept', async () => {
  await nines.call('POST', sources, { name: 'main', api_url: prometheus.url, auth })
  const again = (body?: object) => nines.call('POST', `${sources}/1/test`, body)
  expect((await again()).body.ok).toBe(true)
  expect((await again({ auth: { bearer: { token: '********' } } })).body.ok).toBe(true)
  expect((await again({ auth: null })).body).toMatchObject({
    ok: false,
    error: 'main: HTTP 401, check its credentials',
  })
  const [one] = await stored()
  expect(one).toMatchObject({ auth: { bearer: { token: '********' } }, health: { status: 'answers', error: null } })
  const moved = await again({ api_url: 'http://127.0.0.1:1' })
  expect([moved.status, moved.body.problems[0].field]).toEqual([400, 'auth'])
})

test('its health says since when it gives no answer, and forgets that with the next one', async () => {
  await nines.call('POST', sources, { name: 'main', api_url: prometheus.url, auth })
  const ask = () => nines.call('POST', `${sources}/1/test`)
  const health = async () => (await stored())[0].health
  const since = new Date(nines.clock.now()).toISOString()
  prometheus.next(() => new Response('', { status: 500 }))
  await ask()
  nines.clock.advance(60_000)
  prometheus.next(() => new Response('', { status: 500 }))
  await ask()
  expect(await health()).toMatchObject({ status: 'failing', failing_since: since, error: 'main: HTTP 500' })
  await ask()
  expect(await health()).toMatchObject({ status: 'answers', failing_since: null, error: null })
})

test('the SLOs that read a source are named: by name, and as the default', async () => {
  await nines.call('POST', sources, { name: 'first', api_url: prometheus.url })
  await nines.call('POST', sources, { name: 'second', api_url: `${prometheus.url}/b` })
  const slo = { target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up', force: true }
  await nines.call('POST', '/api/v1/slos', { ...slo, name: 'by default' })
  await nines.call('POST', '/api/v1/slos', { ...slo, name: 'by name', source_id: 2 })
  const named = async (id: number) => (await nines.call('GET', `${sources}/${id}/slos`)).body.slos
  expect([await named(1), await named(2)]).toEqual([[{ id: 1, name: 'by default' }], [{ id: 2, name: 'by name' }]])
  expect((await stored()).map((one: { slo_count: number }) => one.slo_count)).toEqual([1, 1])
})

test('only administrators try, and only what is their own', async () => {
  await nines.call('POST', sources, { name: 'main', api_url: prometheus.url, auth })
  const member = await addUser(nines, 'grace', 'member')
  const other = await nines.join('eve')
  expect((await nines.call('POST', `${sources}/1/test`, {}, { token: member })).status).toBe(403)
  expect((await nines.call('POST', `${sources}/1/test`, {}, { token: other })).status).toBe(404)
  expect((await nines.call('GET', `${sources}/1/slos`, undefined, { token: other })).status).toBe(404)
  expect(prometheus.received).toEqual([])
})
