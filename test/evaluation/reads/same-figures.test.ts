import { afterEach, expect, test } from 'bun:test'
import { importSamples } from '../../../src/embedded/import-samples.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { readExposition } from '../../support/exposition.ts'

const minuteMs = 60_000
const hour = 60
const startMs = Date.UTC(2026, 10, 30, 6)

let nines: TestApp
afterEach(() => nines?.close())

/** A site whose check of each minute since the first, `ageMinutes` before the start, fails if `isFailing`. Measured up to the start. */
async function siteOf(ageMinutes: number, isFailing: (sinceStartMinutes: number) => boolean): Promise<void> {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, startMs: startMs + 5000 })
  await nines.join('ada')
  await addChecks(-ageMinutes, 0, isFailing)
  const slo = { name: 'Site', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'up' }
  await nines.call('POST', '/api/v1/slos', slo)
  await nines.app.backfills.run()
  await nines.app.evaluator.evaluateAll()
}

async function addChecks(fromMinutes: number, toMinutes: number, isFailing: (sinceStartMinutes: number) => boolean) {
  const minutes = Array.from({ length: toMinutes - fromMinutes }, (_, at) => fromMinutes + at)
  const lines = minutes.map((n) => `up ${isFailing(n) ? 0 : 1} ${startMs / 1000 + 60 * n + 7}\n`)
  const chunks = new Blob(['# TYPE up gauge\n', ...lines, '# EOF\n']).stream()
  const { app } = nines
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs: 40 * 1440 * minuteMs })
}

async function evaluateAt(sinceStartMinutes: number) {
  nines.clock.advance(startMs + sinceStartMinutes * minuteMs + 5000 - nines.clock.now())
  await nines.app.evaluator.evaluateAll()
}

const get = async (path: string) => (await nines.call('GET', `/api/v1${path}`)).body
const exposition = async () => readExposition((await nines.call('GET', '/metrics')).text)
const iso = (sinceStartMinutes: number) => new Date(startMs + sinceStartMinutes * minuteMs).toISOString()

/** Remaining budget, and used budget of the window, in percent, as each reading has them. */
async function budgets() {
  const { error_budget: budget, ...read } = await get('/slos/1/budget')
  const [listed] = (await get('/slos/overview')).slos
  const [metric] = (await get('/tsdb/real-time-metrics')).metrics
  const { value } = await exposition()
  const percent = (name: string) => Number((100 * (value(name) ?? Number.NaN)).toFixed(8))
  const round = (figure: number) => Number(figure.toFixed(8))
  return {
    status: [read.status, listed.status, metric.status],
    state: [read.state, listed.state, metric.state],
    remaining: [
      round(budget.percentage_remaining),
      round(listed.percentage_remaining),
      round(metric.error_budget_percent),
      round(100 - metric.error_budget_used),
      percent('slo_error_budget_remaining_ratio'),
    ],
    used: [
      round(budget.window_percent_used),
      round(listed.window_percent_used),
      round(metric.window_percent_used),
      percent('slo_window_error_budget_used_ratio'),
    ],
  }
}

const isSame = (figures: number[]) => expect(new Set(figures).size).toBe(1)

/** Each reading has the status `unknown`, this state, and one budget, which is overspent. */
async function expectOneBudget(expected: string): Promise<void> {
  const { status, state, remaining, used } = await budgets()
  expect(status).toEqual(['unknown', 'unknown', 'unknown'])
  expect(state).toEqual([expected, expected, expected])
  expect(remaining[0]).toBeLessThan(0)
  isSame(remaining)
  isSame(used)
}

test('in maintenance of more than the current window, each reading has the budget', async () => {
  await siteOf(3 * 24 * hour, (n) => n < -70 * hour)
  const correction = { slo_ids: [1], category: 'planned_maintenance', from: iso(0), to: iso(4 * hour) }
  expect((await nines.call('POST', '/api/v1/corrections', correction)).status).toBe(201)
  await addChecks(0, 90, () => true)
  await evaluateAt(90)
  await expectOneBudget('maintenance')
})

test('while the last hour has no data, each reading has the budget of the window', async () => {
  await siteOf(3 * 24 * hour, (n) => n < -70 * hour)
  for (const minutes of [30, 60, 90]) await evaluateAt(minutes)
  await expectOneBudget('unknown')
})

test('a young SLO has one burn rate over 6 hours in each reading, as a long window and as a short one', async () => {
  await siteOf(30, () => true)
  const { tiers } = await get('/slos/1/burn-rates')
  const [metric] = (await get('/tsdb/real-time-metrics')).metrics
  const { value } = await exposition()
  const rates = [...tiers, ...metric.burn_rates].flatMap((tier) => [
    ...(tier.long_window === '6h' ? [tier.long_burn_rate] : []),
    ...(tier.short_window === '6h' ? [tier.short_burn_rate] : []),
  ])
  expect(rates).toHaveLength(4)
  expect([...new Set([...rates, value('slo_burn_rate', { window: '6h' })])]).toEqual([8.33333])
})
