import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inChunks } from '../../../src/concurrency/chunks.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { cleanUpAtTheEnd } from '../../support/kit.ts'
import { describeOnNewer, newer } from '../../support/newer-components.ts'
import { startFedPrometheus } from '../../support/fed-prometheus.ts'
import { endMs, remoteSamples, startMs, generatedSeries } from '../promql/samples.ts'
import { instants, listings, type Question, ranges } from './questions.ts'

const atOnce = 20
const asForm = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }

/** Values that sort differently as JSON, and one that needs escapes. */
const oddValues = ['a', 'a b', 'a!', 'a"b\\', 'A', 'ä', '']
const told = [
  ...generatedSeries(),
  ...oddValues.flatMap((kind) =>
    ['x', 'y'].map((zone) => ({
      labels: { __name__: 'odd', ...(kind !== '' && { kind }), zone },
      samples: [{ atMs: startMs + 890_000, value: 1 }],
    })),
  ),
]

// oxlint-disable-next-line typescript/no-explicit-any -- both are assessed as they are
type Answer = { status: number; body: any }

describeOnNewer('the API beside a real Prometheus with the same samples', () => {
  let nines: TestApp
  let url = ''
  let stop = async () => {}

  beforeAll(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'nines-api-'))
    stop = cleanUpAtTheEnd(dir)
    const prometheus = await startFedPrometheus(join(dir, 'prometheus'), remoteSamples(told), {
      program: newer.prometheus,
    })
    await prometheus.advanceTo(endMs / 1000 + 60)
    url = `${prometheus.url}/api/v1`
    nines = await testApp({ clock: { now: () => endMs + 60_000 } })
    await nines.join('ada')
    for (const { labels, samples } of told)
      for (const { atMs, value } of samples) nines.app.samples.append(1, Object.entries(labels), atMs, value)
  }, 30_000)
  afterAll(async () => {
    await nines.close()
    await stop()
  })

  const theirs = async ({ path, parameters }: Question, method: string): Promise<Answer> => {
    const asked = new URLSearchParams(parameters)
    const response = await (method === 'GET'
      ? fetch(`${url}/${path}?${asked}`)
      : fetch(`${url}/${path}`, { method, body: asked }))
    return { status: response.status, body: await response.json() }
  }
  const ours = async ({ path, parameters }: Question, method: string): Promise<Answer> => {
    const asked = String(new URLSearchParams(parameters))
    const at = `/embedded/prometheus/api/v1/${path}`
    const { status, body } = await (method === 'GET'
      ? nines.call(method, `${at}?${asked}`)
      : nines.call(method, at, asked, asForm))
    return { status, body }
  }

  const mismatches = async (questions: Question[], methods: string[]) => {
    const found: string[] = []
    for (const some of inChunks(questions, atOnce))
      for (const method of methods)
        await Promise.all(
          some.map(async (question) => {
            const [expected, actual] = [await theirs(question, method), await ours(question, method)]
            if (!Bun.deepEquals(comparable(question, actual), comparable(question, expected), true))
              found.push(`${method} ${JSON.stringify(question)}\n  theirs ${show(expected)}\n  ours   ${show(actual)}`)
          }),
        )
    return found
  }
  const show = ({ status, body }: Answer) => `${status} ${JSON.stringify(body).slice(0, 300)}`

  test('/query answers the same', async () => {
    expect(await mismatches(instants, ['GET', 'POST'])).toEqual([])
  }, 30_000)
  test('/query_range answers the same', async () => {
    expect(await mismatches(ranges, ['GET', 'POST'])).toEqual([])
  }, 30_000)
  test('series, labels, metadata and rules are listed the same', async () => {
    const isAlsoPosted = ({ path }: Question) => path === 'series' || path === 'labels'
    expect(await mismatches(listings, ['GET'])).toEqual([])
    expect(await mismatches(listings.filter(isAlsoPosted), ['POST'])).toEqual([])
  }, 30_000)
})

/**
 * Removes everything that is not promised: annotations, the order of series and unsorted vectors, the wording of some errors,
 * and the error of a query that runs out of time.
 */
function comparable({ path, parameters }: Question, { status, body: whole }: Answer): unknown {
  const body = { ...whole }
  delete body.warnings
  delete body.infos
  if (/context deadline exceeded|timed out|took too long/.test(body.error)) return 'no time'
  if (path === 'series' && body.data) return { status, ...body, data: inOrder(body.data) }
  if (body.status === 'error')
    return { status, ...body, error: otherWords.test(body.error) ? 'other words' : body.error }
  if (body.data?.resultType !== 'vector' || /sort|topk/.test(String(parameters))) return { status, body }
  return { status, ...body, data: { ...body.data, result: inOrder(body.data.result) } }
}

const inOrder = (some: unknown[]) => some.map((one) => JSON.stringify(one)).toSorted()

const otherWords = new RegExp(
  [
    'parse error|invalid expression type|match\\[\\] must|invalid parameter "(?:query|limit|match\\[\\])"',
    'found duplicate series|invalid regular expression in label_replace',
    '"(?:1e30|Inf)" to a valid duration',
  ].join('|'),
)
