import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { TestApp } from '../../support/app.ts'
import { apiWorld, asForm, root } from './api-world.ts'

let nines: TestApp & { mallory: string }
let apiToken = ''
beforeAll(async () => {
  nines = await apiWorld()
  apiToken = (await nines.call('POST', '/api/v1/auth/tokens', { name: 'grafana', role: 'viewer' })).body.token
})
afterAll(() => nines.close())

const everything = [
  'query?query={__name__!=""}',
  'query?query={__name__!=""}[5m]',
  'query_range?query={__name__!=""}&start=1795255100&end=1795255200&step=10',
  'series?match[]={__name__!=""}',
  'labels',
  'labels?match[]={__name__!=""}',
  'label/job/values',
  'label/instance/values?match[]={__name__!=""}',
  'label/secret_label/values',
]

describe('another organization’s samples are not seen by', () => {
  test.each(everything)('%s', async (asked) => {
    for (const at of [`${root}/${asked}`, `/api/v1${root}/${asked}`]) {
      const own = await nines.call('GET', at)
      expect([own.status, own.body.status]).toEqual([200, 'success'])
      expect(own.text).not.toMatch(/mallory|secret"/)
      const { text } = await nines.call('GET', at, undefined, { token: nines.mallory })
      expect(text).toMatch(/mallory|secret/)
      expect(text).not.toMatch(/shop|a:80/)
    }
  })
})

const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` })
const asker =
  (headers: Record<string, string>) =>
  async (path: string, method = 'GET') =>
    (await nines.call(method, path, undefined, { token: null, headers })).status

test('an API token is good as a bearer, and as the password of any user', async () => {
  for (const headers of [
    { authorization: `Bearer ${apiToken}` },
    basic(`grafana:${apiToken}`),
    basic(`:${apiToken}`),
  ]) {
    const ask = asker(headers)
    expect(await ask(`${root}/query?query=up`)).toBe(200)
    expect(await ask(`/api/v1${root}/query?query=up`, 'POST')).toBe(200)
  }
})

test('HTTP Basic is good for nothing else', async () => {
  const ask = asker(basic(`grafana:${apiToken}`))
  expect(await ask('/api/v1/slos')).toBe(401)
  expect(await ask('/api/v1/organization')).toBe(401)
})

test.each([
  ['a wrong token', basic('grafana:nines_wrong')],
  ['the password of a user', basic('ada@example.com:correct horse')],
  ['nothing after the colon', basic('grafana:')],
  ['no colon', basic('grafana')],
  ['what is not base64', { authorization: 'Basic ***' }],
])('%s is not taken', async (_, headers) => {
  const {
    status,
    body,
    headers: answered,
  } = await nines.call('GET', `${root}/query?query=up`, undefined, { token: null, headers })
  expect([status, body.error, answered.get('www-authenticate')]).toEqual([401, 'Not signed in', 'Bearer'])
})

test('what is said before a question is said in Prometheus’ form too, or Grafana would see an answer without data', async () => {
  for (const at of [root, `/api/v1${root}`]) {
    const { status, body } = await nines.call('GET', `${at}/query?query=up`, undefined, { token: 'wrong' })
    expect([status, body]).toEqual([
      401,
      {
        success: false,
        error: 'Not signed in',
        details: 'expired or invalid token',
        status: 'error',
        errorType: 'unauthenticated',
      },
    ])
  }
  expect((await nines.call('GET', '/api/v1/slos', undefined, { token: 'wrong' })).body).not.toHaveProperty('status')
})

test('a token that is revoked or has expired is good no longer', async () => {
  const made = await nines.call('POST', '/api/v1/auth/tokens', { name: 'gone', role: 'viewer' })
  const ask = asker(basic(`x:${made.body.token}`))
  expect(await ask(`${root}/labels`)).toBe(200)
  const { body } = await nines.call('GET', '/api/v1/auth/tokens')
  const { id } = body.tokens.find(({ name }: { name: string }) => name === 'gone')
  await nines.call('DELETE', `/api/v1/auth/tokens/${id}`)
  expect(await ask(`${root}/labels`)).toBe(401)
})

test('a form is not read before its sender is known', async () => {
  const { status } = await nines.call('POST', `${root}/query`, 'query=up', { token: null, headers: asForm })
  expect(status).toBe(401)
})
