import { afterEach, describe, expect, test } from 'bun:test'
import { createOutbound } from '../../../src/http/outbound/outbound.ts'
import {
  truncate,
  exchange,
  type HttpRequest,
  outcomeOf,
  errorTextIn,
  summary,
} from '../../../src/notifications/channels/http.ts'
import { readRetryAfter } from '../../../src/http/outbound/retry-after.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { channelDeps, writtenAtMs } from '../../support/messages.ts'
import { type Answerer, startReceiver } from '../../support/receiver.ts'

afterEach(closeAll)

const deps = channelDeps()

function open(answer: Answerer = () => new Response('fine')) {
  const receiver = startReceiver(answer)
  closeLater(() => void receiver.close())
  const ask = (request: HttpRequest = {}, signal = AbortSignal.timeout(5000)) =>
    exchange(deps, `${receiver.url}/secret-path`, request, signal)
  return { receiver, ask }
}

describe('an exchange', () => {
  test('sends JSON and gives the answer, of whatever status', async () => {
    const { receiver, ask } = open(() => Response.json({ no: 'way' }, { status: 418, headers: { 'x-own': '1' } }))
    const got = await ask({ json: { a: 'ü' }, headers: { authorization: 'Key x' } })
    expect(got).toMatchObject({ answer: { status: 418, text: '{"no":"way"}', json: { no: 'way' } } })
    expect('answer' in got && got.answer.headers.get('x-own')).toBe('1')
    const [sent] = receiver.received
    expect(sent).toMatchObject({ method: 'POST', path: '/secret-path', json: { a: 'ü' } })
    const names = ['content-type', 'user-agent', 'authorization']
    expect(names.map((name) => sent?.headers.get(name))).toEqual(['application/json', 'nines', 'Key x'])
  })

  test('sends a body as it is, and without one no type', async () => {
    const { receiver, ask } = open()
    await ask({ body: '{"a": 1}' })
    await ask({ method: 'GET' })
    expect(receiver.received.map(({ text, headers }) => [text, headers.get('content-type')])).toEqual([
      ['{"a": 1}', 'application/json'],
      ['', null],
    ])
  })

  test('lets a header of nines be replaced, however it is spelled', async () => {
    const { receiver, ask } = open()
    await ask({ json: {}, headers: { 'User-Agent': 'ours/1', 'Content-Type': 'application/vnd.ours+json' } })
    const { headers } = receiver.received[0] ?? {}
    expect([headers?.get('user-agent'), headers?.get('content-type')]).toEqual(['ours/1', 'application/vnd.ours+json'])
  })

  test('reads no more than 64 KB of an answer', async () => {
    const { ask } = open(() => new Response('x'.repeat(1_000_000)))
    const got = await ask()
    expect('answer' in got && got.answer.text).toHaveLength(65_536)
    expect('answer' in got && got.answer.json).toBeUndefined()
  })

  test('follows no redirect', async () => {
    const { receiver, ask } = open(() => new Response(null, { status: 302, headers: { location: '/elsewhere' } }))
    const got = await ask({ json: {} })
    expect(receiver.received).toHaveLength(1)
    expect('answer' in got && outcomeOf(got.answer, deps)).toEqual({
      outcome: 'failed',
      statusCode: 302,
      error: 'the receiver answered 302',
    })
  })

  test('can be tried again where nobody answers, with an error without the URL', async () => {
    const { receiver, ask } = open()
    await receiver.close()
    expect(await ask({ json: {} })).toEqual({
      failure: { outcome: 'retry', statusCode: null, error: 'connection refused' },
    })
  })

  test('is given up where nines may not go', async () => {
    const { receiver } = open()
    const outbound = createOutbound({ deny: ['127.0.0.0/8'] })
    const got = await exchange({ outbound }, `${receiver.url}/secret-path`, {}, AbortSignal.timeout(5000))
    expect(got).toEqual({
      failure: { outcome: 'failed', statusCode: null, error: 'the address 127.0.0.1 is denied (OUTBOUND_DENY)' },
    })
    expect(receiver.received).toEqual([])
  })

  test('ends with the signal, before an answer and in the middle of one', async () => {
    const stop = new AbortController()
    const reason = new Error('nines stops')
    const { ask } = open(() => {
      const body = new ReadableStream({ start: (control) => control.enqueue(new TextEncoder().encode('begun')) })
      setImmediate(() => stop.abort(reason))
      return new Response(body)
    })
    const ends = (signal: AbortSignal) =>
      ask({}, signal).then(
        () => 'an answer',
        (error: unknown) => error,
      )
    expect(await ends(stop.signal)).toBe(reason)
    expect(await ends(stop.signal)).toBe(reason)
  })
})

