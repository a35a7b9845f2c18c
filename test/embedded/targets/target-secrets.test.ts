import { unsealAuth } from '../../../src/http/endpoint-auth.ts'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Answer, TestApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { rulesOf } from '../../support/rules-of.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await joinedApp()
})
afterEach(() => nines.close())

const targets = '/api/v1/embedded/targets'
const url = 'https://node.example/metrics'
const auth = { basic: { username: 'prom', password: 's3cret' }, headers: { 'X-Key': 'k3y' } }
const masked = { basic: { username: 'prom', password: '********' }, headers: { 'X-Key': '********' } }
const create = (change: object = {}) => nines.call('POST', targets, { name: 'node', url, auth, ...change })
const change = (body: unknown) => nines.call('PUT', `${targets}/1`, body)
const failure = ({ status, body }: Answer) => [status, rulesOf(body)]
const kept = async () => {
  const row = await nines.app.db.read.selectFrom('scrape_targets').selectAll().executeTakeFirstOrThrow()
  return unsealAuth(nines.app.seal, 'scrape_targets.sealed_auth', row)
}

test('credentials are sealed, and presented masked', async () => {
  expect((await create()).body.auth).toEqual(masked)
  expect((await nines.call('GET', targets)).body.targets[0].auth).toEqual(masked)
  const rows = await nines.app.db.read.selectFrom('scrape_targets').selectAll().execute()
  expect(JSON.stringify(rows)).not.toMatch(/s3cret|k3y/)
  expect(await kept()).toEqual(auth)
})

describe('credentials', () => {
  test.each<[string, object, object | null]>([
    ['stay where nothing is said of them', { name: 'other' }, auth],
    ['stay where the masks come back', { auth: masked }, auth],
    ['stay for another path of the host', { url: 'https://node.example/other' }, auth],
    [
      'are changed one by one',
      { auth: { ...masked, headers: { 'X-Key': 'n3w' } } },
      { ...auth, headers: { 'X-Key': 'n3w' } },
    ],
    ['are taken away', { auth: null }, null],
    ['are taken away for another host', { auth: null, url: 'http://evil.example/' }, null],
    ['are sent again for another host', { auth, url: 'http://evil.example/' }, auth],
  ])('%s', async (_, body, stored) => {
    await create()
    expect((await change(body)).status).toBe(200)
    expect(await kept()).toEqual(stored)
  })

  test.each([
    ['https://evil.example/metrics', 'on another host'],
    ['http://evil.example:8443/metrics', 'on another host'],
    ['http://node.example/metrics', 'with another scheme'],
    ['https://node.example:8443/metrics', 'on another port'],
  ])('do not follow to %s by themselves, which is %s', async (elsewhere, move) => {
    await create()
    expect(failure(await change({ url: elsewhere }))).toEqual([
      400,
      `auth: must be sent again, or null: stored credentials are not sent to a URL ${move}`,
    ])
    expect(failure(await change({ url: elsewhere, auth: masked }))).toEqual([
      400,
      'auth.headers.X-Key: must be the secret itself, not its mask: none is stored',
    ])
    expect((await nines.call('GET', `${targets}/1`)).body.url).toBe(url)
  })
})

describe('the audit log', () => {
  const details = async (event: string) =>
    (await nines.call('GET', `/api/v1/audit-log?event=${event}`)).body.entries.map(
      (one: { details: unknown }) => one.details,
    )

  test('has what is made, changed and deleted, and no secret', async () => {
    await create({ url: `${url}?token=q3ery` })
    await change({ is_active: false, auth: { bearer: { token: 't0ken' } } })
    await nines.call('DELETE', `${targets}/1`)
    const shown = { id: 1, name: 'node', url, is_active: true }
    expect(await details('target_created')).toEqual([{ ...shown, auth_changed: true }])
    expect(await details('target_changed')).toEqual([{ ...shown, is_active: false, auth_changed: true }])
    expect(await details('target_deleted')).toEqual([{ ...shown, is_active: false }])
    const rows = await nines.app.db.read.selectFrom('audit_log').selectAll().execute()
    expect(JSON.stringify(rows)).not.toMatch(/s3cret|k3y|t0ken|q3ery/)
  })

  test('has nothing of what is refused', async () => {
    await create()
    expect((await create()).status).toBe(409)
    expect((await change({ url: 'http://evil.example' })).status).toBe(400)
    expect(await details('target_changed')).toEqual([])
    expect(await details('target_created')).toHaveLength(1)
  })
})
