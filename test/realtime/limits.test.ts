import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addUser } from '../support/accounts.ts'
import { readExposition } from '../support/exposition.ts'
import { frame, handshake, type LiveWorld, liveWorld, upgrade } from './live.ts'

const steady = { state: 'ok', state_since: null, state_reason: null, burn_rate_now: 0 }

let world: LiveWorld
beforeEach(async () => {
  world = await liveWorld()
})
afterEach(() => world.close())

const shake = (token = world.ada) => handshake(world.base, { ...upgrade, authorization: `Bearer ${token}` })
const update = (at: number) => ({
  sloId: 1,
  organizationId: 1,
  status: 'healthy',
  current: at,
  target: 99,
  stateFields: steady,
  budgetUsed: 1,
  windowBudget: { usedPercent: 1, isEstimated: false },
  atMs: 0,
})

/** Resolves with the bytes that a connection receives from now on, as soon as they match. */
const says = (socket: Awaited<ReturnType<typeof handshake>>['socket'], wanted: RegExp) =>
  new Promise<string>((resolve, reject) => {
    let said = ''
    socket.on('close', () => reject(new Error(`closed after ${JSON.stringify(said)}`)))
    socket.on('data', (bytes) => {
      said += bytes.toString('latin1')
      if (wanted.test(said)) resolve(said)
    })
    socket.resume()
  })

test('of 130 connections of a user at once exactly 100 are made, and one that ends makes room for another', async () => {
  const handshakes = await Promise.all(Array.from({ length: 130 }, () => shake()))
  const refused = handshakes.filter(({ status }) => status !== 101)
  expect([refused.length, world.nines.app.hub.connections()]).toEqual([30, 100])
  for (const { status, head, body } of refused) {
    const limits = { limit: 100, window: 'at once', message: expect.stringMatching(/^At most 100 connections/) }
    expect([status, JSON.parse(body)]).toEqual([429, { success: false, error: 'Too many connections', ...limits }])
    expect(head).toContain('\r\nretry-after: 10\r\n')
  }
  expect((await shake(await addUser(world.nines, 'bob', 'viewer'))).status).toBe(101)
  const client = handshakes.find(({ status }) => status === 101)?.socket
  client?.write(frame(8, Buffer.from([3, 232])))
  await new Promise((resolve) => client?.resume().on('close', resolve))
  expect([(await shake()).status, (await shake()).status]).toEqual([101, 429])
  const { value } = readExposition(await world.nines.app.metrics.exposition())
  expect([value('websocket_connections'), value('websocket_connections_total')]).toEqual([101, 102])
})

test.each([
  ['pings of the transport', frame(9, Buffer.alloc(0))],
  ['answers that it was not asked for', frame(10, Buffer.alloc(0))],
  ['empty messages', frame(1, Buffer.alloc(0))],
])('a client that sends %s without end is cut off', async (_, bytes) => {
  const { socket } = await shake()
  socket.write(Buffer.concat(Array(2001).fill(bytes)))
  expect(await says(socket, /Too many messages/)).toContain('Too many messages')
})

/** Pattern of a close frame with this code. */
const closing = (code: number) => new RegExp(`^\\x88.\\x0${code >> 8}\\x${(code & 255).toString(16)}`)

describe('a message', () => {
  const padded = (bytes: number) => Buffer.from('{"type": "ping"}'.padEnd(bytes))

  test.each([
    ['of 64 KiB is read', frame(1, padded(65_536)), /"type":"pong"/],
    ['of more ends the connection with 1009', frame(1, padded(65_537)), closing(1009)],
    ['that is no UTF-8 ends it with 1007', frame(1, Buffer.from([0x22, 0xff, 0x22])), closing(1007)],
  ])('%s', async (_, bytes, wanted) => {
    const { socket } = await shake()
    socket.write(bytes)
    expect(await says(socket, wanted)).toMatch(wanted)
    socket.destroy()
  })

  test('in pieces that come to more than 64 KiB ends it with 1009', async () => {
    const { socket } = await shake()
    const first = frame(1, padded(40_000))
    const second = frame(0, padded(40_000))
    first[0] = 1 // clears FIN: more frames follow
    socket.write(Buffer.concat([first, second]))
    expect(await says(socket, closing(1009))).toMatch(closing(1009))
  })
})

test('a client has at most 1,000 subscriptions, and hears that it has no more', async () => {
  const rows = Array.from({ length: 1001 }, (_, n) => ({ name: `slo ${n}` }))
  const { db } = world.nines.app
  const { id: _, ...like } = await db.read.selectFrom('slos').selectAll().where('id', '=', 1).executeTakeFirstOrThrow()
  for (let at = 0; at < rows.length; at += 40) {
    await db.write
      .insertInto('slos')
      .values(rows.slice(at, at + 40).map(({ name }) => ({ ...like, name })))
      .execute()
  }
  const client = await world.connect()
  const last = 3 + rows.length - 1
  for (let id = 3; id <= last; id += 1) client.send({ type: 'subscribe', data: { slo_id: id } })
  const heard = await client.heard()
  expect(heard.slice(0, 1000).every(({ type }) => type === 'subscription_confirmed')).toBe(true)
  const message = 'At most 1000 subscriptions for one connection'
  expect(heard.slice(1000)).toEqual([{ type: 'error', data: { message } }])
  expect((await client.subscribe(3, ['status'])).type).toBe('subscription_confirmed')
  client.send({ type: 'unsubscribe', data: { slo_id: 3 } })
  await client.next()
  expect((await client.subscribe(last)).type).toBe('subscription_confirmed')
})

test('who does not read is cut off, and nobody else waits for that or misses anything', async () => {
  const { hub } = world.nines.app
  const [one, other] = [await world.connect(), await world.connect()]
  for (const client of [one, other]) await client.subscribe(1)
  const { socket } = await shake()
  socket.write(frame(1, Buffer.from('{"type": "subscribe", "data": {"slo_id": 1}}')))
  await says(socket, /subscription_confirmed/)
  socket.pause()
  let sent = 0
  while (hub.connections() === 3 && sent < 400_000) {
    for (const _ of Array(100)) hub.publish(update((sent += 1)), { isEvaluation: true })
    if (sent % 1000 === 0) expect(await one.heard()).toHaveLength(1000)
  }
  expect(hub.connections()).toBe(2)
  const heard = (await other.heard()).map(({ data }) => data.current_value)
  expect(heard).toEqual(Array.from({ length: sent }, (_, n) => n + 1))
  socket.destroy()
})