describe('the outcome of an answer', () => {
  const answer = (status: number, json?: unknown, headers: Record<string, string> = {}) => ({
    status,
    text: '',
    headers: new Headers(headers),
    json,
  })

  test.each([200, 201, 202, 204, 299])('%p is an acknowledgement', (status) => {
    expect(outcomeOf(answer(status, 'whatever'), deps)).toEqual({ outcome: 'delivered', statusCode: status })
  })

  test.each([408, 425, 429, 500, 502, 503, 504, 599])('%p can be tried again', (statusCode) => {
    const error = `the receiver answered ${statusCode}: busy`
    expect(outcomeOf(answer(statusCode, { error: 'busy\n' }), deps)).toEqual({ outcome: 'retry', statusCode, error })
  })

  test.each([301, 302, 304, 400, 401, 403, 404, 410, 413, 422])('%p is final', (statusCode) => {
    const error = `the receiver answered ${statusCode}`
    expect(outcomeOf(answer(statusCode, '', { 'retry-after': '5' }), deps)).toEqual({
      outcome: 'failed',
      statusCode,
      error,
    })
  })

  test.each([
    ['5', 0, 5000],
    ['5', 7000, 7000],
    ['5', 3000, 5000],
    ['', 3000, 3000],
    ['soon', 0, undefined],
    ['0', 0, undefined],
    ['86400', 0, 900_000],
    ['', -1, undefined],
    ['', 900_001, 900_000],
    ['', Infinity, 900_000],
    ['', NaN, undefined],
  ])('a Retry-After of %p and a wish of %p ms give %p ms', (header, retryAfterMs, expected) => {
    const outcome = outcomeOf(answer(429, '', { 'retry-after': header }), deps, retryAfterMs)
    expect('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined).toBe(expected)
  })
})

describe('Retry-After', () => {
  test.each([
    ['120', 120_000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Sun, 01 Mar 2026 12:01:00 GMT', 60_000],
    ['Sunday, 01-Mar-26 12:01:00 GMT', 60_000],
    ['Sun Mar  1 12:01:00 2026', 60_000],
    ['Sun, 01 Mar 2026 12:00:00 GMT', undefined],
    ['Sun, 01 Mar 2026 11:00:00 GMT', undefined],
    ['-5', undefined],
    ['1e3', undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('%p is %p ms', (value, expected) => {
    expect(readRetryAfter(value, writtenAtMs)).toBe(expected)
  })

  test('a date without a zone is in GMT wherever nines runs', () => {
    const zone = process.env.TZ
    try {
      process.env.TZ = 'Asia/Tokyo'
      expect(new Date(0).getHours()).toBe(9)
      expect(readRetryAfter('Sun Mar  1 12:01:00 2026', writtenAtMs)).toBe(60_000)
    } finally {
      process.env.TZ = zone ?? 'UTC'
    }
  })
})

test.each([
  [{ error: 'invalid_auth' }, ': invalid_auth'],
  [{ message: 'Unknown Webhook', code: 10015 }, ': Unknown Webhook'],
  [{ ok: false, description: 'Unauthorized' }, ': Unauthorized'],
  [
    { status: 'invalid event', message: 'Event object is invalid', errors: ['a', 'b'] },
    ': Event object is invalid: a: b',
  ],
  [{ errors: ['a', { b: 'c' }] }, ': a'],
  [{ error: { secret: 'x' }, other: 'y' }, ''],
  [{ error: '' }, ''],
  ['some page', ''],
  [['a'], ''],
  [undefined, ''],
])('of the answer %j the error says %p', (json, expected) => {
  expect(errorTextIn(json)).toBe(expected)
})

test.each([
  ['', ''],
  [' \n ', ''],
  ['no\r\n\tsuch\u0000 hook', ': no such hook'],
  ['x'.repeat(200), `: ${'x'.repeat(200)}`],
  ['x'.repeat(201), `: ${'x'.repeat(199)}…`],
  [`${'x'.repeat(198)}🔥 and more`, `: ${'x'.repeat(198)}…`],
])('of the body %p is said %p', (text, said) => {
  expect(summary(text)).toBe(said)
})

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a🔥b', 3, 'a…'],
  ['🔥b', 3, '🔥b'],
  ['🔥bc', 3, '🔥…'],
  ['abcd', 1, '…'],
])('%p in %p characters is %p', (text, max, expected) => {
  expect(truncate(text, max)).toBe(expected)
})
