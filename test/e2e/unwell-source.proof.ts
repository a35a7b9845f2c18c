import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type Answer, testStartMs } from '../support/app.ts'
import { closeAll, closeLater } from '../support/closing.ts'
import { fakeSource } from '../support/fake-source.ts'
import type { Fault } from '../support/faulty-source.ts'
import { inHtml, inJson, inWords, type FaultySourceApp, faultySourceApp } from '../support/faulty-source-app.ts'

let it: FaultySourceApp
beforeEach(async () => {
  it = await faultySourceApp({ timeoutSeconds: 1 })
})
afterEach(async () => {
  await it.close()
  closeAll()
})

const silent = 'metrics source did not answer'
const unusable = 'metrics source gave no usable answer'
const refused = 'metrics source refused the query'

describe('a source without a usable answer is 503, and says why', () => {
  test.each<[string, Fault, string, string]>([
    ['is slow', { delayMs: 3000 }, silent, 'no answer within 1 s'],
    ['hangs', 'hang', silent, 'no answer within 1 s'],
    ['stalls half-way', 'stall', silent, 'no answer within 1 s'],
    ['dribbles', 'dribble', silent, 'no answer within 1 s'],
    ['resets the connection', 'reset', silent, 'connection lost before the answer was complete'],
    ['is cut off half-way', 'cut', silent, 'connection lost before the answer was complete'],
    ['does not speak HTTP', 'not-http', unusable, 'the answer is not HTTP'],
    ['answers HTML', 'html', unusable, 'answered with HTML, not JSON'],
    ['answers broken JSON', 'broken-json', unusable, 'answered with broken JSON'],
    ['answers nothing at all', { body: '' }, unusable, 'answered with an empty body'],
    ['garbles its compression', 'garbled-gzip', unusable, 'the body is not compressed as it claims'],
    ['redirects', 'redirect', unusable, 'HTTP 302, a redirect to https://login.example, which is not followed'],
    ['answers 400 in HTML', inHtml(400), unusable, 'HTTP 400'],
    ['answers 401', inWords(401), unusable, 'HTTP 401, check its credentials'],
    ['answers 403', inJson(403), unusable, 'HTTP 403, check its credentials: said ***: no'],
    ['answers 404', inWords(404), unusable, 'HTTP 404, check its address'],
    ['answers 405', inHtml(405), unusable, 'HTTP 405, check its address'],
    ['answers 429', inWords(429), unusable, 'HTTP 429, it asks for fewer queries'],
    ['answers 429 for a second', 'too-many-429', unusable, 'HTTP 429, it asks for fewer queries'],
    ['answers 500', inHtml(500), unusable, 'HTTP 500'],
    ['answers 502', inWords(502), unusable, 'HTTP 502'],
    ['answers 503', inJson(503), unusable, 'HTTP 503: said ***: no'],
    ['answers 504', inWords(504), unusable, 'HTTP 504'],
    ['gives up on the query', 'timeout-503', unusable, 'HTTP 503: query timed out in expression evaluation'],
  ])('one that %s', async (_, fault, error, cause) => {
    it.source.order(fault)
    await expectUnavailable(error, cause)
  })

  test('one that is down', async () => {
    it.source.close()
    await expectUnavailable(silent, 'connection refused')
  })

  const megabyte = 1024 * 1024
  test.each<[string, Fault]>([
    ['50 MB', { bodyBytes: 50 * megabyte }],
    ['64 MB', { bodyBytes: 64 * megabyte }],
    ['64 MB in a small package', { bodyBytes: 64 * megabyte, gzip: true }],
  ])(
    'one that answers %s',
    async (_, fault) => {
      await it.close()
      it = await faultySourceApp({ timeoutSeconds: 10 }) // the size limit ends it, even on a busy machine
      it.source.order(fault)
      await expectUnavailable(unusable, 'answered with more than 16 MB')
    },
    40_000,
  )

  test('and the health of the sources is an error body too', async () => {
    it.source.close()
    expect((await it.health()).body).toHaveProperty('success', false)
  })

  async function expectUnavailable(error: string, cause: string) {
    const details = `prod: ${cause}`
    for (const { status, body } of [await it.calculate(), await it.query()]) {
      expect([status, body]).toEqual([503, { success: false, error, details }])
    }
    expect(await it.executions()).toEqual([{ status: 'error', error: `${error}: ${details}` }])
    await expectUnhealthy(details)
  }
})

