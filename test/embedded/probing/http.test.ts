import { afterEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { version } from '../../../package.json' with { type: 'json' }
import { closeAll } from '../../support/closing.ts'
import { answering, tryHttp } from '../../support/probe-world.ts'

afterEach(closeAll)

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello'

test('an answer that is as expected is a success, and tells what the blackbox exporter does', async () => {
  const { url } = answering(ok)
  expect(await tryHttp(url)).toEqual({
    success: true,
    error: null,
    samples: {
      probe_success: 1,
      probe_duration_seconds: expect.any(Number),
      probe_dns_lookup_time_seconds: expect.any(Number),
      probe_ip_protocol: 4,
      probe_ip_addr_hash: 3668918509, // value of blackbox exporter 0.23 for 127.0.0.1
      probe_failed_due_to_regex: 0,
      probe_http_status_code: 200,
      probe_http_version: 1.1,
      probe_http_content_length: 5,
      probe_http_uncompressed_body_length: 5,
      probe_http_redirects: 0,
      probe_http_ssl: 0,
      'probe_http_duration_seconds phase=resolve': expect.any(Number),
      'probe_http_duration_seconds phase=connect': expect.any(Number),
      'probe_http_duration_seconds phase=tls': 0,
      'probe_http_duration_seconds phase=processing': expect.any(Number),
      'probe_http_duration_seconds phase=transfer': expect.any(Number),
    },
  })
})

test('one that has no answer has the same series, with nothing found', async () => {
  const { url } = answering((_, wire) => wire.reset())
  const good = await tryHttp(answering(ok).url)
  const bad = await tryHttp(url)
  expect(bad).toMatchObject({ success: false, error: 'connection lost before the answer was complete' })
  expect(Object.keys(bad.samples).toSorted()).toEqual(Object.keys(good.samples).toSorted())
  expect(bad.samples).toMatchObject({ probe_success: 0, probe_http_status_code: 0, probe_ip_protocol: 4 })
})

test.each([
  ['200 OK', [], null],
  ['204 No Content', [], null],
  ['299 Odd', [], null],
  ['300 Multiple Choices', [], 'HTTP 300, expected 2xx'],
  ['500 Internal Server Error', [], 'HTTP 500, expected 2xx'],
  ['404 Not Found', [404, 410], null],
  ['200 OK', [404, 410], 'HTTP 200, expected 404 or 410'],
])('%s where %p is expected: %p', async (line, expectedStatus, error) => {
  const { url } = answering(`HTTP/1.1 ${line}\r\ncontent-length: 0\r\n\r\n`)
  const tried = await tryHttp(url, { expectedStatus })
  expect(tried).toMatchObject({ success: error === null, error })
  expect(tried.samples).toMatchObject({ probe_http_status_code: Number(line.slice(0, 3)) })
})

test.each([
  [{ bodyMatches: 'h.l+o' }, null],
  [{ bodyMatches: '^ello' }, 'the body does not match what it must match'],
  [{ bodyMatchesNot: 'error|fatal' }, null],
  [{ bodyMatchesNot: '(?i)HELLO' }, 'the body matches what it must not match'],
  [{ bodyMatches: 'hello', bodyMatchesNot: 'lo$' }, 'the body matches what it must not match'],
])('a body “hello” and %p: %p', async (settings, error) => {
  const tried = await tryHttp(answering(ok).url, settings)
  expect(tried).toMatchObject({ success: error === null, error })
  expect(tried.samples).toMatchObject({ probe_failed_due_to_regex: error === null ? 0 : 1 })
})

test('a body is not what a probe of another status failed for', async () => {
  const { url } = answering('HTTP/1.1 500 Oh\r\ncontent-length: 0\r\n\r\n')
  const { samples } = await tryHttp(url, { bodyMatches: 'hello' })
  expect(samples).toMatchObject({ probe_failed_due_to_regex: 0, probe_success: 0 })
})

test('the request is as it was written, and says who asks', async () => {
  const { url, asked, port } = answering(ok)
  await tryHttp(`${url}/a%20b?c=d`, { method: 'POST', headers: { 'X-Key': 'secret' }, body: 'größer' })
  const [request] = asked
  expect(request).toMatchObject({ method: 'POST', path: '/a%20b', parameters: { c: 'd' }, body: 'größer' })
  expect(Object.fromEntries(request?.headers ?? [])).toEqual({
    host: `probe.example:${port}`,
    'user-agent': `nines/${version}`,
    'x-key': 'secret',
    'content-length': '8',
    connection: 'close',
  })
})

test('a User-Agent of the user takes the place of ours, a Host does not', async () => {
  const { url, port, asked } = answering(ok)
  await tryHttp(url, { headers: { Host: 'shop.example', 'User-Agent': 'me' } })
  const host = `probe.example:${port}`
  expect(Object.fromEntries(asked[0]?.headers ?? [])).toMatchObject({ host, 'user-agent': 'me' })
})

test('a compressed body is matched and measured as what it stands for', async () => {
  const body = gzipSync('hello'.repeat(100))
  const { url } = answering((_, wire) => {
    wire.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`)
    wire.write(body)
  })
  const { samples, error } = await tryHttp(url, { bodyMatches: '^(hello){100}$' })
  expect(error).toBeNull()
  expect(samples).toMatchObject({
    probe_http_content_length: body.length,
    probe_http_uncompressed_body_length: 500,
  })
})

test('a body in chunks has no length beforehand', async () => {
  const { url } = answering('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n')
  const { samples } = await tryHttp(url, { bodyMatches: 'hello' })
  expect(samples).toMatchObject({ probe_success: 1, probe_http_content_length: -1 })
})

test('an answer without a body has the length 0, and the time of its last change is reported', async () => {
  const { url } = answering('HTTP/1.1 204 No Content\r\nlast-modified: Wed, 21 Oct 2015 07:28:00 GMT\r\n\r\n')
  const { samples } = await tryHttp(url)
  expect(samples).toMatchObject({
    probe_http_content_length: 0,
    probe_http_last_modified_timestamp_seconds: 1445412480,
  })
})

test('HTTP/1.0 is reported, and HEAD has no body', async () => {
  const { url } = answering('HTTP/1.0 200 OK\r\ncontent-length: 77\r\ncontent-encoding: gzip\r\n\r\n')
  const { samples, error } = await tryHttp(url, { method: 'HEAD' })
  expect(error).toBeNull()
  expect(samples).toMatchObject({
    probe_http_version: 1,
    probe_http_content_length: 77,
    probe_http_uncompressed_body_length: 0,
  })
})

test('a change of the protocol may be what is expected', async () => {
  const { url } = answering('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n')
  expect(await tryHttp(url, { expectedStatus: [101] })).toMatchObject({ error: null })
  expect(await tryHttp(url)).toMatchObject({ error: 'HTTP 101, expected 2xx' })
})

test('each part of the time is measured for itself', async () => {
  let nowMs = 1000
  const clock = { now: () => nowMs }
  const pass = (ms: number) => void (nowMs += ms)
  const { url } = answering((_, wire) => {
    pass(250)
    wire.write(ok)
  })
  const lookup = async () => {
    pass(2000)
    return ['127.0.0.1']
  }
  const { samples } = await tryHttp(url, {}, { clock, lookup })
  expect(samples).toMatchObject({
    probe_duration_seconds: 2.25,
    probe_dns_lookup_time_seconds: 2,
    'probe_http_duration_seconds phase=resolve': 2,
    'probe_http_duration_seconds phase=connect': 0,
    'probe_http_duration_seconds phase=processing': 0.25,
    'probe_http_duration_seconds phase=transfer': 0,
  })
})
