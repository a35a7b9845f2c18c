import { afterAll, beforeAll, beforeEach } from 'bun:test'
import { type TestApp, testApp } from './app.ts'
import { type People, people } from './people.ts'

const entry = { key: 'mine', query: 'up', slo_id: 5, time_window: '1h', result: { value: [1, 'x', null] } }

/** A nines for the tests of one file, with requests to its cache. The cache is emptied before each test. */
export function cacheCalls() {
  const made: { nines?: TestApp; who?: People; startMs?: number } = {}
  const world = {
    get nines() {
      if (!made.nines) throw new Error('must be inside a test')
      return made.nines
    },
    get who() {
      if (!made.who) throw new Error('must be inside a test')
      return made.who
    },
  }
  const path = (key: string) => `/api/v1/cache/entry/${encodeURIComponent(key)}`
  const invalidate = (body: object, person = world.who.member) =>
    world.nines.call('POST', '/api/v1/cache/invalidate', body, person)
  const list = async (query = '', person = world.who.viewer) =>
    (await world.nines.call('GET', `/api/v1/cache/entries${query}`, undefined, person)).body.data
  beforeAll(async () => {
    made.nines = await testApp()
    made.who = await people(made.nines)
  })
  beforeEach(async () => {
    await invalidate({ type: 'all' })
    await invalidate({ type: 'all' }, world.who.stranger)
    made.startMs = world.nines.clock.now()
  })
  afterAll(() => made.nines?.close())
  return Object.assign(world, {
    entry,
    invalidate,
    list,
    /** Time `ms` milliseconds after the test began, in the API's format. */
    at: (ms: number) => new Date((made.startMs ?? 0) + ms).toISOString(),
    put: (change: object = {}, person = world.who.member) =>
      world.nines.call('POST', '/api/v1/cache/entry', { ...entry, ...change }, person),
    read: (key: string, person = world.who.viewer) => world.nines.call('GET', path(key), undefined, person),
    remove: (key: string, person = world.who.member) => world.nines.call('DELETE', path(key), undefined, person),
    keys: async (query = ''): Promise<string[]> => (await list(query)).entries.map(({ key }: { key: string }) => key),
    misses: async (): Promise<number> =>
      (await world.nines.call('GET', '/api/v1/cache/statistics', undefined, world.who.viewer)).body.data.total_misses,
  })
}
