import { afterEach, expect, test } from 'bun:test'
import type { AlertRow } from '../../src/db/tables/tables.ts'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { ledgerCacheOf } from '../../src/ledger/memory/ledger-cache.ts'
import { testApp } from '../support/app.ts'
import { shareWorkers } from '../support/shared-workers.ts'
import { closeAll, closeLater } from '../support/closing.ts'

afterEach(closeAll)

const everySeconds = 15

const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
const definition = {
  name: 'shop',
  target: 99.9,
  time_window: '30d',
  metric_type: 'availability',
  bad_query: sum('{code="500"}'),
  total_query: sum(''),
}

/** A service that is scraped every 15 s, and its SLO of 99.9 % over 30 days. */
async function service() {
  const nines = await testApp({
    env: { SOURCE_URL: 'embedded', RETENTION_DAYS: '4', EVALUATION_INTERVAL: '3600' },
    workers: shareWorkers(),
  })
  closeLater(nines.close)
  await nines.join('ada')
  const { app, clock } = nines
  const counts = { 200: 0, 500: 0 }
  let scrapedMs = 0
  const scrape = () => {
    for (const [code, count] of Object.entries(counts)) {
      app.samples.append(1, Object.entries({ __name__: 'requests_total', code }), scrapedMs, count)
    }
  }

  /** Lets time pass with so many requests a second, of which a share fails. */
  function passes(minutes: number, perSecond: number, failing = 0): void {
    clock.advance(minutes * 60_000)
    if (scrapedMs === 0) scrapedMs = clock.now() - minutes * 60_000
    for (; scrapedMs + 1000 * everySeconds <= clock.now(); scrape()) {
      scrapedMs += 1000 * everySeconds
      counts[500] += everySeconds * perSecond * failing
      counts[200] += everySeconds * perSecond * (1 - failing)
    }
  }

  return {
    nines,
    /** Begins to be scraped; the first values of its counters are zeroes. */
    deploy() {
      scrapedMs = clock.now()
      scrape()
    },
    passes,
    /** No sample for some time, while the counters stay as they are. */
    gap(minutes: number) {
      clock.advance(minutes * 60_000)
      scrapedMs = clock.now()
    },
    async create(change: object = {}): Promise<number> {
      const { body, text } = await nines.call('POST', '/api/v1/slos', { ...definition, ...change })
      if (!body?.id) throw new Error(text)
      return body.id
    },
    async evaluated(): Promise<Evaluation> {
      app.evaluator.tick()
      await app.backfills.run()
      const [evaluation] = await app.evaluator.evaluateAll()
      if (!evaluation) throw new Error('the SLO was not evaluated')
      return evaluation
    },
    /** Names of the alerts that have begun so far, except `status`. */
    async alerts(): Promise<AlertRow['name'][]> {
      const rows = await app.db.read.selectFrom('alerts').selectAll().orderBy('id').execute()
      return rows.map(({ name }) => name).filter((name) => name !== 'status')
    },
    post: async (path: string, body: object) => (await nines.call('POST', `/api/v1${path}`, body)).body,
    change: (id: number, body: object) => nines.call('PUT', `/api/v1/slos/${id}`, body),
    read: async (path: string) => (await nines.call('GET', `/api/v1${path}`)).body,
  }
}

const page = 'burn_rate:3600:300'

test('a service that fails at 63 times the allowed rate since it was deployed pages 14 minutes later', async () => {
  const shop = await service()
  await shop.create()
  shop.deploy()
  const ages: number[] = []
  for (let age = 1; age <= 20 && ages.length === 0; age += 1) {
    shop.passes(1, 10, 0.063)
    await shop.evaluated()
    if ((await shop.alerts()).includes(page)) ages.push(age)
  }
  expect(ages[0]).toBeGreaterThanOrEqual(13)
  expect(ages[0]).toBeLessThanOrEqual(16)
})

test('with 13 minutes of such history, an SLO pages within 3 minutes of its creation', async () => {
  const shop = await service()
  shop.deploy()
  shop.passes(13, 10, 0.063)
  await shop.create()
  await shop.evaluated()
  for (let minutes = 0; minutes < 3; minutes += 1) {
    shop.passes(1, 10, 0.063)
    await shop.evaluated()
  }
  expect(await shop.alerts()).toEqual([page])
})

