import type { ReceivedRequest } from './raw-http.ts'

export type CannedAnswer = {
  status?: number
  body?: string
  headers?: Record<string, string>
  gzip?: boolean | undefined
}

type Sample = { metric: Record<string, string>; text: string }

export const jsonType = { 'Content-Type': 'application/json' }

/** Answers of a faulty source that are constant or depend on the request only. */
export const canned = {
  ok: (request: ReceivedRequest) => success(request, sample('0.999')),
  empty: (request: ReceivedRequest) => success(request, []),
  nan: (request: ReceivedRequest) => success(request, sample('NaN')),
  several: (request: ReceivedRequest) =>
    success(request, [
      { metric: { instance: 'a' }, text: '0.99' },
      { metric: { instance: 'b' }, text: '0.97' },
    ]),
  partial: (request: ReceivedRequest) => success(request, sample('0.999'), { warnings: ['one store did not answer'] }),
  scalar: { body: '{"status":"success","data":{"resultType":"scalar","result":[1795244760,"0.999"]}}' },
  string: { body: '{"status":"success","data":{"resultType":"string","result":[1795244760,"a string"]}}' },
  html: { body: '<!doctype html><title>Sign in</title>', headers: { 'Content-Type': 'text/html' } },
  'broken-json': { body: '{"status":"success","data":{"resultType":"vec' },
  'garbled-gzip': { body: '{"status":"success"}', headers: { ...jsonType, 'Content-Encoding': 'gzip' } },
  redirect: { status: 302, headers: { Location: 'https://login.example/start?key=hidden' } },
  'timeout-503': {
    status: 503,
    body: '{"status":"error","errorType":"timeout","error":"query timed out in expression evaluation"}',
  },
  'limit-422': {
    status: 422,
    body: '{"status":"error","errorType":"execution","error":"the query exceeded the maximum number of samples"}',
  },
  'too-many-429': {
    status: 429,
    body: 'too many requests\n',
    headers: { 'Content-Type': 'text/plain', 'Retry-After': '1' },
  },
} satisfies Record<string, CannedAnswer | ((request: ReceivedRequest) => CannedAnswer)>

export function sample(text: string): Sample[] {
  return [{ metric: {}, text }]
}

/** A successful Prometheus response to an instant or range query, with one point per series. */
export function success({ path, parameters }: ReceivedRequest, samples: Sample[], remarks = {}): CannedAnswer {
  const at = Number(parameters['time'] ?? parameters['end'])
  const data = path.endsWith('/query_range')
    ? { resultType: 'matrix', result: samples.map(({ metric, text }) => ({ metric, values: [[at, text]] })) }
    : { resultType: 'vector', result: samples.map(({ metric, text }) => ({ metric, value: [at, text] })) }
  return { body: JSON.stringify({ status: 'success', data, ...remarks }) }
}

/** A successful response body of exactly `bytes` bytes. */
export function sized(bytes: number): string {
  const frame = '{"status":"success","data":""}'
  return frame.replace('""', `"${'x'.repeat(bytes - frame.length)}"`)
}