describe('a query that the source refuses is 500 when it was stored and 400 when it came in the request', () => {
  test.each<[string, Fault, string]>([
    ['400', inJson(400), 'said ***: no'],
    ['400 in plain words', inWords(400), 'HTTP 400 without an error in JSON'],
    ['422', inJson(422), 'said ***: no'],
    ['422 for its limits', 'limit-422', 'the query exceeded the maximum number of samples'],
  ])('with %s', async (_, fault, details) => {
    it.source.order(fault)
    const [stored, inRequest] = [await it.calculate(), await it.query()]
    expect([stored.status, stored.body]).toEqual([500, { success: false, error: refused, details }])
    const ofQuery = { success: false, error: refused, details: `query: ${details}`, problems: expect.any(Array) }
    expect([inRequest.status, inRequest.body]).toEqual([400, ofQuery])
    expect(await it.executions()).toEqual([{ status: 'error', error: `${refused}: ${details}` }])
    await expectUnhealthy(details)
  })
})

async function expectUnhealthy(details: string) {
  const { status, body } = await it.health()
  expect(status).toBe(503)
  expect(body).toMatchObject({ status: 'unhealthy', error: '1 of 1 sources unreachable' })
  expect(body.data_sources).toMatchObject([{ name: 'prod', status: 'unreachable', error: details }])
}

describe('an answer that is odd but whole is 200', () => {
  const unknown = { status: 'unknown', current_value: null, error_budget_used: null, error_budget: { used: null } }
  const healthy = { status: 'healthy', current_value: 99.9, error_budget: { used: 0.1 } }
  const result = (result_type: string, ...values: string[]) => ({
    result_type,
    result: values.map((value) => ({ value: [expect.any(Number), value] })),
  })

  test.each<[string, Fault, object, object]>([
    ['NaN', 'nan', { ...unknown, status_reason: 'no_data' }, result('vector', 'NaN')],
    ['nothing', 'empty', { ...unknown, status_reason: 'no_data' }, result('vector')],
    ['a string', 'string', { ...unknown, status_reason: 'not_a_number' }, result('string', 'a string')],
    ['a scalar', 'scalar', { ...healthy, warnings: [] }, result('scalar', '0.999')],
    ['one sample', 'ok', { ...healthy, warnings: [] }, result('vector', '0.999')],
    ['one sample, by GET only', 'post-405', { ...healthy, warnings: [] }, result('vector', '0.999')],
    [
      'several series',
      'several',
      { status: 'critical', current_value: 98, warnings: ['2 series; aggregate them'] },
      result('vector', '0.99', '0.97'),
    ],
    [
      'part of the data',
      'partial',
      { ...healthy, metadata: { partial: true }, warnings: ['one store did not answer'] },
      result('vector', '0.999'),
    ],
  ])('%s', async (_, fault, calculated, queried) => {
    it.source.order(fault)
    const calculation = await it.calculate()
    expect([calculation.status, calculation.body]).toMatchObject([200, calculated])
    const { status, body } = await it.query()
    expect([status, body.query_result, body.metadata.partial]).toMatchObject([200, queried, fault === 'partial'])
    expect(new Set((await it.executions()).map((row) => row.status))).toEqual(new Set(['success']))
    expect((await it.health()).body).toMatchObject({ status: 'healthy', data_sources: [{ status: 'healthy' }] })
  })
})

test('while one source hangs, the rest of nines and the other organization are not held up', async () => {
  const other = fakeSource(() => 0.9995)
  closeLater(other.close)
  const options = { token: await it.nines.join('eve') }
  const otherSlo = await it.setUp({ name: 'other', api_url: other.url }, options)
  it.source.order('hang')
  const events: string[] = []
  const noted = async (event: string, asking: Promise<Answer>) => {
    const answer = await asking
    events.push(event)
    return answer
  }
  // all different
  const secondsAgo = (n: number) => ({ extend_time: new Date(testStartMs - n * 1000).toISOString() })
  const hanging = Array.from({ length: 20 }, (_, n) => noted('hanging', it.calculate(undefined, {}, secondsAgo(n))))
  // the maximum number in flight
  await it.source.until(() => it.source.asked.length === 8)
  const prompt = await Promise.all([
    noted('prompt', it.nines.call('GET', '/health')),
    noted('prompt', it.nines.call('GET', '/ready')),
    noted('prompt', it.nines.call('GET', '/api/v1/slos')),
    noted('prompt', it.nines.call('PUT', '/api/v1/slos/1', { name: 'Renamed' })),
    noted('prompt', it.calculate(otherSlo, options)),
    noted('prompt', it.health(options)),
  ])
  expect(prompt.map(({ status }) => status)).toEqual(prompt.map(() => 200))
  expect(events).toEqual(prompt.map(() => 'prompt'))

  const answers = await Promise.all(hanging)
  expect(answers.map(({ status }) => status)).toEqual(hanging.map(() => 503))
  const late = expect.stringMatching(/^prod: no (answer|free slot among 8) within 1 s$/)
  expect(answers.map(({ body }) => body.details)).toEqual(hanging.map(() => late))
  expect((await it.executions()).filter(({ status }) => status === 'error')).toHaveLength(20)
})
