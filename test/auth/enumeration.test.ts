import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { recommendedCost } from '../../src/auth/passwords/passwords.ts'
import { type Answer, type Options, type TestApp, testApp } from '../support/app.ts'
import { startRawMailServer } from '../support/raw-mail-server.ts'

let nines: TestApp
const open = async (options: Options = {}) => {
  nines = await testApp({ env: { SMTP_URL: 'smtp://127.0.0.1:1' }, ...options })
  await nines.join('ada')
}
afterEach(() => nines.close())

const known = 'ada@example.com'
const unknown = 'eve@example.com'
const hour = 3_600_000

const post = (path: string, body: object) => nines.call('POST', `/api/v1/auth/${path}`, body, { token: null })
const login = (email: string) => post('login', { email, password: 'incorrect horse' })
const resetPaths = ['password-reset-request', 'password-reset/request']

/** Everything of an answer that a client without an account sees. */
const seen = ({ status, text, headers }: Answer) => ({ status, text, headers: [...headers] })

/** Milliseconds of processor time that this process has used: other than the time of day, it does not depend on the load of the machine. */
function usedMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Median processor time of each of two requests, sent alternately, in milliseconds. */
async function mediansOf(first: () => Promise<unknown>, second: () => Promise<unknown>, rounds: number) {
  const times: [number[], number[]] = [[], []]
  for (let round = -3; round < rounds; round += 1) {
    const exclusively = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const which of exclusively) {
      nines.clock.advance(hour + 1) // resets all limits on guesses and mails
      const began = usedMs()
      await (which === 0 ? first() : second())
      if (round >= 0) times[which].push(usedMs() - began) // the first rounds warm up
      await nines.app.mailer.drain()
    }
  }
  const [a, b] = times.map((list) => list.toSorted((x, y) => x - y)[list.length >> 1] ?? 0)
  return { a: a ?? 0, b: b ?? 0 }
}

function expectAlike({ a, b }: { a: number; b: number }, { factor, besidesMs }: { factor: number; besidesMs: number }) {
  expect(a).toBeLessThan(b * factor + besidesMs)
  expect(b).toBeLessThan(a * factor + besidesMs)
}

describe('whether an e-mail has an account', () => {
  beforeEach(() => open())

  test('a failed login does not say, byte for byte', async () => {
    const answers = [await login(known), await login(unknown), await login('not an e-mail'), await login('')]
    expect(answers[0]).toMatchObject({ status: 401, body: { success: false, error: 'Invalid credentials' } })
    for (const answer of answers) expect(seen(answer)).toEqual(seen(await login(unknown)))
  })

  test('a login with too many failures before it does not say either', async () => {
    const statuses: Record<string, number[]> = { [known]: [], [unknown]: [] }
    for (let attempt = 0; attempt < 12; attempt += 1) {
      for (const email of [known, unknown]) statuses[email]?.push((await login(email)).status)
    }
    expect(statuses[known]).toContain(429)
    expect(statuses[unknown]).toEqual(statuses[known])
    expect(seen(await login(unknown))).toEqual(seen(await login(known)))
  })

  test.each([...resetPaths, 'confirm-email/resend'])('%s does not say, byte for byte', async (path) => {
    const answers = []
    for (const email of [known, unknown, 'not an e-mail', '', `${known}\r\nBcc: ${unknown}`]) {
      for (let attempt = 0; attempt < 5; attempt += 1) answers.push(await post(path, { email }))
    }
    expect(answers[0]?.status).toBe(200)
    for (const answer of answers) expect(seen(answer)).toEqual(seen(await post(path, { email: unknown })))
  })
})

describe('whether an e-mail has an account', () => {
  beforeEach(() => open({ passwordCost: recommendedCost }))

  test('the work of a failed login does not say', async () => {
    const medians = await mediansOf(
      () => login(known),
      () => login(unknown),
      30,
    )
    expect(medians.a).toBeGreaterThan(5) // a password was checked
    expectAlike(medians, { factor: 1.4, besidesMs: 1 })
  }, 60_000)

  test('the work of having a confirmation mailed again does not say', async () => {
    await nines.join('bob') // is not confirmed, so confirmation mails are sent
    const medians = await mediansOf(
      () => post('confirm-email/resend', { email: 'bob@example.com' }),
      () => post('confirm-email/resend', { email: unknown }),
      100,
    )
    expect(nines.logged.filter((line) => line.includes('mail not sent')).length).toBeGreaterThan(100)
    expectAlike(medians, { factor: 2, besidesMs: 0.5 })
  }, 60_000)

  test('the work of a reset request does not say', async () => {
    const [path = ''] = resetPaths
    const medians = await mediansOf(
      () => post(path, { email: known }),
      () => post(path, { email: unknown }),
      150,
    )
    expect(nines.logged.filter((line) => line.includes('mail not sent')).length).toBeGreaterThan(150)
    expectAlike(medians, { factor: 1.5, besidesMs: 0.2 })
  }, 60_000)

  test('a request of mail does not wait for the mail server', async () => {
    const server = await startRawMailServer(null)
    const waiting = await testApp({ env: { SMTP_URL: `smtp://127.0.0.1:${server.port}` } })
    try {
      await waiting.join('ada')
      const asked = { email: known }
      for (const path of resetPaths) {
        const { status } = await waiting.call('POST', `/api/v1/auth/${path}`, asked, { token: null })
        expect(status).toBe(200)
      }
      await server.connected
      expect(server.heard).toEqual([])
    } finally {
      server.close()
      await waiting.close()
    }
  })
})
