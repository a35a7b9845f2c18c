import { afterEach, describe, expect, test } from 'bun:test'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { readBounded, readSmall } from '../../src/http/outbound/body.ts'
import { createOutbound } from '../../src/http/outbound/outbound.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { outboundFailure } from '../support/outbound-world.ts'
import { rawHttp, type Wire } from '../support/raw-http.ts'

afterEach(closeAll)

const megabyte = 1024 * 1024
const head = (...lines: string[]) => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n')

/**
 * A server that answers with these bytes, and the result of an outbound request to it. `left` resolves when nines has closed
 * the connection.
 */
function answering(answer: (wire: Wire) => void) {
  const { promise: left, resolve } = Promise.withResolvers<void>()
  const server = rawHttp((_, wire) => answer(wire), resolve)
  closeLater(server.close)
  const url = `http://127.0.0.1:${server.port}/`
  const ask = (maxBytes: number, signal?: AbortSignal) =>
    createOutbound({ deny: [] }).fetch(url, { maxBytes, ...(signal && { signal }) })
  return { ask, left, sentBytes: server.sentBytes }
}

function packed(encoding: string, body: Buffer, status = '200 OK') {
  return answering((wire) => {
    const length = `Content-Length: ${body.length}`
    wire.write([`HTTP/1.1 ${status}`, `Content-Encoding: ${encoding}`, length, '', ''].join('\r\n'))
    wire.write(body)
  })
}

const endless = (first: string, again: Uint8Array | string) =>
  answering((wire) => {
    wire.write(first)
    const more = () => {
      if (!wire.isOpen()) return
      wire.write(again)
      setImmediate(more)
    }
    more()
  })

describe('a body', () => {
  test.each(['gzip', 'x-gzip', 'GZIP', ' gzip '])('in %p is unpacked', async (encoding) => {
    const { ask } = packed(encoding, gzipSync('hello'))
    expect(await ask(5)).toMatchObject({ body: Buffer.from('hello'), isCut: false })
  })

  test.each(['identity', ''])('in %p is given as it came', async (encoding) => {
    const { ask } = packed(encoding, Buffer.from('hello'))
    expect(await ask(5)).toMatchObject({ body: Buffer.from('hello'), isCut: false })
  })

  test('of several gzip members is unpacked whole', async () => {
    const { ask } = packed('gzip', Buffer.concat([gzipSync('hel'), gzipSync('lo')]))
    expect(await ask(100)).toMatchObject({ body: Buffer.from('hello'), isCut: false })
  })

  test('of many megabytes is whole', async () => {
    const whole = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(50))
    expect((await packed('gzip', gzipSync(whole)).ask(20 * megabyte)).body.equals(whole)).toBe(true)
  })

  test('of many pieces is joined', async () => {
    const { ask } = answering((wire) => {
      wire.write(head('Transfer-Encoding: chunked'))
      wire.write('1\r\na\r\n'.repeat(100_000))
      wire.write('0\r\n\r\n')
    })
    expect((await ask(megabyte)).body.toString()).toBe('a'.repeat(100_000))
  })

  test.each([
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['zstd', zstdCompressSync('hello')],
    ['gzip, gzip', gzipSync(gzipSync('hello'))],
    ['compress', Buffer.from('hello')],
  ])('in %p, which was not asked for, is refused', async (encoding, body) => {
    const { ask } = packed(encoding, body)
    expect(await outboundFailure(ask(100))).toEqual({
      failure: 'broken',
      message: 'the body is compressed by something else than gzip',
    })
  })

  test('of an error that cannot be unpacked leaves the status', async () => {
    const { ask } = packed('br', brotliCompressSync('hello'), '502 Bad Gateway')
    expect(await ask(100)).toMatchObject({ status: 502, body: Buffer.alloc(0) })
  })

  test.each([
    ['gzip', 'no gzip at all', 'the body is not compressed as it claims'],
    ['gzip', gzipSync('hello').subarray(0, 20), 'the body ends before it is complete'],
  ])('in %p that is none: %p', async (encoding, body, message) => {
    expect(await outboundFailure(packed(encoding, Buffer.from(body)).ask(100))).toEqual({ failure: 'broken', message })
  })
})

