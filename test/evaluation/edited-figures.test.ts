import { afterEach, expect, test } from 'bun:test'
import { closeAll } from '../support/closing.ts'
import { shop } from './shop-world.ts'

afterEach(closeAll)

const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`

type Shop = Awaited<ReturnType<typeof shop>>
const budgetOf = async ({ nines }: Shop) => (await nines.call('GET', '/api/v1/slos/1/budget')).body
const edit = ({ nines }: Shop, body: object) => nines.call('PUT', '/api/v1/slos/1', body)

async function evaluateSoon({ nines: { app, clock } }: Shop): Promise<void> {
  clock.advance(1000)
  await app.evaluator.evaluateAll()
}

test('the burn rate of now and the forecast follow an edited target at once, and stay', async () => {
  const world = await shop()
  await world.minutes(4, { '/checkout': 1 })
  const { burn_rate_now: before, forecast } = await budgetOf(world)
  expect(before).toBeGreaterThan(100)
  expect(forecast.burn_rate).toBe(before)
  await edit(world, { target: 99 })
  const edited = await budgetOf(world)
  expect(edited.burn_rate_now).toBeCloseTo(before / 10, 3)
  expect(edited.forecast.burn_rate).toBe(edited.burn_rate_now)
  await evaluateSoon(world)
  const evaluated = await budgetOf(world)
  expect(evaluated.burn_rate_now).toBeCloseTo(before / 10, 3)
  expect(evaluated.forecast).toMatchObject({ burn_rate: evaluated.burn_rate_now, reason: null })
}, 120_000)

test('after an edited query the forecast is null with its reason until the past is filled in', async () => {
  const world = await shop()
  await world.minutes(4, {})
  await edit(world, { bad_query: sum('{code=~"5.."}') })
  expect((await budgetOf(world)).forecast).toMatchObject({
    burn_rate: null,
    exhausts_at: null,
    reason: 'Not evaluated yet.',
  })
  await evaluateSoon(world)
  const { burn_rate_now, error_budget, forecast } = await budgetOf(world)
  expect([burn_rate_now, error_budget.window_percent_used]).toEqual([0, null])
  expect(forecast).toMatchObject({ burn_rate: null, exhausts_at: null, reason: 'The past is still being filled in.' })
}, 120_000)
