import { expect, test } from 'bun:test'
import { testApp } from '../support/app.ts'
import { fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

test('an answer in a unit that the SLO turned out not to have is not given again', async () => {
  const source = fakeSource((_, timeSeconds) => (timeSeconds < daysAgo(40) / 1000 ? 0.9 : 99))
  const nines = await testApp({ env: { SOURCE_URL: source.url } })
  const daysAgo = (days: number) => nines.clock.now() - days * 86_400_000
  await nines.join('ada')
  await nines.call('POST', '/api/v1/slos', { ...checkout, metric_query: 'share_of_something' })
  const calculate = async (days: number) => {
    const request = { slo_id: 1, time_window: '24h', extend_time: new Date(daysAgo(days)).toISOString() }
    return (await nines.call('POST', '/api/v1/tsdb/calculate-slo', request)).body
  }
  // each infers a unit from its own values, and one unit is stored
  const first = await Promise.all([calculate(60), calculate(1)])
  const { inferred_unit } = await nines.app.db.read.selectFrom('slos').select('inferred_unit').executeTakeFirstOrThrow()
  expect(first.map(({ metadata }) => metadata.unit)).toEqual([inferred_unit, inferred_unit])
  const [early, late] = [await calculate(60), await calculate(1)]
  expect([early.metadata.unit, late.metadata.unit]).toEqual([inferred_unit, inferred_unit])
  expect((await calculate(60)).metadata.cached).toBe(true)
  await nines.close()
  source.close()
})
