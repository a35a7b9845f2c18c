import type { Labels } from '../../src/promql/labels.ts'

export type FakeSeries = { labels: Labels; value: number }

/** A number: one series without labels. A list: these series. `null`: an empty result. */
export type FakeValue = number | null | FakeSeries[]

/** Result of an expression at one time. If the script throws, the answer is a 422 with the error's message. */
export type FakeReply =
  | FakeValue
  | { scalar: number }
  | { text: string }
  | { value: FakeValue; warnings?: string[]; infos?: string[]; isPartial?: boolean }

export type Script = (expression: string, timeSeconds: number) => FakeReply

/** A received query: `timeSeconds` of an instant query, `startSeconds` and so on of a range query. */
export type FakeQuery =
  | { kind: 'instant'; expression: string; timeSeconds: number; headers: Headers }
  | {
      kind: 'range'
      expression: string
      startSeconds: number
      endSeconds: number
      stepSeconds: number
      headers: Headers
    }

export type FakeSource = {
  url: string
  /** Queries received so far, oldest first. */
  asked: FakeQuery[]
  /** Their expressions, in the same order. */
  expressions(): string[]
  /** Replaces the script for all later queries. */
  script(next: Script): void
  close(): void
}

/** A well-behaved metrics source over HTTP on 127.0.0.1: `fakeSource((expression, time) => 0.999)`. */
export function fakeSource(script: Script): FakeSource {
  let current = script
  const asked: FakeQuery[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => answerRequest(current, request, (question) => void asked.push(question)),
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    asked,
    expressions: () => asked.map((question) => question.expression),
    script: (next) => {
      current = next
    },
    close: () => void server.stop(true),
  }
}

/** Answers a request by a script, for servers other than `fakeSource`. */
export async function answerRequest(
  script: Script,
  request: Request,
  onAsked: (question: FakeQuery) => void = () => {},
): Promise<Response> {
  const question = await readQuestion(request)
  if (question instanceof Response) return question
  onAsked(question)
  try {
    return question.kind === 'instant' ? answerInstant(script, question) : answerRange(bySamples(script), question)
  } catch (error) {
    return refusal(422, 'execution', error instanceof Error ? error.message : String(error))
  }
}

async function readQuestion(request: Request): Promise<FakeQuery | Response> {
  const url = new URL(request.url)
  const form = request.method === 'POST' ? new URLSearchParams(await request.text()) : []
  const given = new Map([...url.searchParams, ...form])
  const listing = given.has('metric') ? undefined : listings[url.pathname]
  if (listing !== undefined) return Response.json({ status: 'success', data: listing })
  const expression = given.get('query') ?? ''
  const kind = { '/api/v1/query': 'instant', '/api/v1/query_range': 'range' }[url.pathname]
  if (kind === undefined) return new Response('404 page not found\n', { status: 404 })
  if (expression === '') return refusal(400, 'bad_data', 'invalid parameter "query": no expression found in input')
  const number = (name: string) => Number(given.get(name) ?? NaN)
  const wanted = kind === 'instant' ? ['time'] : ['start', 'end', 'step']
  const wrong = wanted.find((name) => !Number.isFinite(number(name)))
  if (wrong) return refusal(400, 'bad_data', `invalid parameter "${wrong}": cannot parse "${given.get(wrong) ?? ''}"`)
  const { headers } = request
  if (kind === 'instant') return { kind, expression, timeSeconds: number('time'), headers }
  const [startSeconds, endSeconds, stepSeconds] = [number('start'), number('end'), number('step')]
  if ((endSeconds - startSeconds) / stepSeconds > 11_000) {
    return refusal(400, 'bad_data', 'exceeded maximum resolution of 11,000 points per timeseries.')
  }
  return { kind: 'range', expression, startSeconds, endSeconds, stepSeconds, headers }
}

/** Fixed listings, whatever is selected. Metadata of a single metric is not served. */
const listings: Record<string, unknown> = {
  '/api/v1/series': [{ __name__: 'up', job: 'fake' }],
  '/api/v1/labels': ['__name__', 'job'],
  '/api/v1/label/job/values': ['fake'],
  '/api/v1/metadata': { up: [{ type: 'gauge', help: 'Whether it is up', unit: '' }] },
}

type Instant = Extract<FakeQuery, { kind: 'instant' }>
type Range = Extract<FakeQuery, { kind: 'range' }>

const coveredSums = /^label_replace\(sum\(clamp_max\(count_over_time\((.+?)\[\d+m?s(?::\d+s)?\]\) \* \d+, (\d+)\)/

/** Wraps a script of sample values so that it also answers the ledger's sums over samples. */
function bySamples(script: Script): Script {
  return (expression, at) => {
    const [, samples, seconds] = coveredSums.exec(expression) ?? []
    if (samples === undefined) return script(expression, at)
    const reply = inRange(script(samples, at))
    const values = seriesOf(reply.value).map(({ value }) => value)
    const total = values.length * Number(seconds)
    const good = values.reduce((sum, value) => sum + value, 0) * Number(seconds)
    const sums = [
      { labels: { nines_sum: 'good' }, value: good },
      { labels: { nines_sum: 'total' }, value: total },
    ]
    return { ...reply, value: values.length === 0 ? null : sums }
  }
}

function answerInstant(script: Script, { expression, timeSeconds: at }: Instant): Response {
  const reply = script(expression, at)
  if (isObject(reply) && 'scalar' in reply) return success('scalar', [at, sampleText(reply.scalar)])
  if (isObject(reply) && 'text' in reply) return success('string', [at, reply.text])
  const { value, ...remarks } = isObject(reply) ? reply : { value: reply }
  const result = seriesOf(value).map((one) => ({ metric: one.labels, value: [at, sampleText(one.value)] }))
  return success('vector', result, remarks)
}

function answerRange(script: Script, { expression, startSeconds, endSeconds, stepSeconds }: Range): Response {
  const found = new Map<string, { metric: Labels; values: [number, string][] }>()
  const remarks = {}
  const steps = Math.floor((endSeconds - startSeconds) / stepSeconds + 1e-9)
  for (let step = 0; step <= steps; step += 1) {
    const at = Math.round((startSeconds + step * stepSeconds) * 1000) / 1000
    const { value, ...rest } = inRange(script(expression, at))
    Object.assign(remarks, rest)
    for (const one of seriesOf(value)) {
      const key = JSON.stringify(one.labels)
      const series = found.get(key) ?? { metric: one.labels, values: [] }
      series.values.push([at, sampleText(one.value)])
      found.set(key, series)
    }
  }
  return success('matrix', [...found.values()], remarks)
}

function inRange(reply: FakeReply): Extract<FakeReply, { value: FakeValue }> {
  if (!isObject(reply)) return { value: reply }
  if ('text' in reply)
    throw new Error('invalid expression type "string" for range query, must be Scalar or instant Vector')
  return 'scalar' in reply ? { value: reply.scalar } : reply
}

function isObject(reply: FakeReply): reply is Exclude<FakeReply, FakeValue> {
  return typeof reply === 'object' && reply !== null && !Array.isArray(reply)
}

function seriesOf(value: FakeValue): FakeSeries[] {
  if (value === null) return []
  return typeof value === 'number' ? [{ labels: {}, value }] : value
}

function sampleText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}

function success(resultType: string, result: unknown, remarks = {}): Response {
  return Response.json({ status: 'success', data: { resultType, result }, ...remarks })
}

function refusal(status: number, errorType: string, error: string): Response {
  return Response.json({ status: 'error', errorType, error }, { status })
}
