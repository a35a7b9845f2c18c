import { afterEach, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { Elysia } from 'elysia'
import { errorHandler } from '../../src/http/errors.ts'
import { createRouteTable } from '../../src/http/openapi/routes-table.ts'
import { openToAll } from '../../src/http/signed-in.ts'
import { createLog } from '../../src/log.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(closeAll)

const head = 'POST / HTTP/1.1\r\nHost: nines\r\nContent-Type: application/json\r\n'

/** A route that reads bodies like all routes of nines, with a shorter timeout; `reached` counts the bodies it got. */
function reader(timeoutMs: number, pauseMs = timeoutMs * 2) {
  const log = createLog({ level: 'error', format: 'json', now: () => 0, write: () => {} })
  const originOf = () => ({ ip: 'unknown', userAgent: '' })
  let reached = 0
  const server = new Elysia()
    .use(errorHandler({ log, routes: createRouteTable(() => []) }))
    .use(openToAll({ originOf, body: { limitBytes: 4096, timeoutMs, pauseMs }, checkRequest: () => {} }))
    .post('/', () => `${(reached += 1)}`)
    .listen({ hostname: '127.0.0.1', port: 0 })
  closeLater(() => void server.stop(true))
  return { port: Number(server.server?.port), reached: () => reached }
}

/** Sends the parts one by one, 5 ms apart, until the server hangs up. Returns everything received. */
async function dribble(port: number, start: string, parts: Iterable<string>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let said = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(start))
  socket.on('data', (chunk) => {
    said += chunk.toString()
  })
  socket.on('error', () => {}) // writing to a closed connection
  socket.on('close', () => resolve())
  const rest = parts[Symbol.iterator]()
  const timer = setInterval(() => {
    const next = rest.next()
    if (!next.done) socket.write(next.value)
  }, 5)
  await promise
  clearInterval(timer)
  return said
}

function* forEver(part: string) {
  for (;;) yield part
}

test.each([
  ['with an announced length', 'Content-Length: 4000\r\n\r\n', forEver(' ')],
  ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', forEver('1\r\n \r\n')],
  ['and then falls silent', 'Content-Length: 4000\r\n\r\n', [' ', ' ']],
  ['and has not sent a byte', 'Content-Length: 4000\r\n\r\n', []],
])('a client that dribbles its body %s gets 408, and the connection ends', async (_, lengthHeader, parts) => {
  const { port, reached } = reader(100)
  const said = await dribble(port, head + lengthHeader, parts)
  expect(said).toStartWith('HTTP/1.1 408 ')
  expect(said.toLowerCase()).toContain('\r\nconnection: close\r\n')
  const details = 'body: must arrive whole within 0.1 s'
  expect(said).toEndWith(JSON.stringify({ success: false, error: 'Request body too slow', details }))
  expect(reached()).toBe(0)
})

test('a body that comes in parts, but in time, is read', async () => {
  const { port, reached } = reader(10_000)
  const said = await dribble(port, `${head}Connection: close\r\nContent-Length: 9\r\n\r\n`, ['{"a"', ':"b', '"}'])
  expect(said).toStartWith('HTTP/1.1 200 ')
  expect(reached()).toBe(1)
})

test('a body that stops coming gets 408 before the time for the whole is over', async () => {
  const { port } = reader(60_000, 100)
  const said = await dribble(port, `${head}Content-Length: 4000\r\n\r\n`, [' ', ' '])
  expect(said).toStartWith('HTTP/1.1 408 ')
  expect(said).toContain('body: must arrive without a pause of 0.1 s')
})

test.each([
  ['has not come', []],
  ['stops coming', ['{', '"']],
  ['dribbles', forEver(' ')],
])('a short body that %s gets 408 after the time that a pause may take, and the connection ends', async (_, parts) => {
  const { port, reached } = reader(60_000, 100)
  const said = await dribble(port, `${head}Content-Length: 1000\r\n\r\n`, parts)
  expect(said).toStartWith('HTTP/1.1 408 ')
  expect(said.toLowerCase()).toContain('\r\nconnection: close\r\n')
  expect(said).toContain('body: must arrive whole within 0.1 s')
  expect(reached()).toBe(0)
})

test('a short body that is cut off reaches no handler, and the next request is answered', async () => {
  const { port, reached } = reader(60_000)
  const socket = connect(port, '127.0.0.1', () => socket.write(`${head}Content-Length: 9\r\n\r\n{"a"`))
  await Bun.sleep(50)
  socket.destroy()
  await Bun.sleep(50)
  const said = await dribble(port, `${head}Connection: close\r\nContent-Length: 9\r\n\r\n{"a":"b"}`, [])
  expect(said).toStartWith('HTTP/1.1 200 ')
  expect(reached()).toBe(1)
})

test.each([
  ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'must be UTF-8, sent whole'],
  ['is no JSON', Buffer.from('{"a"'), 'must be well-formed JSON'],
])('a short body that %s is refused', async (_, content, message) => {
  const { port, reached } = reader(10_000)
  const answer = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: content,
  })
  expect([answer.status, await answer.json()]).toMatchObject([400, { problems: [{ field: 'body', message }] }])
  expect(reached()).toBe(0)
})

test('a short body in chunks, or a request without one, is read as before', async () => {
  const { port, reached } = reader(10_000)
  const chunked = 'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n{"a":"b"}\r\n0\r\n\r\n'
  expect(await dribble(port, `${head}${chunked}`, [])).toStartWith('HTTP/1.1 200 ')
  expect(await dribble(port, `${head}Connection: close\r\nContent-Length: 0\r\n\r\n`, [])).toStartWith('HTTP/1.1 200 ')
  expect(reached()).toBe(2)
})
