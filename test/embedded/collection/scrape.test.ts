import { afterEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { defaultLabelLimits } from '../../../src/embedded/store/labels.ts'
import { closeAll, closeLater } from '../../support/closing.ts'
import { scraping, someTarget, start } from './scrape-world.ts'

afterEach(closeAll)

/** A target with these answers. */
function serving(answer: (request: Request) => Response | string) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const said = answer(request)
      return typeof said === 'string' ? new Response(said) : said
    },
  })
  closeLater(() => void server.stop(true))
  return `http://127.0.0.1:${server.port}/metrics`
}

const m = 'm{instance="i",job="shop"}'
const own = (name: string) => `${name}{instance="i",job="shop"}`

test('a scrape is requested as by Prometheus, with the credentials of the target', async () => {
  const asked: object[] = []
  const url = serving(({ method, url: got, headers }) => {
    asked.push({ method, got, ...headers.toJSON() })
    return 'm 1\n'
  })
  const auth = { basic: { username: 'u', password: 'p' }, headers: { 'X-Tenant': 't', Accept: 'text/html' } }
  await scraping({ target: { url: `${url}?a=b`, auth, timeoutMs: 2500 } }).scrape(0)
  expect(asked).toHaveLength(1)
  expect(asked[0]).toMatchObject({
    method: 'GET',
    got: `${url}?a=b`,
    accept:
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    'accept-encoding': 'gzip',
    'user-agent': 'nines/1.2.3',
    'x-prometheus-scrape-timeout-seconds': '2.5',
    authorization: 'Basic dTpw',
    'x-tenant': 't',
  })
})

test('what a target gives comes with `up` and its kin, at the time when the scrape was due', async () => {
  const bodies = ['m 1\nm_total{a="b"} 2\n', 'm 3\n']
  const { scrape, values, run } = scraping({ target: { url: serving(() => bodies.shift() ?? '') } })
  expect([await scrape(0), await scrape(1)]).toEqual([null, null])
  expect(values()).toEqual({
    [m]: [
      [0, 1],
      [1, 3],
    ],
    'm_total{a="b",instance="i",job="shop"}': [
      [0, 2],
      [1, 'stale'],
    ],
  })
  const two = (first: number, second: number) => [
    [0, first],
    [1, second],
  ]
  const { [own('scrape_duration_seconds')]: durations = [], ...others } = values('up|scrape_.*')
  expect(others).toEqual({
    [own('up')]: two(1, 1),
    [own('scrape_samples_scraped')]: two(2, 1),
    [own('scrape_samples_post_metric_relabeling')]: two(2, 1),
    [own('scrape_series_added')]: two(2, 0),
  })
  expect(durations.every(([, seconds]) => typeof seconds === 'number' && seconds > 0 && seconds < 5)).toBe(true)
  expect(await run()).toMatchObject({ ok: true, error: null, samples: [] }) // an empty body is a good answer
})

test.each<[string, () => Response, string]>([
  ['an error', () => new Response('m 1\n', { status: 503 }), 'HTTP 503'],
  ['a refusal', () => new Response('m 1\n', { status: 401 }), 'HTTP 401'],
  ['no content', () => new Response(null, { status: 204 }), 'HTTP 204'],
  [
    'a redirect',
    () => new Response('', { status: 302, headers: { location: 'https://u:p@login.example/x?token=secret' } }),
    'HTTP 302, a redirect to https://login.example, is not followed',
  ],
  [
    'protobuf, which alone has native histograms',
    () =>
      new Response('\u0003m\n', { headers: { 'content-type': 'application/vnd.google.protobuf; encoding=delimited' } }),
    'it exposes protobuf, as for native histograms; nines reads Prometheus text and OpenMetrics',
  ],
  ['a redirect to nowhere', () => new Response('', { status: 301 }), 'HTTP 301'],
  ['a broken exposition', () => new Response('m 1\n<html>\n'), 'Invalid exposition: line 2: expected a metric name'],
  [
    'an OpenMetrics without an end',
    () => new Response('m 1\n', { headers: { 'content-type': 'application/openmetrics-text; version=1.0.0' } }),
    'Invalid exposition: line 2: expected "# EOF", found its end',
  ],
  [
    'a compression that was not asked for',
    () => new Response('', { headers: { 'content-encoding': 'br' } }),
    'the body is compressed by something else than gzip',
  ],
])('%s fails the scrape and ends what was there', async (_, answer, error) => {
  let isWell = true
  const { scrape, values } = scraping({ target: { url: serving(() => (isWell ? 'm 1\n' : answer())) } })
  await scrape(0)
  isWell = false
  expect(await scrape(1)).toBe(error)
  isWell = true
  expect(await scrape(2)).toBeNull()
  expect(values('m|up|scrape_samples_scraped|scrape_series_added')).toEqual({
    [m]: [
      [0, 1],
      [1, 'stale'],
      [2, 1],
    ],
    [own('up')]: [0, 1, 2].map((at) => [at, at === 1 ? 0 : 1]),
    [own('scrape_samples_scraped')]: [0, 1, 2].map((at) => [at, at === 1 ? 0 : 1]),
    [own('scrape_series_added')]: [0, 1, 2].map((at) => [at, at === 0 ? 1 : 0]),
  })
})

