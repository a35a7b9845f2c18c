import { afterEach, expect, test } from 'bun:test'
import type { HttpSettings } from '../../../src/embedded/collection/target.ts'
import { closeAll } from '../../support/closing.ts'
import { answering, tryHttp } from '../../support/probe-world.ts'

afterEach(closeAll)

const answer = (body: string, ...headers: string[]) =>
  ['HTTP/1.1 200 OK', `content-length: ${Buffer.byteLength(body)}`, ...headers, '', body].join('\r\n')
const health = answer(
  '{"status":"DOWN","queue":7}',
  'content-type: application/json',
  'set-cookie: a=1',
  'set-cookie: b=2',
)

test.each<[Partial<HttpSettings>, string | null, number]>([
  [{ jsonConditions: ['$.status == "UP"'] }, `the answer's $.status is "DOWN", not "UP"`, 0],
  [{ jsonConditions: ['$.queue < 10', '$.status contains "OWN"'] }, null, 0],
  [{ jsonConditions: ['$.queue < 10', '$.queue > 7'] }, `the answer's $.queue is 7, not above 7`, 0],
  [{ bodyContains: '"queue":' }, null, 0],
  [{ bodyContains: 'status (UP)' }, 'the body does not contain "status (UP)"', 1],
  [{ bodyContainsNot: 'DOWN' }, 'the body contains "DOWN"', 1],
  [{ bodyContainsNot: 'DOW.' }, null, 0],
  [{ headerMatches: { 'Content-Type': '^application/(.*\\+)?json' } }, null, 0],
  [{ headerMatches: { 'content-type': 'html' } }, `the answer's header content-type does not match html`, 1],
  [{ headerMatches: { 'X-Cache': '.' } }, 'the answer has no header X-Cache', 1],
  [{ headerMatches: { 'Set-Cookie': '^b=' } }, null, 0],
  [
    { headerMatches: { 'X-Cache': '.' }, bodyContainsNot: 'DOWN', jsonConditions: ['$.status == "UP"'] },
    'the answer has no header X-Cache',
    1,
  ],
])('%j: %p', async (settings, error, failedByRegex) => {
  const tried = await tryHttp(answering(health).url, settings)
  expect(tried).toMatchObject({ success: error === null, error })
  expect(tried.samples).toMatchObject({ probe_failed_due_to_regex: failedByRegex, probe_http_status_code: 200 })
})

test.each([
  ['<html>', 'the answer is not JSON'],
  ['', 'the answer is not JSON'],
  [`"${'x'.repeat(1024 * 1024)}"`, 'the answer is too long to be read as JSON'],
])('a body that cannot be read fails a condition on JSON', async (body, error) => {
  const tried = await tryHttp(answering(answer(body)).url, { jsonConditions: ['$ == "x"'] })
  expect(tried).toMatchObject({ success: false, error })
})

test.each([
  [99, 'the answer took 100 ms, expected below 99 ms'],
  [100, 'the answer took 100 ms, expected below 100 ms'],
  [101, null],
])('an answer in 100 ms, redirects included, expected below %p ms: %p', async (responseTimeBelowMs, error) => {
  let nowMs = 0
  const { url } = answering(({ path }, wire) => {
    nowMs += 50
    wire.write(path === '/' ? 'HTTP/1.1 302 Found\r\nlocation: /next\r\ncontent-length: 0\r\n\r\n' : answer('hello'))
    wire.end()
  })
  const tried = await tryHttp(`${url}/`, { responseTimeBelowMs }, { clock: { now: () => nowMs } })
  expect(tried).toMatchObject({ success: error === null, error })
})

test.each([
  [{ basic: { username: 'ada', password: 'größer:1' } }, `Basic ${Buffer.from('ada:größer:1').toString('base64')}`],
  [{ bearer: { token: 's3cret' } }, 'Bearer s3cret'],
])('credentials %j are sent, and do not follow to another origin', async (auth, authorization) => {
  const other = answering(answer('hello'))
  const { url, asked } = answering((_, wire) => {
    wire.write(`HTTP/1.1 302 Found\r\nlocation: ${other.url}/\r\ncontent-length: 0\r\n\r\n`)
    wire.end()
  })
  expect(await tryHttp(url, { auth })).toMatchObject({ error: null })
  expect(asked[0]?.headers.get('authorization')).toBe(authorization)
  expect(other.asked[0]?.headers.has('authorization')).toBe(false)
})