test('after 13 good minutes, all that fails pages within 3 minutes', async () => {
  const shop = await service()
  shop.deploy()
  await shop.create()
  shop.passes(13, 10)
  await shop.evaluated()
  for (let minutes = 0; minutes < 3; minutes += 1) {
    shop.passes(1, 10, 1)
    await shop.evaluated()
  }
  expect(await shop.alerts()).toContain(page)
})

test('after 13 minutes without traffic, one failure of ten requests fires nothing', async () => {
  const shop = await service()
  shop.deploy()
  await shop.create()
  shop.passes(13, 0)
  await shop.evaluated()
  shop.passes(1, 1 / 6, 0.1)
  const evaluations: Evaluation[] = []
  for (let minutes = 0; minutes < 8; minutes += 1) {
    evaluations.push(await shop.evaluated())
    shop.passes(1, 0)
  }
  expect(await shop.alerts()).toEqual([])
  const isAbove = ({ long, short, factor }: Evaluation['burnRates'][number]) =>
    (long ?? 0) > factor && (short ?? 0) > factor
  const above = evaluations.filter(({ burnRates: [fastest] }) => fastest && isAbove(fastest))
  expect(above.length).toBeGreaterThan(1)
  for (const { burnRates, budgetUsed, windowShare } of above) {
    expect(burnRates[0]?.firing).toBe(false)
    expect(budgetUsed).toBeCloseTo(10_000, 0)
    expect(windowShare).toBeLessThan(0.001)
  }
})

test('five minutes at 1.01 times the allowed rate fire nothing, and have used little of the window', async () => {
  const shop = await service()
  shop.deploy()
  const id = await shop.create()
  for (let minutes = 0; minutes < 5; minutes += 1) {
    shop.passes(1, 1000, 0.00101)
    await shop.evaluated()
  }
  expect(await shop.alerts()).toEqual([])
  const { error_budget, first_sample_at, minutes, forecast } = await shop.read(`/slos/${id}/budget`)
  expect(error_budget.percentage_used).toBeCloseTo(101, 0)
  expect(error_budget.window_percent_used).toBeLessThan(0.02)
  expect(error_budget.window_percent_estimated).toBe(true)
  expect(minutes.used).toBeLessThan(0.01)
  expect(forecast.exhausted).toBe(false)
  expect(Date.parse(first_sample_at)).toBeGreaterThan(shop.nines.clock.now() - 7 * 60_000)
  const [{ window_percent_used }] = (await shop.read('/slos/overview')).slos
  expect(window_percent_used).toBe(error_budget.window_percent_used)
})

test('every answer with the budget of a young SLO has that of the whole window', async () => {
  const shop = await service()
  shop.deploy()
  const deployedMs = shop.nines.clock.now()
  const id = await shop.create()
  for (let minutes = 0; minutes < 5; minutes += 1) {
    shop.passes(1, 10, 0.5)
    await shop.evaluated()
  }
  const { error_budget: stored, burn_down } = await shop.read(`/slos/${id}/budget`)
  expect(stored.percentage_used).toBeCloseTo(50_000, -3)
  expect(stored.window_percent_used).toBeLessThan(6)
  expect(
    Math.min(...burn_down.map((point: { remaining_percent: number }) => point.remaining_percent ?? 100)),
  ).toBeGreaterThan(94)
  const calculated = await shop.post('/tsdb/calculate-slo', { slo_id: id, time_window: '30d' })
  const preview = await shop.post('/slos/preview?what_if=true', definition)
  const [evaluation] = (await shop.read(`/slos/${id}/evaluations`)).evaluations
  for (const { percentage_used, window_percent_used } of [calculated.error_budget, preview.error_budget, evaluation]) {
    expect(percentage_used).toBeCloseTo(50_000, -3)
    expect(window_percent_used).toBeGreaterThan(4)
    expect(window_percent_used).toBeLessThan(7)
  }
  const went = await shop.read(`/slos/${id}/incidents`)
  expect([went.budget_used_percent, went.window_percent_used]).toEqual([
    stored.percentage_used,
    stored.window_percent_used,
  ])
  expect(preview).toMatchObject({ budget_exhausted_at: null, error_budget: { window_percent_estimated: true } })
  expect(Math.abs(Date.parse(preview.first_sample_at) - deployedMs)).toBeLessThanOrEqual(60_000)
})

