import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { TestApp } from '../support/app.ts'
import { expectNoFailureLogged, hostileValues } from '../support/hostile.ts'
import type { Populated } from '../support/populated.ts'
import { populatedApp } from '../support/populated-app.ts'
import { routesOfTheServer } from '../support/routes.ts'

const paths = (await routesOfTheServer()).filter(({ path }) => path.startsWith('/oauth/'))
const posts = paths.filter(({ method }) => method === 'POST').map(({ path }) => path)
const gets = paths.filter(({ method }) => method === 'GET').map(({ path }) => path)
const form = { 'content-type': 'application/x-www-form-urlencoded' }

let nines: TestApp
let ada: Populated
beforeEach(async () => {
  ;({ nines, ada } = await populatedApp({ ada: 2 }))
})
afterEach(() => nines.close())

/** Valid parameters of the endpoints, as far as an attacker without credentials can know them. */
const usual = (): Record<string, string> => ({
  response_type: 'code',
  client_id: ada.things.oauthClient,
  redirect_uri: 'https://ada.example/callback',
  code_challenge: 'x'.repeat(43),
  code_challenge_method: 'S256',
  code_verifier: 'x'.repeat(43),
  scope: 'read',
  state: 'state',
  grant_type: 'authorization_code',
  code: 'code',
  refresh_token: 'token',
  token: 'token',
  token_type_hint: 'access_token',
  email: 'ada@example.com',
  password: 'incorrect horse',
  decision: 'allow',
})
const asText = (value: unknown) => (typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value))

async function send(method: string, path: string, body?: string) {
  await nines.app.db.write.deleteFrom('login_attempts').execute()
  const headers = body === undefined ? {} : form
  const { status, text } = await nines.call(method, path, body, { token: null, headers })
  expect([path, body?.slice(0, 300), status < 500]).toEqual([path, body?.slice(0, 300), true])
  expect(text).not.toMatch(/SQLITE|SELECT |node_modules|\.ts:\d|<script/)
  return status
}

describe('nothing in a form upsets', () => {
  test.each(posts)('POST %s', async (path) => {
    const grantTypes = ['authorization_code', 'refresh_token', 'password', '']
    for (const [nth, grant_type] of grantTypes.entries()) {
      for (const [place, field] of Object.keys(usual()).entries()) {
        // each value of each field once, with one of the grant types
        for (const value of hostileValues.filter((_, at) => (at + place) % grantTypes.length === nth)) {
          const fields = { ...usual(), grant_type, [field]: asText(value) }
          await send('POST', path, new URLSearchParams(fields).toString())
        }
      }
      const twice = `${new URLSearchParams({ ...usual(), grant_type })}&grant_type=password&client_id=x`
      expect(await send('POST', path, twice)).toBeGreaterThanOrEqual(400)
    }
    for (const body of [
      '',
      '&&&',
      '=',
      '%',
      '%zz=%ff',
      'a'.repeat(60_000),
      'a&'.repeat(30_000),
      '{}',
      '__proto__=x&constructor=y',
    ]) {
      expect([body.slice(0, 20), await send('POST', path, body)]).not.toEqual([body.slice(0, 20), 200])
    }
    expect(await send('POST', path, `token=${'x'.repeat(1_000_000)}`)).toBe(413)
    expectNoFailureLogged(nines)
  })
})

describe('nothing in a query string upsets', () => {
  test.each(gets)('GET %s', async (path) => {
    for (const field of Object.keys(usual())) {
      for (const value of hostileValues) {
        const query = new URLSearchParams({ ...usual(), [field]: asText(value).slice(0, 5000) })
        await send('GET', `${path}?${query}`)
      }
    }
    for (const query of ['', '&&&', '=', '%', '%zz=%ff', 'client_id=a&client_id=b', '__proto__=x']) {
      await send('GET', `${path}?${query}`)
    }
    expectNoFailureLogged(nines)
  })
})
