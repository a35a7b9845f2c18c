import { expect } from 'bun:test'
import type { TestApp } from './app.ts'
import { checkout } from './slo-calls.ts'

export const availability = { query_name: 'Availability', source_query: 'up', query_type: 'availability' }

/** Requests to the stored queries of a nines. `slo`: id of a new SLO with a window of 24h. */
export async function queryCalls(nines: TestApp) {
  const { body: slo } = await nines.call('POST', '/api/v1/slos', { ...checkout, time_window: '24h' })
  const path = (id: number) => `/api/v1/tsdb/queries/${id}`
  return {
    slo: slo.id as number,
    create: (change: object = {}) =>
      nines.call('POST', '/api/v1/tsdb/queries', { slo_id: slo.id, ...availability, ...change }),
    /** Creates a stored query and returns its id. */
    async stored(change: object = {}): Promise<number> {
      const { status, body } = await nines.call('POST', '/api/v1/tsdb/queries', {
        slo_id: slo.id,
        ...availability,
        ...change,
      })
      expect(status).toBe(201)
      return body.id
    },
    read: (id: number) => nines.call('GET', path(id)),
    change: (id: number, body: unknown) => nines.call('PUT', path(id), body),
    remove: (id: number) => nines.call('DELETE', path(id)),
    list: async (query = '') => (await nines.call('GET', `/api/v1/tsdb/queries${query}`)).body,
    history: async (id: number, limit = '') =>
      (await nines.call('GET', `${path(id)}/executions${limit && `?limit=${limit}`}`)).body,
  }
}
