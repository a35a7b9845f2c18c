import { expect, test } from 'bun:test'
import { apiWorld, asForm, root } from './api-world.ts'
import { rulesOf } from '../../support/rules-of.ts'

const heavy = 'sum_over_time(vector(time())[4h:1s])'

test('an organization that has used its seconds gets 429 from everything that asks its samples, and no other does', async () => {
  const nines = await apiWorld({ QUERY_CPU_SECONDS_PER_MINUTE: '1', SOURCE_URL: 'embedded' })
  try {
    const ask = (token?: string) => {
      const form = new URLSearchParams({ query: heavy, start: '1795255000', end: '1795255200', step: '1' }).toString()
      return nines.call('POST', `${root}/query_range`, form, { headers: asForm, ...(token && { token }) })
    }
    let last = await ask()
    for (let times = 0; times < 200 && last.status !== 429; times += 1) last = await ask()
    expect(last.status).toBe(429)
    expect(last.body).toMatchObject({ success: false, status: 'error', errorType: 'rate_limited' })
    expect(last.body.details).toContain('QUERY_CPU_SECONDS_PER_MINUTE=1')
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await nines.call('GET', `${root}/labels`)).status).toBe(429)
    const { status, body } = await nines.call('POST', '/api/v1/tsdb/query', { query: 'up' })
    expect([status, rulesOf(body)]).toEqual([429, rulesOf(last.body)])
    expect((await ask(nines.mallory)).status).toBe(200)
    nines.clock.advance(Number(last.headers.get('retry-after')) * 1000)
    expect((await nines.call('GET', `${root}/labels`)).status).toBe(200)
  } finally {
    await nines.close()
  }
}, 30_000)
