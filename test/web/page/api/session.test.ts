import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type * as Client from '../../../../src/web/page/api/client.ts'
import type * as Session from '../../../../src/web/page/api/session.ts'
import { fakeBrowser, pass } from './fake-browser.ts'

type Asked = { path: string; answer: (response: Response) => Promise<void> }

describe('the session', () => {
  let browser: ReturnType<typeof fakeBrowser>
  // loaded once the browser globals exist
  let session: typeof Session
  let client: typeof Client
  let asked: Asked[]
  const otherTab = new BroadcastChannel('nines.session')

  const tokens = (token: string, name = 'Ada') =>
    Response.json({ access_token: token, expires_at: '2100-01-01T00:00:00Z', user: { id: name.length, name } })
  const ended = () => Response.json({ error: 'The session has ended' }, { status: 401 })
  const pending = (path: string) => asked.find((one) => one.path === path)
  /** Signs in. The page has no session from an earlier test. */
  const signIn = async (name = 'Ada', token = 'first') => {
    const done = session.signIn('/auth/login', {})
    await pass(0)
    await asked.pop()?.answer(tokens(token, name))
    await done
    asked = []
  }

  beforeAll(async () => {
    asked = []
    browser = fakeBrowser((path) => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      asked.push({
        path,
        answer: (response) => {
          resolve(response)
          return pass(0)
        },
      })
      return promise
    })
    session = await import('../../../../src/web/page/api/session.ts')
    client = await import('../../../../src/web/page/api/client.ts')
  })
  afterEach(async () => {
    const out = session.signOut()
    await pass(0)
    for (const { answer } of asked) await answer(ended())
    await out
    asked = []
  })
  afterAll(() => {
    otherTab.close()
    browser.restore()
  })

  test('the session is renewed once for all requests that got 401', async () => {
    await signIn()
    const both = Promise.all([client.send('GET', '/slos/1'), client.send('GET', '/slos/2')])
    await pass(0)
    for (const { answer } of asked.splice(0)) await answer(ended())
    expect(asked.map(({ path }) => path)).toEqual(['/auth/refresh'])
    await asked.pop()?.answer(tokens('second'))
    for (const { answer } of asked.splice(0)) await answer(Response.json({}))
    await both
    expect(client.credentials.token()).toBe('second')
  })

  test('the session stays ended if its renewal is answered after the sign-out', async () => {
    await signIn()
    const renewed = client.credentials.renew('first')
    await pass(0)
    const out = session.signOut()
    await pass(0)
    await pending('/auth/refresh')?.answer(tokens('second'))
    await pending('/auth/logout')?.answer(new Response(null, { status: 204 }))
    await out
    await renewed
    expect(session.me.peek()).toBeNull()
    expect(client.credentials.token()).toBeNull()
  })

  test('the session is ended on the server by its newest cookie: the sign-out waits for a renewal', async () => {
    await signIn()
    void client.credentials.renew('first')
    await pass(0)
    const out = session.signOut()
    await pass(0)
    expect(pending('/auth/logout')).toBeUndefined()
    await pending('/auth/refresh')?.answer(tokens('second'))
    expect(pending('/auth/logout')).toBeDefined()
    await pending('/auth/logout')?.answer(new Response(null, { status: 204 }))
    await out
  })

  test('the session stays ended if another tab signs out during its renewal', async () => {
    await signIn()
    const renewed = client.credentials.renew('first')
    await pass(0)
    const { promise: heard, resolve } = Promise.withResolvers<void>()
    const end = session.me.subscribe((user) => {
      if (user === null) resolve()
    })
    otherTab.postMessage({ signedOut: true })
    await heard
    end()
    await pending('/auth/refresh')?.answer(tokens('second'))
    expect(await renewed).toBe(false)
    expect(session.me.peek()).toBeNull()
    expect(session.ending.peek()).toBe('elsewhere')
  })

  test('of a sign-in is not ended by the answer to a renewal of the one before', async () => {
    await signIn()
    const renewed = client.credentials.renew('first')
    await pass(0)
    const refresh = asked.pop()
    await signIn('Grace', 'hers')
    await refresh?.answer(ended())
    expect(await renewed).toBe(true)
    expect(client.credentials.token()).toBe('hers')
    expect(session.me.peek()?.name).toBe('Grace')
  })

  test('of a sign-in is not replaced by the tokens of the one before', async () => {
    await signIn()
    void client.credentials.renew('first')
    await pass(0)
    const refresh = asked.pop()
    await signIn('Grace', 'hers')
    await refresh?.answer(tokens('second'))
    expect(client.credentials.token()).toBe('hers')
  })
})
