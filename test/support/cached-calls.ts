import { afterEach, beforeEach } from 'bun:test'
import { type TestApp, testApp } from './app.ts'
import { type FakeSource, fakeSource } from './fake-source.ts'
import { checkout } from './slo-calls.ts'

/** A new nines for each test of a file, with one SLO on a source that answers 0.999, and requests to it. */
export function cachedCalls() {
  const made: { nines?: TestApp; source?: FakeSource } = {}
  const on = {
    get nines() {
      if (!made.nines) throw new Error('must be inside a test')
      return made.nines
    },
    get source() {
      if (!made.source) throw new Error('must be inside a test')
      return made.source
    },
    calculate: async (change: object = {}, token?: string) => {
      const wanted = { slo_id: 1, time_window: '30d', ...change }
      const options = token === undefined ? {} : { token }
      return (await on.nines.call('POST', '/api/v1/tsdb/calculate-slo', wanted, options)).body
    },
    cached: async (change: object = {}) => (await on.calculate(change)).metadata.cached,
    isoAgo: (seconds: number) => new Date(on.nines.clock.now() - seconds * 1000).toISOString(),
    /** Restarts nines on the same data. Returns a new access token, since the new `nines` does not have the old one. */
    async restart(): Promise<string> {
      const { dataDir, app } = on.nines
      await app.close()
      made.nines = await testApp({ dataDir })
      const login = { email: 'ada@example.com', password: 'correct horse' }
      return (await made.nines.call('POST', '/api/v1/auth/login', login, { token: null })).body.access_token
    },
    entries: async () => (await on.nines.call('GET', '/api/v1/cache/entries')).body.data.entries,
  }
  beforeEach(async () => {
    made.source = fakeSource(() => 0.999)
    made.nines = await testApp({ env: { SOURCE_URL: made.source.url } })
    await made.nines.join('ada')
    await made.nines.call('POST', '/api/v1/slos', checkout)
  })
  afterEach(async () => {
    await made.nines?.close()
    made.source?.close()
  })
  return on
}
