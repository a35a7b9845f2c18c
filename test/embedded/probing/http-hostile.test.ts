import { afterEach, expect, test } from 'bun:test'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { closeAll } from '../../support/closing.ts'
import { answering, tryHttp } from '../../support/probe-world.ts'
import type { Wire } from '../../support/raw-http.ts'

afterEach(closeAll)

const lost = 'connection lost before the answer was complete'
const head = 'HTTP/1.1 200 OK\r\n'

test.each([
  ['nothing', '', lost],
  ['half a head', 'HTTP/1.1 200 OK\r\ncontent-', lost],
  ['half a body', `${head}content-length: 10\r\n\r\nhello`, lost],
  ['half a chunk', `${head}transfer-encoding: chunked\r\n\r\na\r\nhello`, lost],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'the answer is not HTTP'],
  ['an impossible status', 'HTTP/1.1 99999 OK\r\n\r\n', 'the answer is not HTTP'],
  ['two lengths', `${head}content-length: 1\r\ncontent-length: 2\r\n\r\n12`, 'the answer is not HTTP'],
  ['a large header', `${head}x: ${'y'.repeat(100_000)}\r\n\r\n`, 'the answer has too large headers'],
  ['many headers', `${head}${'x: y\r\n'.repeat(20_000)}\r\n`, 'the answer has too large headers'],
  ['interim answers only', 'HTTP/1.1 103 Early\r\n\r\n'.repeat(1000), 'the answer does not begin'],
  [
    'what is not compressed',
    `${head}content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello`,
    'the body is not compressed as it claims',
  ],
])('%s is a failure', async (_, answer, error) => {
  const tried = await tryHttp(answering(answer).url)
  expect(tried).toMatchObject({ success: false, error })
  expect(tried.samples).toMatchObject({ probe_success: 0 })
})

test('half of a compressed body is a failure', async () => {
  const body = gzipSync(crypto.getRandomValues(new Uint8Array(1000))).subarray(0, 500)
  const { url } = answering((_, wire) => {
    wire.write(`${head}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
    wire.write(body)
  })
  expect(await tryHttp(url)).toMatchObject({ error: 'the body is not compressed as it claims' })
})

test('of a body without end a mebibyte is read, and the connection closed', async () => {
  const { url, left } = answering((_, wire) => {
    wire.write(`${head}\r\n`)
    for (let count = 0; count < 100; count += 1) wire.write('x'.repeat(100_000))
  })
  const { success, samples } = await tryHttp(url, { bodyMatches: '^x+$' })
  expect(success).toBe(true)
  expect(samples).toMatchObject({ probe_http_uncompressed_body_length: 1024 * 1024 })
  await left
})

test('of a body in pieces of a byte the first thousands are read', async () => {
  const { url, left } = answering((_, wire) => {
    wire.write(`${head}transfer-encoding: chunked\r\n\r\n`)
    wire.write('1\r\nx\r\n'.repeat(500_000))
  })
  const { success, samples } = await tryHttp(url, { bodyMatches: '^x+$' })
  expect(success).toBe(true)
  expect(samples).toMatchObject({ probe_http_uncompressed_body_length: 20_000 })
  await left
})

test('of a few bytes of brotli that stand for a huge body a mebibyte is read', async () => {
  const body = brotliCompressSync(Buffer.alloc(256_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
  const { url } = answering((_, wire) => {
    wire.write(`${head}content-encoding: br\r\ncontent-length: ${body.length}\r\n\r\n`)
    wire.write(body)
  })
  const before = process.memoryUsage.rss()
  expect(await tryHttp(url)).toMatchObject({ samples: { probe_http_uncompressed_body_length: 1024 * 1024 } })
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000)
})

test('a small body that stands for a huge one is cut too', async () => {
  const body = gzipSync(Buffer.alloc(100_000_000))
  const { url } = answering((_, wire) => {
    wire.write(`${head}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
    wire.write(body)
  })
  const { samples } = await tryHttp(url)
  expect(samples).toMatchObject({ probe_success: 1, probe_http_uncompressed_body_length: 1024 * 1024 })
})

test.each([
  ['an answer that does not come', () => {}, 0],
  ['a head that does not end', (wire: Wire) => wire.write(head), 0],
  ['a body that ends with its connection', (wire: Wire) => wire.write(`${head}\r\nhello`), 200],
  ['a body that does not end', (wire: Wire) => wire.write(`${head}content-length: 10\r\n\r\nhello`), 200],
])('%s is waited for until the time is over', async (_, answer, status) => {
  const { url, left } = answering((_asked, wire) => answer(wire))
  const tried = await tryHttp(url, {}, { timeoutMs: 60 })
  expect(tried).toMatchObject({ success: false, error: 'it took longer than 0.06 s' })
  expect(tried.samples).toMatchObject({ probe_success: 0, probe_http_status_code: status, probe_ip_protocol: 4 })
  await left
})

test('a probe that is stopped says so, and leaves no connection', async () => {
  const stopping = new AbortController()
  const { url, left } = answering(() => stopping.abort(new Error('nines ends')))
  await expect(tryHttp(url, {}, { signal: stopping.signal })).rejects.toThrow('nines ends')
  await left
})

test.each([
  ['not a URL', 'the address is not an http or https URL'],
  ['file:///etc/passwd', 'the address is not an http or https URL'],
  ['http://me:secret@probe.example/', 'the URL contains a user name or password'],
])('%s is not asked', async (url, error) => {
  expect(await tryHttp(url)).toMatchObject({ success: false, error, samples: { probe_ip_protocol: 0 } })
})

test('a header that HTTP does not allow is not sent', async () => {
  const { url, asked } = answering(`${head}\r\n`)
  const { error } = await tryHttp(url, { headers: { 'X-Key': 'a\r\nX-Other: b' } })
  expect(error).toBe('the request has a header that HTTP does not allow')
  expect(asked).toEqual([])
})

test('a denied address is not connected to', async () => {
  const { url, asked } = answering(`${head}\r\n`)
  const { error, samples } = await tryHttp(url, {}, { deny: ['127.0.0.0/8'] })
  expect(error).toBe('the address of the host is denied (OUTBOUND_DENY)')
  expect(samples).toMatchObject({ probe_success: 0, probe_http_status_code: 0, probe_ip_protocol: 0 })
  expect(asked).toEqual([])
})

test('a name is looked up once, so that it cannot become another address', async () => {
  const { url } = answering(`${head}content-length: 0\r\n\r\n`)
  let lookups = 0
  const lookup = async () => {
    lookups += 1
    return ['127.0.0.1']
  }
  expect(await tryHttp(url, {}, { lookup })).toMatchObject({ success: true })
  expect(lookups).toBe(1)
})

test('where nobody listens at the first address, the next is tried', async () => {
  const { url } = answering(`${head}content-length: 0\r\n\r\n`)
  const tried = await tryHttp(url, {}, { lookup: async () => ['::1', '127.0.0.1'] })
  expect(tried).toMatchObject({ success: true, samples: { probe_ip_protocol: 4 } })
})
