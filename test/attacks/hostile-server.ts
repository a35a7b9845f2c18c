import { createServer, type Socket } from 'node:net'
import { once } from 'node:events'
import { constants, createBrotliCompress, deflateSync, gzipSync } from 'node:zlib'

// A server on 127.0.0.1 that misbehaves by the first segment of the path. A separate process, so that sending costs the
// attacked program and its readers nothing. Prints its address. Ends when its standard input closes.

const mega = 1 << 20
const success = '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"1"]}]}}'
const spaces = Buffer.alloc(mega, ' ')

type Payload = { headers?: string; body: Buffer }

/** Decompresses to 512 MiB: a valid answer of a source, then spaces. */
async function brotliBomb(): Promise<Buffer> {
  const packed: Buffer[] = []
  const stream = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  stream.on('data', (chunk: Buffer) => packed.push(chunk))
  stream.write(success)
  for (let at = 0; at < 512; at += 1) if (!stream.write(spaces)) await once(stream, 'drain')
  stream.end()
  await once(stream, 'end')
  return Buffer.concat(packed)
}

/** Concatenated gzip members, which decompress as one body. */
function gzipBomb(): Buffer {
  const member = gzipSync(Buffer.alloc(32 * mega, ' '), { level: 9 })
  return Buffer.concat([gzipSync(success), ...Array.from({ length: 32 }, () => member)])
}

function matrix(series: number, points: number): Buffer {
  const values = Array.from({ length: points }, (_, at) => `[${1_700_000_000 + at * 60},"${at}.123456789"]`).join()
  const all = Array.from({ length: series }, (_, at) => `{"metric":{"instance":"${at}"},"values":[${values}]}`)
  return Buffer.from(`{"status":"success","data":{"resultType":"matrix","result":[${all.join()}]}}`)
}

function vector(series: number): Buffer {
  const all = Array.from({ length: series }, (_, at) => `{"metric":{"instance":"${at}"},"value":[1,"${at}"]}`)
  return Buffer.from(`{"status":"success","data":{"resultType":"vector","result":[${all.join()}]}}`)
}

function exposition(series: number, labelLength: number): Buffer {
  const padding = 'x'.repeat(labelLength)
  return Buffer.from(
    Array.from({ length: series }, (_, at) => `attack_total{id="${at}",padding="${padding}"} ${at}\n`).join(''),
  )
}

/** Answer of `/api/v1/series` or `/api/v1/labels` with so many items. */
function list(items: number, item: (at: number) => string): Buffer {
  return Buffer.from(`{"status":"success","data":[${Array.from({ length: items }, (_, at) => item(at)).join()}]}`)
}

const padding = 'x'.repeat(90)
const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels))
const gzip = 'content-encoding: gzip\r\n'

/** Created at their first use. */
const payloads: Record<string, () => Payload | Promise<Payload>> = {
  good: () => ({ body: Buffer.from(success) }),
  metrics: () => ({ body: Buffer.from('tiny_total 1\n') }),
  'brotli-bomb': async () => ({ headers: 'content-encoding: br\r\n', body: await brotliBomb() }),
  'gzip-bomb': () => ({ headers: gzip, body: gzipBomb() }),
  'double-gzip': () => ({ headers: 'content-encoding: gzip, gzip\r\n', body: gzipSync(gzipBomb()) }),
  'deflate-bomb': () => ({
    headers: 'content-encoding: deflate\r\n',
    body: deflateSync(Buffer.alloc(256 * mega, ' '), { level: 9 }),
  }),
  nested: () => ({ body: nested(2_000_000) }),
  'large-matrix': () => ({ body: matrix(100, 10_000) }),
  'large-vector': () => ({ body: vector(400_000) }),
  'large-series': () => ({
    body: list(100_000, (at) => `{"__name__":"up","instance":"${at}","padding":"${padding}"}`),
  }),
  'large-texts': () => ({ body: list(100_000, (at) => `"${at}${padding}"`) }),
  'many-series': () => ({ body: exposition(10_000, 40) }),
  'most-series': () => ({ body: exposition(95_000, 1) }),
  'large-exposition': () => ({ body: exposition(9_000, 1100) }),
}
const made = new Map<string, Promise<Payload>>()

function payloadOf(name: string): Promise<Payload> | undefined {
  const make = payloads[name]
  if (!make) return undefined
  return made.getOrInsertComputed(name, async () => make())
}

/** Writes the same bytes until the connection is closed. */
async function pour(socket: Socket, bytes: Buffer | string, times = Infinity) {
  for (let at = 0; at < times && !socket.destroyed; at += 1) {
    if (!socket.write(bytes)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  }
}

/** Answers without a fixed length. */
const streams: Record<string, (socket: Socket) => Promise<unknown> | void> = {
  endless: async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n')
    await pour(socket, spaces)
  },
  'hundred-megabytes': async (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${100 * mega}\r\n\r\n`)
    await pour(socket, spaces, 100)
  },
  'endless-error': async (socket) => {
    socket.write('HTTP/1.1 500 Oops\r\n\r\n')
    await pour(socket, spaces)
  },
  'endless-headers': async (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    await pour(socket, `x-header: ${'x'.repeat(8000)}\r\n`, 100_000)
  },
  'interim-flood': async (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n', 1_000_000),
  dribble: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n')
    const timer = setInterval(() => socket.write(' '), 20)
    socket.on('close', () => clearInterval(timer))
  },
  'hang-source': () => {},
  'hang-receiver': () => {},
  'redirect-home': (socket) => {
    socket.end(`HTTP/1.1 302 Found\r\nlocation: ${home}\r\ncontent-length: 0\r\n\r\n`)
  },
}

/** Target of `redirect-home`; set by `/set-home?<url>`. */
let home = ''

/** Connections per hanging path: now, and the most at any time, which `/most?<path>` returns. */
const hanging = new Map<string, { now: number; max: number }>()

function count(socket: Socket, path: string) {
  const counted = hanging.getOrInsertComputed(path, () => ({ now: 0, max: 0 }))
  counted.now += 1
  counted.max = Math.max(counted.max, counted.now)
  socket.on('close', () => void (counted.now -= 1))
}

async function answer(socket: Socket, path: string) {
  const [name = '', query = ''] = (/^\/([\w-]+)[^?]*\??(.*)$/.exec(path) ?? []).slice(1)
  if (name === 'set-home') home = decodeURIComponent(query)
  if (name.startsWith('hang')) count(socket, name)
  const stream = streams[name]
  if (stream) {
    await stream(socket)
    return
  }
  const max = String(hanging.get(query)?.max ?? 0)
  const said = name === 'most' ? { body: Buffer.from(max) } : await payloadOf(name)
  const { headers = '', body } = said ?? { body: Buffer.from('ok') }
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${headers}content-length: ${body.length}\r\nconnection: close\r\n\r\n`,
  )
  socket.end(body)
}

const server = createServer((socket) => {
  let asked = ''
  socket.on('error', () => {})
  socket.on('data', function read(chunk) {
    asked += chunk.toString('latin1')
    if (!asked.includes('\r\n\r\n')) return
    socket.off('data', read)
    socket.resume()
    answer(socket, asked.split(' ', 2)[1] ?? '').catch(() => socket.destroy())
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}\n`)
})
process.stdin.on('end', () => process.exit(0)).resume()
