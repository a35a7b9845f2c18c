import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestApp, testApp } from '../support/app.ts'
import { closeAll } from '../support/closing.ts'
import { newFolder, register, startNines } from '../support/process.ts'

let nines: TestApp
beforeEach(async () => {
  nines = await testApp({ env: { REGISTRATION: '' } })
})
afterEach(async () => {
  await nines.close()
  await closeAll()
})

const account = (name: string) => ({ email: `${name}@example.com`, name, password: 'correct horse' })
const users = async ({ app }: TestApp) => app.db.read.selectFrom('users').select('name').execute()

/** Registers over the socket. */
async function ask(url: string, headers: Record<string, string>, body: object) {
  const response = await fetch(`${url}/api/v1/auth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...Object(await response.json()) }
}

const elsewhere = { 'x-forwarded-for': '203.0.113.7' }
const needsToken = {
  status: 403,
  error: 'Setup token needed',
  details: expect.stringMatching(/^setup_token: .* log .* setup\.secret in its data folder$/),
}

describe('the first account', () => {
  test.each(['', 'open', 'closed'])('is made on this machine as it is (REGISTRATION=%s)', async (mode) => {
    const other = await testApp({ env: { REGISTRATION: mode } })
    expect((await ask(other.listen(), {}, account('ada'))).status).toBe(201)
    await other.close()
  })

  test.each([
    ['X-Forwarded-For', elsewhere],
    ['X-Forwarded-For that names loopback', { 'x-forwarded-for': '127.0.0.1' }],
    ['Forwarded', { forwarded: 'for=203.0.113.7' }],
    ['X-Real-IP', { 'x-real-ip': '203.0.113.7' }],
    ['X-Forwarded-Proto', { 'x-forwarded-proto': 'https' }],
    ['Via', { via: '1.1 proxy' }],
    ['the name of another host', { host: 'attacker.example' }],
    ['the Origin of another site', { origin: 'https://attacker.example' }],
    ['the Origin of another port of this machine', { origin: 'http://127.0.0.1:1' }],
    ['the Origin of a file', { origin: 'null' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
    ['Sec-Fetch-Site: same-site', { 'sec-fetch-site': 'same-site' }],
  ])('needs the setup token where a request from loopback has %s', async (_, headers) => {
    for (const env of [{}, { TRUST_PROXY: '127.0.0.1' }, { REGISTRATION: 'open' }]) {
      const other = await testApp({ env: { REGISTRATION: '', ...env } })
      const url = other.listen()
      expect(await ask(url, headers, account('eve'))).toMatchObject(needsToken)
      const wrong = { ...account('eve'), setup_token: 'f'.repeat(64) }
      expect(await ask(url, headers, wrong)).toMatchObject(needsToken)
      expect(await users(other)).toEqual([])
      const right = { ...account('ada'), setup_token: other.app.setupToken.secret() }
      expect((await ask(url, headers, right)).status).toBe(201)
      expect(existsSync(join(other.dataDir, 'setup.secret'))).toBe(false)
      await other.close()
    }
  })

  test("is made on this machine by a page of nines' own", async () => {
    const url = nines.listen()
    const headers = { origin: new URL(url).origin, 'sec-fetch-site': 'same-origin' }
    expect((await ask(url, headers, account('ada'))).status).toBe(201)
  })

  test('is made by one of many who come at once, and the others read how to get in', async () => {
    const url = nines.listen()
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(url, {}, account(name))))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403])
    expect(answers.find(({ status }) => status === 403)).toMatchObject(notOpen)
    expect(await users(nines)).toHaveLength(1)
  })
})

const notOpen = {
  error: 'Registration is not open',
  details:
    'invitation_token: an invitation is needed, which an administrator of an organization can send; REGISTRATION=open lets everybody register',
}

test('after the first account nobody registers without an invitation, and the setup token is worth nothing', async () => {
  const setup_token = nines.app.setupToken.secret()
  await nines.join('ada')
  expect(await ask(nines.listen(), {}, { ...account('eve'), setup_token })).toMatchObject({ status: 403, ...notOpen })
})

test('each start without an account says the same setup token, and none once there is one', async () => {
  const dataDir = newFolder()
  const said = /"setup_token":"([\da-f]{64})"/
  const first = await startNines({ dataDir, env: { REGISTRATION: '' } })
  await first.said(said)
  const token = said.exec(first.log())?.[1]
  expect(statSync(join(dataDir, 'setup.secret')).mode & 0o777).toBe(0o600)
  first.kill('SIGTERM')
  await first.exited
  const second = await startNines({ dataDir, env: { REGISTRATION: '' } })
  await second.said(said)
  expect(said.exec(second.log())?.[1]).toBe(token)
  expect(await ask(second.url, elsewhere, { ...account('ada'), setup_token: token })).toMatchObject({ status: 201 })
  second.kill('SIGTERM')
  await second.exited
  const third = await startNines({ dataDir, env: { REGISTRATION: '' } })
  await expect(register(third, 'eve')).rejects.toThrow('Registration is not open')
  third.kill('SIGTERM')
  await third.exited
  expect(third.log()).not.toMatch(said)
})
