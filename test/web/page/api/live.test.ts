import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type * as Live from '../../../../src/web/page/api/live.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import { fakeBrowser, FakeSocket, pass } from './fake-browser.ts'

const second = 1000

describe('the live connection', () => {
  let browser: ReturnType<typeof fakeBrowser>
  // loaded once the browser globals exist
  let live: typeof Live
  let session: typeof Session
  let expiresAt: string
  let renewals: (() => Promise<void>)[]

  const tokens = (token: string) =>
    Response.json({ access_token: token, expires_at: expiresAt, user: { id: 1, name: 'Ada' } })

  beforeAll(async () => {
    browser = fakeBrowser((path) => {
      if (path !== '/auth/refresh') return tokens('first')
      const { promise, resolve } = Promise.withResolvers<Response>()
      renewals.push(() => {
        resolve(tokens('renewed'))
        return pass(0)
      })
      return promise
    })
    live = await import('../../../../src/web/page/api/live.ts')
    session = await import('../../../../src/web/page/api/session.ts')
  })
  beforeEach(async () => {
    renewals = []
    FakeSocket.open.clear()
    expiresAt = '2100-01-01T00:00:00Z'
  })
  afterEach(async () => {
    live.disconnect()
    for (const renew of renewals) await renew()
  })
  afterAll(() => browser.restore())

  /** Signs in with a token that has expired, so that a connection waits for a renewal. */
  const withExpiredToken = async () => {
    expiresAt = '2000-01-01T00:00:00Z'
    await session.signIn('/auth/login', {})
    expiresAt = '2100-01-01T00:00:00Z'
  }
  const connected = async () => {
    await session.signIn('/auth/login', {})
    live.connect()
    await pass(100)
    FakeSocket.last?.open()
  }
  const heardBy = () => {
    const heard: Live.ServerMessage[] = []
    return { heard, end: live.onMessage((message) => void heard.push(message)) }
  }

  test('the live connection is one socket, however often it is asked for while the token is renewed', async () => {
    await withExpiredToken()
    live.connect()
    live.connect()
    dispatchEvent(new Event('online'))
    await pass(0)
    for (const renew of renewals) await renew()
    expect(FakeSocket.open.size).toBe(1)
  })

  test('the live connection is not opened once it is no longer wanted', async () => {
    await withExpiredToken()
    live.connect()
    await pass(0)
    live.disconnect()
    for (const renew of renewals) await renew()
    expect(FakeSocket.open.size).toBe(0)
  })

  test('the live connection of a token that is no longer good comes back at once with a renewed one, and says so', async () => {
    await connected()
    const { heard, end } = heardBy()
    FakeSocket.last?.lose(4401)
    await pass(0)
    for (const renew of renewals) await renew()
    expect(FakeSocket.last?.protocols).toContain('bearer.renewed')
    FakeSocket.last?.open()
    expect(heard).toEqual([{ kind: 'gap' }])
    end()
  })

  test('a sign-out that ends the live connection renews no token, so that the session does not seem to have expired', async () => {
    await connected()
    const out = session.signOut()
    FakeSocket.last?.lose(4401)
    await out
    await pass(0)
    expect(renewals).toEqual([])
    expect(session.ending.value).toBeNull()
  })

  test('nor does one whose end comes after the answer', async () => {
    await connected()
    await session.signOut()
    FakeSocket.last?.lose(4401)
    await pass(0)
    expect(renewals).toEqual([])
  })

  test('the live connection passes on no message of a socket that another has replaced', async () => {
    await connected()
    const old = FakeSocket.last
    live.disconnect()
    await connected()
    const { heard, end } = heardBy()
    old?.say('notification', { slo_id: 1 })
    old?.open()
    old?.lose()
    expect(heard).toEqual([])
    expect(FakeSocket.open.size).toBe(1)
    FakeSocket.last?.say('notification', { slo_id: 2 })
    expect(heard).toEqual([{ kind: 'alert', sloId: 2 }])
    end()
  })

  test('the live connection passes on changes of incidents, which are no update of an SLO', async () => {
    await connected()
    const { heard, end } = heardBy()
    const updates: unknown[] = []
    const endUpdates = live.onSloUpdate((update) => void updates.push(update))
    FakeSocket.last?.say('incident', { incident_id: 7, slo_id: 2, event: 'opened' })
    expect([heard, updates]).toEqual([[{ kind: 'incident', sloId: 2 }], []])
    end()
    endUpdates()
  })

  test('that was lost comes back once, and reports the gap', async () => {
    await connected()
    const { heard, end } = heardBy()
    FakeSocket.last?.lose()
    dispatchEvent(new Event('online'))
    await pass(3 * second)
    expect(FakeSocket.open.size).toBe(1)
    FakeSocket.last?.open()
    expect(heard).toEqual([{ kind: 'gap' }])
    end()
  })
})