test.each<[string, RequestInit & { headers: Record<string, string> }, string]>([
  ['compressed', { headers: { 'content-encoding': 'gzip' } }, 'm 1\n'],
  ['of another type', { headers: { 'content-type': 'application/json' } }, 'm 1\n'],
  ['in OpenMetrics', { headers: { 'content-type': 'application/openmetrics-text' } }, '# TYPE m gauge\nm 1\n# EOF\n'],
])('a body that is %s is read', async (_, { headers }, text) => {
  const body = headers['content-encoding'] ? new Uint8Array(gzipSync(text)) : text
  const { scrape, values } = scraping({ target: { url: serving(() => new Response(body, { headers })) } })
  expect(await scrape(0)).toBeNull()
  expect(values()).toEqual({ [m]: [[0, 1]] })
})

describe('what nines exposes itself', () => {
  test('is read inside of the process', async () => {
    const { scrape, values } = scraping({
      target: { url: 'nines:metrics', labels: {} },
      inside: { metrics: 'm 1\n' },
    })
    expect(await scrape(0)).toBeNull()
    expect(values()).toEqual({ 'm{instance="nines:metrics",job="shop"}': [[0, 1]] })
  })

  test('is nothing by another name', async () => {
    const { scrape, values } = scraping({ target: { url: 'nines:else' }, inside: { metrics: 'm 1\n' } })
    expect(await scrape(0)).toBe('nines exposes nothing by the name of "else"')
    expect(values('up')).toEqual({ [own('up')]: [[0, 0]] })
  })
})

test('the end of a target ends its series and forgets what it said of them', async () => {
  const url = serving(() => '# TYPE m gauge\nm 1\n')
  const { scrape, end, values, scraper } = scraping({ target: { url } })
  await scrape(0)
  expect(scraper.metadata(1)).toHaveLength(1)
  end(2)
  expect(values('m|up')).toEqual({
    [m]: [
      [0, 1],
      [2, 'stale'],
    ],
    [own('up')]: [
      [0, 1],
      [2, 'stale'],
    ],
  })
  expect(scraper.metadata(1)).toEqual([])
})

test('metadata is that of the newest good scrapes of an organization', async () => {
  const types = '# TYPE m counter\n# HELP m Of \\\\ all.\n# TYPE a untyped\n'
  const bodies = ['# TYPE old gauge\n', `${types}m 1\n`, 'no exposition']
  const { scrape, scraper, target, run } = scraping({ target: { url: serving(() => bodies.shift() ?? types) } })
  for (const minutes of [0, 1, 2]) await scrape(minutes)
  const families = [
    { metric: 'a', type: 'unknown', help: '', unit: '' },
    { metric: 'm', type: 'counter', help: 'Of \\ all.', unit: '' },
  ]
  expect(scraper.metadata(1)).toEqual(families)
  scraper.open({ ...target, id: 2 }).write(start, await run())
  expect(scraper.metadata(1)).toEqual(families) // reported identically
  expect(scraper.metadata(2)).toEqual([])
})

test('a scrape beyond the limits of the store has failed as a whole', async () => {
  const bodies = ['m 1\n', 'm 2\nm_a 2\nm_b 2\n', 'm 3\n']
  const limits = { ...defaultLabelLimits, seriesPerOrganization: 7 }
  const { scrape, values } = scraping({ target: { url: serving(() => bodies.shift() ?? '') }, limits })
  expect([await scrape(0), await scrape(1), await scrape(2)]).toEqual([
    null,
    'An organization may have at most 7 series in the embedded source (QUOTA_SERIES)',
    null,
  ])
  expect(values('m.*|up')).toEqual({
    [m]: [
      [0, 1],
      [1, 'stale'],
      [2, 3],
    ],
    [own('up')]: [0, 1, 2].map((at) => [at, at === 1 ? 0 : 1]),
  })
  const full = scraping({ target: { url: serving(() => 'm 1\n') }, limits: { ...limits, seriesPerOrganization: 4 } })
  expect(await full.scrape(0)).toBe('An organization may have at most 4 series in the embedded source (QUOTA_SERIES)')
  expect(full.values('.+')).toEqual({})
})

test('what is given up writes nothing and says so', async () => {
  const given = new AbortController()
  const url = serving(() => {
    given.abort(new Error('given up'))
    return 'm 1\n'
  })
  const { scraper } = scraping()
  expect(scraper.run({ ...someTarget, url }, given.signal)).rejects.toThrow('given up')
})

test('a series that is written in another way goes on, and is no new one', async () => {
  const bodies = ['m{a="1"} 1\nm_b 1\n', 'm_b 2\nm{ a="1", } 2\n', 'm{a="1"} 3\n', 'm{a="1"} 4\nm_b 4\n']
  const { scrape, values } = scraping({ target: { url: serving(() => bodies.shift() ?? '') } })
  for (const minutes of [0, 1, 2, 3]) expect(await scrape(minutes)).toBeNull()
  expect(values('m.*|scrape_series_added')).toEqual({
    'm{a="1",instance="i",job="shop"}': [0, 1, 2, 3].map((at) => [at, at + 1]),
    [own('m_b')]: [
      [0, 1],
      [1, 2],
      [2, 'stale'],
      [3, 4],
    ],
    [own('scrape_series_added')]: [2, 0, 0, 1].map((added, at) => [at, added]),
  })
})
