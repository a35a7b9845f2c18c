import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../support/app.ts'
import { joinedApp } from '../../support/reused-app.ts'
import { audited, isGood } from '../../support/accounts.ts'
import { newOrganizationUser } from '../../support/people.ts'
import { signInLink } from '../../../src/cli/demo.ts'

let nines: TestApp
let base: string
let token: string
beforeEach(async () => {
  nines = await testApp({ env: { TRUST_PROXY: '127.0.0.1' } })
  const { id } = await newOrganizationUser(nines, 'ada')
  base = nines.listen()
  token = nines.app.demo.start(id)
})
afterEach(() => nines.close())

/** Logs in over the socket, like a browser on this machine. */
async function open(given: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${base}/api/v1/auth/demo-login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token: given }),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- an answer is assessed by what a test expects of it
  const body: any = await response.json()
  return { status: response.status, headers: response.headers, body }
}
const sessions = () => nines.app.db.read.selectFrom('sessions').selectAll().execute()

describe("the demo's link", () => {
  test('signs in as its user, and the audit log has that login', async () => {
    const { status, body } = await open(token)
    expect([status, body.user.email, await isGood(nines, body.access_token)]).toEqual([200, 'ada@example.com', true])
    const { body: log } = await nines.call('GET', '/api/v1/audit-log?event=login')
    expect(log.entries).toMatchObject([
      { outcome: 'success', email: 'ada@example.com', ip: '127.0.0.1', details: { method: 'demo_link' } },
    ])
  })

  test('gives a browser its refresh token in the cookie of any other sign-in', async () => {
    const { status, body, headers } = await open(token, { 'x-nines-session': 'cookie' })
    expect([status, body.refresh_token]).toEqual([200, undefined])
    expect(headers.get('set-cookie')).toMatch(/^nines_.*HttpOnly; SameSite=Strict$/)
  })

  test('is good once, also where it comes many times at once', async () => {
    const before = (await sessions()).length
    const answers = await Promise.all(Array.from({ length: 8 }, () => open(token)))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(401)])
    expect(await sessions()).toHaveLength(before + 1)
    expect((await open(token)).body).toMatchObject({
      error: 'The link is not valid any more',
      details: expect.stringMatching(/^token: .*sign in with the e-mail and the password/),
    })
    expect(await audited(nines, 'login')).toEqual([
      'ada@example.com success',
      ...Array(8).fill('ada@example.com failure'),
    ])
  })

  test('is good for ten minutes', async () => {
    nines.clock.advance(600_000)
    expect((await open(token)).status).toBe(401)
    expect(await audited(nines, 'login')).toEqual(['ada@example.com failure'])
    token = nines.app.demo.start(1)
    nines.clock.advance(599_999)
    expect((await open(token)).status).toBe(200)
  })

  test('is not good any more once the next one is made', async () => {
    const next = nines.app.demo.start(1)
    expect([(await open(token)).status, (await open(next)).status]).toEqual([401, 200])
  })

  test.each([
    ['X-Forwarded-For', { 'x-forwarded-for': '203.0.113.7' }],
    ['X-Forwarded-For that names loopback', { 'x-forwarded-for': '127.0.0.1' }],
    ['Forwarded', { forwarded: 'for=127.0.0.1' }],
    ['Via', { via: '1.1 proxy' }],
    ['the name of another host', { host: 'nines.example' }],
    ['the Origin of another site', { origin: 'https://attacker.example' }],
    ['Sec-Fetch-Site: cross-site', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused from loopback with %s, whatever the token, and stays good', async (_, headers) => {
    const before = await sessions()
    for (const given of [token, 'x'.repeat(43)]) {
      const { status, body } = await open(given, headers)
      expect([status, body.error]).toEqual([403, 'The link works on the machine that nines runs on'])
    }
    expect(await sessions()).toEqual(before)
    expect(await audited(nines, 'login')).toEqual(['ada@example.com failure'])
    expect((await open(token)).status).toBe(200)
  })

  test.each(['x'.repeat(43), 'a'])(
    'is refused where it is wrong, and nobody is said to have failed: %s',
    async (wrong) => {
      expect((await open(wrong)).status).toBe(401)
      expect(await audited(nines, 'login')).toEqual([])
    },
  )

  test('is nowhere in the database, not even as its hash', async () => {
    await open(token)
    const dump = Buffer.from(await Bun.file(`${nines.dataDir}/nines.db-wal`).arrayBuffer()).toString('latin1')
    const hash = new Bun.CryptoHasher('sha256').update(token).digest('hex')
    expect([dump.includes(token), dump.includes(hash)]).toEqual([false, false])
  })
})

test('without a demo no token signs in', async () => {
  const other = await joinedApp()
  for (const given of [token, 'undefined', 'null']) {
    const answer = await other.call('POST', '/api/v1/auth/demo-login', { token: given }, { token: null })
    expect(answer.status).toBe(401)
  }
  expect((await other.call('GET', '/')).text).not.toContain('name="demo"')
  await other.close()
})

test('the document of the page says that a demo runs', async () => {
  expect((await nines.call('GET', '/')).text).toContain('<meta name="demo" content="running">')
})

describe('the link that is printed', () => {
  const printed = (url: string, publicUrl = url) => signInLink({ publicUrl: () => publicUrl }, url, 'T')

  test.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080/demo-login#T'],
    ['http://[::1]:8080', 'http://[::1]:8080/demo-login#T'],
    ['http://0.0.0.0:8080', 'http://127.0.0.1:8080/demo-login#T'],
    ['http://[::]:8080', 'http://[::1]:8080/demo-login#T'],
  ])('leads from %s to this machine', (url, link) => {
    expect(printed(url)).toContain(link)
  })

  test('is none where it would lead elsewhere', () => {
    expect(printed('http://192.0.2.1:8080')).toBe('')
    expect(printed('http://127.0.0.1:8080', 'https://nines.example/slo')).toBe('')
    expect(printed('http://127.0.0.1:8080', 'https://nines.example')).not.toBe('')
  })
})