describe('a body that is larger than allowed is cut, and its connection closed:', () => {
  test('one that is announced', async () => {
    const { ask, left } = endless(head(`Content-Length: ${1e9}`), Buffer.alloc(megabyte, 'x'))
    expect(await ask(10)).toMatchObject({ body: Buffer.from('xxxxxxxxxx'), isCut: true })
    await left
  })

  test('one without end', async () => {
    const { ask, left, sentBytes } = endless(head(), Buffer.alloc(megabyte, 'x'))
    expect(await ask(3 * megabyte)).toMatchObject({ body: Buffer.alloc(0), isCut: true })
    await left
    expect(sentBytes()).toBeLessThan(60 * megabyte)
  })

  test('a short one, of which the beginning is kept', async () => {
    const { ask, left } = endless(head(), Buffer.alloc(megabyte, 'x'))
    expect((await ask(megabyte)).body.toString()).toBe('x'.repeat(megabyte))
    await left
  })

  test('one that is not to be read', async () => {
    const { ask, left } = endless(head(), Buffer.alloc(megabyte, 'x'))
    expect(await ask(0)).toMatchObject({ status: 200, body: Buffer.alloc(0), isCut: true })
    await left
  })

  test('one that unpacks to much more than it is', async () => {
    const member = gzipSync(Buffer.alloc(20 * megabyte))
    const unpackedBytes = 1000 * megabyte
    const { ask, left } = answering((wire) => {
      wire.write(head('Content-Encoding: gzip'))
      wire.write(Buffer.concat(Array(50).fill(member))) // once: what a sender of this process has not sent yet is memory, too
    })
    const before = process.memoryUsage.rss()
    expect(await ask(2 * megabyte)).toMatchObject({ body: Buffer.alloc(0), isCut: true })
    expect(process.memoryUsage.rss() - before).toBeLessThan(unpackedBytes / 4)
    await left
  })

  test('one of a few kilobytes, of which no more than its bound is unpacked at once', () => {
    const bomb = gzipSync(Buffer.alloc(8 * megabyte))
    expect(bomb.length).toBeLessThan(8192)
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    for (let times = 0; times < 40; times += 1) {
      expect(readSmall(bomb, { maxBytes: 100, encoding: 'gzip' })).toBeNull()
    }
    expect(process.memoryUsage.rss() - before).toBeLessThan(30 * megabyte)
  })

  test('one that unpacks to nothing, for ever', async () => {
    const { ask, left } = endless(head('Content-Encoding: gzip'), Buffer.concat(Array(5000).fill(gzipSync(''))))
    expect(await ask(200_000)).toMatchObject({ isCut: true })
    await left
  })
})

test.each([
  ['a body that comes drop by drop', head(), 'x'],
  ['interim answers without end', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(1000)],
  ['trailers without end', `${head('Transfer-Encoding: chunked')}0\r\n`, 'X-A: b\r\n'.repeat(1000)],
  ['the extension of a chunk without end', `${head('Transfer-Encoding: chunked')}1;a=`, 'x'.repeat(10_000)],
])('%s: the request ends with its signal, and the connection with it', async (_, first, again) => {
  const { ask, left } = endless(first, again)
  const before = process.memoryUsage.rss()
  await expect(ask(1e12, AbortSignal.timeout(300))).rejects.toThrow('timed out')
  // includes bytes the server has not sent yet
  expect(process.memoryUsage.rss() - before).toBeLessThan(400 * megabyte)
  await left
})

test('headers without end are refused', async () => {
  const { ask, left } = endless('HTTP/1.1 200 OK\r\nX-A: ', 'x'.repeat(100_000))
  expect((await outboundFailure(ask(10))).failure).toBe('broken')
  await left
})

test('a brotli bomb is a few bytes that are never unpacked', async () => {
  const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 5 }
  const { ask } = packed('br', brotliCompressSync(Buffer.alloc(256 * megabyte), { params }))
  const before = process.memoryUsage.rss()
  expect((await outboundFailure(ask(32 * megabyte))).message).toBe('the body is compressed by something else than gzip')
  expect(process.memoryUsage.rss() - before).toBeLessThan(50 * megabyte)
})

test.each([
  [true, null, 0],
  [true, 'gzip', 1000],
  [false, null, 1000],
])(
  'with takesChunks %p and the encoding %p a chunk has %p bytes left once it is read',
  async (ownsChunks, encoding, left) => {
    const plain = Buffer.alloc(50_000, 'ab')
    const sent = encoding ? Bun.gzipSync(plain) : plain
    const chunks = Array.from({ length: Math.ceil(sent.length / 1000) }, (_, at) =>
      Uint8Array.from(sent.subarray(1000 * at, 1000 * (at + 1))),
    )
    const size = Math.min(1000, chunks[0]?.length ?? 0)
    async function* all() {
      yield* chunks
    }
    const { body } = await readBounded(all(), { maxBytes: 1e6, encoding, ownsChunks })
    expect(body.equals(plain)).toBe(true)
    expect(chunks[0]?.length).toBe(Math.min(left, size))
  },
)
