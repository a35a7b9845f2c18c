import { afterAll, beforeAll } from 'bun:test'
import { type TestApp, testApp } from './app.ts'

export const checkout = {
  name: 'Checkout',
  description: 'Buying works',
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  metric_query: 'sum(rate(ok[5m])) / sum(rate(all[5m]))',
}

/** A nines for the tests of one file, requests to its SLOs, and the access token of another organization. */
export function sloCalls() {
  const made: { nines?: TestApp; stranger?: string } = {}
  const on = {
    get nines() {
      if (!made.nines) throw new Error('must be inside a test')
      return made.nines
    },
    get stranger() {
      if (made.stranger === undefined) throw new Error('must be inside a test')
      return made.stranger
    },
    create: (change = {}) => on.nines.call('POST', '/api/v1/slos', { ...checkout, ...change }),
    read: (id: number, token?: string) =>
      on.nines.call('GET', `/api/v1/slos/${id}`, undefined, token === undefined ? {} : { token }),
    change: (id: number, body: unknown) => on.nines.call('PUT', `/api/v1/slos/${id}`, body),
    remove: (id: number) => on.nines.call('DELETE', `/api/v1/slos/${id}`),
  }
  beforeAll(async () => {
    made.nines = await testApp()
    await made.nines.join('ada')
    made.stranger = await made.nines.join('eve')
  })
  afterAll(() => made.nines?.close())
  return on
}
