import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { oauthWorld } from '../support/oauth.ts'
import { handshake, type LiveClient, type LiveWorld, liveWorld, open, upgrade } from './live.ts'

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
})
afterEach(() => world.close())

const isHeard = async (client: LiveClient) => (await client.subscribe(1)).type === 'subscription_confirmed'
const call = async (method: string, path: string, body?: object, token?: string) => {
  const answer = await world.nines.call(method, `/api/v1${path}`, body, token === undefined ? {} : { token })
  expect(answer.status).toBeLessThan(300)
  return answer.body
}
const signedOut = { code: 4401, reason: 'Signed out' }
const expired = { code: 4401, reason: 'Token expired' }
const sweep = () => world.nines.app.tokenWatch.sweep()

describe('the token', () => {
  const forms = {
    'the Authorization header': (token: string) => ({ headers: { authorization: `Bearer ${token}` } }),
    'a subprotocol': (token: string) => ({ protocols: ['nines.v1', `bearer.${token}`] }),
    'a subprotocol before ours': (token: string) => ({ protocols: [`bearer.${token}`, 'nines.v1'] }),
    'the query string': (token: string) => ({ query: `?token=${token}` }),
  }
  const tokens = {
    'of a session': async () => world.ada,
    'of a machine': async () => (await call('POST', '/auth/tokens', { name: 'ci', role: 'viewer' })).token,
  }
  const cases = Object.keys(tokens).flatMap((kind) => Object.keys(forms).map((form) => [kind, form] as const))

  test.each(cases)('%s is good in %s, and is in no log', async (kind, form) => {
    const token = await tokens[kind as keyof typeof tokens]()
    const client = await open(world.base, forms[form as keyof typeof forms](token))
    expect(await isHeard(client)).toBe(true)
    client.close()
    await client.closed
    const log = world.nines.logged.join('')
    expect(log).toContain('"route":"/api/v1/ws/subscribe","status":101')
    for (const part of token.split('.')) expect(log).not.toContain(part)
  })

  test('of a session that its owner ends from another one closes its sockets', async () => {
    const { sessions } = await call('GET', '/auth/sessions', undefined, world.ada)
    const client = await open(world.base, { headers: { authorization: `Bearer ${world.ada}` } })
    expect(await isHeard(client)).toBe(true)
    const { closed } = client
    const { email, role } = await call('GET', '/auth/me', undefined, world.ada)
    expect([email, role, sessions.length]).toEqual(['ada@example.com', 'admin', 1])
    const { access_token: other } = await call('POST', '/auth/login', { email, password: 'correct horse' })
    await call('POST', '/auth/sessions/end-others', undefined, other)
    expect(await closed).toEqual(signedOut)
  })

  test('of an application is good too', async () => {
    const nines = await oauthWorld()
    const client = await nines.client()
    const { access_token: token } = (await nines.redeem(client, await nines.consent(client))).body
    const live = await open(nines.base, { query: `?token=${token}` })
    live.send({ type: 'ping' })
    expect((await live.next()).type).toBe('pong')
    const closed = live.closed
    await nines.call('DELETE', `/api/v1/oauth/clients/${client.client_id}`)
    expect(await closed).toEqual(signedOut)
    await nines.close()
  })

  test.each([
    ['none', {}, ''],
    ['a bad header', { authorization: 'Bearer a.b.c' }, ''],
    ['a bad header beside a good query', { authorization: 'Bearer a.b.c' }, '?token='],
    ['a bad subprotocol', { 'sec-websocket-protocol': 'nines.v1, bearer.a.b.c' }, ''],
    ['a bad query', {}, '?token=a.b.c&token='],
    ['an empty query', {}, '?token=&token='],
    ['a query that is no text', {}, '?token=%00%ff'],
  ])('is refused: %s', async (_, headers, query) => {
    const whole = query.endsWith('=') ? `${query}${world.ada}` : query
    const { status, head, body } = await handshake(world.base, { ...upgrade, ...headers }, whole)
    expect([status, JSON.parse(body)]).toEqual([
      401,
      { success: false, error: 'Not signed in', details: expect.any(String) },
    ])
    expect(head).toContain('\r\nwww-authenticate: bearer\r\n')
    expect(head).toContain('\r\nx-content-type-options: nosniff\r\n')
    expect(world.nines.app.hub.connections()).toBe(0)
  })

  test('as a subprotocol counts only beside ours, which alone is chosen, and the answer has every header', async () => {
    const alone = { ...upgrade, 'sec-websocket-protocol': `bearer.${world.ada}` }
    expect((await handshake(world.base, alone)).status).toBe(401)
    const both = { ...upgrade, 'sec-websocket-protocol': `bearer.${world.ada}, nines.v1` }
    const { status, head, socket } = await handshake(world.base, both)
    expect([status, head.match(/sec-websocket-protocol: .*/g)]).toEqual([101, ['sec-websocket-protocol: nines.v1']])
    expect(head).toContain('\r\nx-content-type-options: nosniff\r\n')
    socket.destroy()
  })
})

test.each([
  ['a plain GET', {}],
  ['another protocol', { connection: 'upgrade', upgrade: 'h2c' }],
  ['half a handshake', { connection: 'upgrade', upgrade: 'websocket' }],
])('%s is told to upgrade', async (_, headers) => {
  const { status, head, body } = await handshake(world.base, { ...headers, authorization: `Bearer ${world.ada}` })
  expect([status, JSON.parse(body)]).toMatchObject([426, { success: false, error: 'Upgrade required' }])
  expect(head).toContain('\r\nupgrade: websocket\r\n')
  expect(world.nines.app.hub.connections()).toBe(0)
})

describe('a connection is closed once', () => {
  test('its session has ended, and no other is', async () => {
    const token = (await call('POST', '/auth/login', { email: 'ada@example.com', password: 'correct horse' }))
      .access_token
    const [client, other] = [await world.connect({ token }), await world.connect()]
    await call('POST', '/auth/logout', undefined, token)
    expect(await client.closed).toEqual(signedOut)
    expect(await isHeard(other)).toBe(true)
  })

  test('its session has expired', async () => {
    const client = await world.connect()
    world.nines.clock.advance(28_799_000)
    await sweep()
    expect(await isHeard(client)).toBe(true)
    world.nines.clock.advance(1000)
    await sweep()
    expect(await client.closed).toEqual(expired)
  })

  test('its API token has expired, or was revoked, and not because another was', async () => {
    const expires_at = new Date(world.nines.clock.now() + 600_000).toISOString()
    const short = await call('POST', '/auth/tokens', { name: 'short', role: 'viewer', expires_at })
    const long = await call('POST', '/auth/tokens', { name: 'long', role: 'viewer' })
    const [one, other] = [await world.connect(short), await world.connect(long)]
    for (let n = 0; n < 9; n += 1) {
      world.nines.clock.advance(60_000)
      await sweep()
    }
    expect(await isHeard(one)).toBe(true)
    world.nines.clock.advance(60_000)
    await sweep()
    expect(await one.closed).toEqual(expired)
    await call('DELETE', `/auth/tokens/${short.id}`)
    expect(await isHeard(other)).toBe(true)
    await call('DELETE', `/auth/tokens/${long.id}`)
    expect(await other.closed).toEqual(signedOut)
  })

  test('its user has been removed, and not because the role has changed', async () => {
    const client = await world.connect({ token: await addUser(world.nines, 'bob', 'member') })
    await call('PUT', '/organization/users/3', { role: 'viewer' })
    expect(await isHeard(client)).toBe(true)
    await call('DELETE', '/organization/users/3')
    expect(await client.closed).toEqual(signedOut)
  })
})
