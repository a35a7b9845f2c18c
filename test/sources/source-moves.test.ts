import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { joinedApp } from '../support/reused-app.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { rulesOf } from '../support/rules-of.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(() => 0.999)
  nines = await joinedApp()
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const masked = '********'
const create = (auth: unknown) =>
  nines.call('POST', '/api/v1/tsdb/sources', { name: 'main', api_url: source.url, auth })
const change = (body: unknown) => nines.call('PUT', '/api/v1/tsdb/sources/1', body)
const read = async () => (await nines.call('GET', '/api/v1/tsdb/sources/1')).body
const sent = async () => {
  await nines.call('POST', '/api/v1/tsdb/query', { query: 'up' })
  return { authorization: source.asked.at(-1)?.headers.get('authorization') }
}

describe('another host', () => {
  const elsewhere = 'https://other.example/prom'
  const auth = { bearer: { token: 's3cret-token' } }

  test.each([
    [
      'none with the change',
      { api_url: elsewhere },
      'auth: must be sent again, or null: stored credentials are not sent to a URL on another host',
    ],
    [
      'masks',
      { api_url: elsewhere, auth: { bearer: { token: masked } } },
      'auth.bearer.token: must be the secret itself, not its mask: none is stored',
    ],
  ])('does not get the stored credentials: %s', async (_, body, details) => {
    await create(auth)
    const refused = await change(body)
    expect([refused.status, rulesOf(refused.body)]).toEqual([400, details])
    expect((await read()).api_url).toBe(source.url)
    expect(await sent()).toEqual({ authorization: 'Bearer s3cret-token' })
  })

  test('is what is said of a URL whose host has changed; of the same host, that its port has', async () => {
    await create(auth)
    const { port } = new URL(source.url)
    const { status, body } = await change({ api_url: source.url.replace(port, String(Number(port) ^ 1)) })
    expect([status, rulesOf(body)]).toEqual([
      400,
      'auth: must be sent again, or null: stored credentials are not sent to a URL on another port',
    ])
  })

  test.each([
    [null, null],
    [{ bearer: { token: 'another' } }, { bearer: { token: masked } }],
  ])('takes %j in the same request', async (given, masked) => {
    await create(auth)
    expect((await change({ api_url: elsewhere, auth: given })).body).toMatchObject({ api_url: elsewhere, auth: masked })
  })

  test('is another scheme or port too; another path is not', async () => {
    await create(auth)
    const { host, hostname } = new URL(source.url)
    for (const api_url of [`https://${host}`, `http://${hostname}:1`])
      expect((await change({ api_url })).status).toBe(400)
    expect((await change({ api_url: `${source.url}/prom` })).status).toBe(200)
  })

  test('is no matter without credentials', async () => {
    await create(null)
    expect((await change({ api_url: elsewhere })).status).toBe(200)
  })
})