test('while a backfill may bring earlier samples, no answer says how much of the budget of the window is used', async () => {
  const shop = await service()
  shop.deploy()
  shop.passes(5, 10, 0.5)
  const id = await shop.create()
  await shop.nines.app.evaluator.evaluateAll()
  const { error_budget, burn_down, minutes } = await shop.read(`/slos/${id}/budget`)
  expect(error_budget.percentage_used).toBeGreaterThan(10_000)
  expect([error_budget.window_percent_used, minutes.used]).toEqual([null, null])
  expect(burn_down.every((point: { remaining_percent: number | null }) => point.remaining_percent === null)).toBe(true)
  const { error_budget: calculated } = await shop.post('/tsdb/calculate-slo', { slo_id: id, time_window: '30d' })
  expect(calculated.window_percent_used).toBeNull()
})

test.each([
  ['paused and resumed', [{ paused: true }, { paused: false }]],
  ['deleted and restored', [null, { active: true }]],
  ['paused, resumed and paused again', [{ paused: true }, { paused: false }, { paused: true }, { paused: false }]],
])('the figures of a young SLO that is %s stay', async (_, changes) => {
  const shop = await service()
  shop.deploy()
  const id = await shop.create()
  for (let minutes = 0; minutes < 5; minutes += 1) {
    shop.passes(1, 10, 0.5)
    await shop.evaluated()
  }
  const windowUsed = async () => {
    const [inOverview] = (await shop.read('/slos/overview')).slos
    const { error_budget } = await shop.read(`/slos/${id}/budget`)
    return [inOverview.window_percent_used, error_budget.window_percent_used]
  }
  const [used = 0] = await windowUsed()
  expect(used).toBeGreaterThan(0)
  for (const change of changes) {
    if (change) await shop.change(id, change)
    else await shop.nines.call('DELETE', `/api/v1/slos/${id}`)
  }
  expect(await windowUsed()).toEqual([used, used])
  shop.passes(1, 10, 0.5)
  ledgerCacheOf(shop.nines.app.db).invalidate([id]) // as each step of the backfill does
  await shop.nines.app.evaluator.evaluateAll()
  for (const now of await windowUsed()) {
    expect(now).toBeGreaterThan(used)
    expect(now).toBeLessThan(1.5 * used)
  }
})

test('a gap in an older SLO scales nothing', async () => {
  const shop = await service()
  shop.deploy()
  await shop.create({ time_window: '24h' })
  shop.passes(60, 10, 0.01)
  const before = await shop.evaluated()
  expect(before.windowShare).toBeCloseTo(1 / 24, 2)
  shop.gap(25)
  const during = await shop.evaluated()
  expect(during.windowShare).toBeCloseTo(85 / 1440, 2)
  expect((during.budgetUsed ?? 0) * (during.windowShare ?? 0)).toBeGreaterThan(
    (before.budgetUsed ?? 0) * (before.windowShare ?? 0),
  )
})

test('tiers over windows that a backfill has still to fill are not known', async () => {
  const shop = await service()
  shop.deploy()
  for (let hours = 0; hours < 3; hours += 1) shop.passes(60, 10, 0.5)
  await shop.create()
  const firing = async (evaluation: Promise<Evaluation>) =>
    (await evaluation).burnRates.map((tier) => [tier.long_seconds / 3600, tier.firing, tier.long === null])
  const withoutBackfill = shop.nines.app.evaluator.evaluateAll().then(([evaluation]) => evaluation ?? fail())
  expect(await firing(withoutBackfill)).toEqual([
    [1, true, false],
    [6, null, true],
    [24, null, true],
    [72, null, true],
  ])
  expect(await firing(shop.evaluated())).toEqual([
    [1, true, false],
    [6, true, false],
    [24, true, false],
    [72, null, false],
  ])
})

function fail(): never {
  throw new Error('the SLO was not evaluated')
}
