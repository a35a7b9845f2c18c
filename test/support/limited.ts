import { type Answer, type TestApp, testApp, testStartMs } from './app.ts'
import { closeLater } from './closing.ts'

export type Options = { method?: string; headers?: Record<string, string>; body?: string }

export type Limited = TestApp & { url: string; from(ip: string, path?: string, options?: Options): Promise<Answer> }

/** Starts nines on a socket behind a trusted proxy, which names the client's address. Closed after the test, see `closing`. */
export async function limited(env: Record<string, string>): Promise<Limited> {
  const nines = await testApp({ env: { TRUST_PROXY: '127.0.0.1', ...env } })
  closeLater(() => void nines.close())
  const url = nines.listen()
  return {
    ...nines,
    url,
    async from(ip, path = '/api/v1/slos', { headers, ...options } = {}) {
      const response = await fetch(url + path, { ...options, headers: { 'x-forwarded-for': ip, ...headers } })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) }
    },
  }
}

/** Statuses of `times` requests in a row. */
export async function statuses({ from }: Limited, times: number, ip: string, path?: string, options?: Options) {
  const found: number[] = []
  for (let count = 0; count < times; count += 1) found.push((await from(ip, path, options)).status)
  return found
}

/** Rate limit headers of an answer: limit, remaining, reset. */
export const limitHeaders = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`)).join(' ')
/** Start of the test clock, in Unix seconds. */
export const startSeconds = testStartMs / 1000
export const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
