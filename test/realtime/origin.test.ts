import { afterEach, expect, test } from 'bun:test'
import { handshake, type LiveWorld, liveWorld, open, upgrade } from './live.ts'

let world: LiveWorld
afterEach(() => world.close())

const refused = [
  ['https://evil.example', {}],
  ['null', {}],
  ['not an origin', {}],
  ['http://127.0.0.1:1', {}],
  ['https://evil.example', { CORS_ORIGINS: 'https://page.example', PUBLIC_URL: 'https://nines.example/nines' }],
] as const

test.each(refused)('a page of %s may not connect', async (origin, env) => {
  world = await liveWorld(env)
  const headers = { ...upgrade, origin, authorization: `Bearer ${world.ada}` }
  const { status, body, socket } = await handshake(world.base, headers)
  socket.destroy()
  expect([status, JSON.parse(body).error]).toEqual([403, 'Origin not allowed'])
})

const taken = [
  [null, {}],
  ['SELF', {}],
  ['https://nines.example', { PUBLIC_URL: 'https://nines.example/nines' }],
  ['https://page.example', { CORS_ORIGINS: 'https://other.example,https://page.example' }],
  ['https://evil.example', { CORS_ORIGINS: '*' }],
] as const

test.each(taken)('a page of %s with %p may connect', async (origin, env) => {
  world = await liveWorld(env)
  const headers = {
    authorization: `Bearer ${world.ada}`,
    ...(origin !== null && { origin: origin.replace('SELF', world.base) }),
  }
  const client = await open(world.base, { headers })
  client.send({ type: 'ping' })
  expect((await client.next()).type).toBe('pong')
  client.close()
})
