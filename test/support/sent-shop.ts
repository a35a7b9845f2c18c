import { expect } from 'bun:test'
import type { TestApp } from './app.ts'

/** Creates SLO 1 of requests that were sent to nines, and counts the events of its minutes once the next one is over. */
export async function countSentRequests(nines: TestApp) {
  const query = 'sum(rate(http_requests_total{code="200"}[5m])) / sum(rate(http_requests_total[5m]))'
  const slo = { name: 'Shop', target: 95, time_window: '1h', metric_type: 'availability', metric_query: query }
  expect(await nines.call('POST', '/api/v1/slos', slo)).toMatchObject({ status: 201 })
  nines.clock.advance(65_000) // a minute is evaluated 5 s after its end
  nines.app.evaluator.tick()
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
  return nines.app.db.read
    .selectFrom('buckets')
    .select(({ fn }) => [fn.sum('good').as('good'), fn.sum('total').as('total')])
    .where('resolution', '=', 60)
    .executeTakeFirst()
}
