import { closeLater } from '../../support/closing.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { type Fault, type FaultySource, faultySource } from '../../support/faulty-source.ts'

export const asForm = { 'content-type': 'application/x-www-form-urlencoded' }
export const password = 'between-us-7'

export type SourceApi = {
  nines: TestApp
  source: FaultySource
  /** Id of ada's external source, and of the embedded one. */
  outside: number
  inside: number
  mallory: string
  /** GET request to ada's external source, as `labels?limit=1`. */
  get(asked: string, options?: { token?: string; of?: number }): Promise<Answer>
  /** The request as a POST with a form. */
  post(asked: string, form: string): Promise<Answer>
}

export const pathOf = (id: number, asked: string) => `/api/v1/tsdb/sources/${id}/prometheus/api/v1/${asked}`

/** Ada's organization has an external source that fails as ordered, and the embedded one; mallory's has none. */
export async function sourceApi(fault: Fault = 'ok', env: Record<string, string> = {}): Promise<SourceApi> {
  const nines = await testApp({ env })
  closeLater(nines.close)
  const source = faultySource(fault)
  closeLater(source.close)
  await nines.join('ada')
  const mallory = await nines.join('mallory')
  const add = async (made: object) => (await nines.call('POST', '/api/v1/tsdb/sources', made)).body.id
  const auth = { basic: { username: 'nines', password } }
  const outside = await add({ name: 'elsewhere', api_url: source.url, auth })
  const inside = await add({ name: 'inside', api_url: 'embedded' })
  return {
    nines,
    source,
    outside,
    inside,
    mallory,
    get: (asked, { token, of = outside } = {}) =>
      nines.call('GET', pathOf(of, asked), undefined, { ...(token && { token }) }),
    post: (asked, form) => nines.call('POST', pathOf(outside, asked), form, { headers: asForm }),
  }
}

/** Answer of a source with this `data`. */
export const success = (data: unknown, more: object = {}): Fault => ({
  body: JSON.stringify({ status: 'success', data, ...more }),
})
