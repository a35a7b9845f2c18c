import { afterEach, beforeEach, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { countedSlo, countingScript } from '../support/counting-source.ts'
import { type FakeSource, fakeSource } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

let source: FakeSource
let nines: TestApp
beforeEach(async () => {
  source = fakeSource(countingScript({ shop: { total: 10, bad: 1 } }))
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const tier = { long_window: '1h', short_window: '10m', factor: 5, severity: 'page' }

/** Evaluated tiers of a new SLO with this alerting configuration. */
async function burnRates(slo: object, tiers: object[]) {
  const { body } = await nines.call('POST', '/api/v1/slos', { ...slo, target: 99 })
  await nines.call('PUT', `/api/v1/slos/${body.id}/alerting`, { burn_rate_tiers: tiers })
  const [evaluation] = await nines.app.evaluator.evaluateAll()
  expect(evaluation?.sloId).toBe(body.id)
  return evaluation?.burnRates
}

test('an SLO is evaluated by its own tiers, which fire once enough has failed', async () => {
  // A failure per second, except in the first 15 s: the first sample of a window includes the events before it.
  const fast = { severity: 'page' as const, long_seconds: 3600, factor: 5, long: 10, short: 10, long_bad_events: 3585 }
  const tiers = [
    { ...tier, min_events: 3585 },
    { ...tier, short_window: '20m', min_events: 3586 },
    { ...tier, short_window: '30m', enabled: false },
  ]
  expect(await burnRates(countedSlo('shop'), tiers)).toEqual([
    { ...fast, short_seconds: 600, min_events: 3585, enabled: true, firing: true },
    { ...fast, short_seconds: 1200, min_events: 3586, enabled: true, firing: false },
    { ...fast, short_seconds: 1800, min_events: 0, enabled: false, firing: true },
  ])
})

test('an SLO that counts time has no failed events to want', async () => {
  source.script(() => 0.9)
  expect(await burnRates({ ...checkout, metric_query: 'share_of_good' }, [{ ...tier, min_events: 1e9 }])).toMatchObject(
    [{ long: 10, short: 10, min_events: 1e9, long_bad_events: null, firing: true }],
  )
})

test('what too little is known of fires neither way, whatever it wants', async () => {
  const tiers = [{ ...tier, long_window: '12h', min_events: 1e9 }]
  expect(await burnRates(countedSlo('shop'), tiers)).toMatchObject([
    { long: null, short: 10, long_bad_events: null, firing: null },
  ])
})
