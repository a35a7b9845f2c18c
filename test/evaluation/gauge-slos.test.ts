import { afterAll, beforeAll, expect, test } from 'bun:test'
import { importSamples } from '../../src/embedded/import-samples.ts'
import type { Evaluation } from '../../src/evaluation/evaluation-store.ts'
import { type TestApp, testApp, testStartMs } from '../support/app.ts'
import { shareWorkers } from '../support/shared-workers.ts'

const minuteMs = 60_000
const weekSeconds = 7 * 86_400
const intervalSeconds = 30
const nowSeconds = testStartMs / 1000

/** Nine outages of two minutes, at odd times of 7 days; the first began before the window. */
const outages = Array.from(
  { length: 9 },
  (_, n) => nowSeconds - weekSeconds - 60 + Math.round((n * weekSeconds) / 9) + 17 * n,
)
const isDown = (atSeconds: number) => outages.some((start) => atSeconds > start && atSeconds <= start + 120)

/** Times of checks in `(from, to]`, 7 s after each full half minute. */
function checksIn(from: number, to: number): number[] {
  const times: number[] = []
  for (let at = Math.floor(from / intervalSeconds) * intervalSeconds + 7; at <= to; at += intervalSeconds) {
    if (at > from) times.push(at)
  }
  return times
}

const percentUpIn = (from: number, to: number, isFailing: (atSeconds: number) => boolean = isDown) => {
  const checks = checksIn(from, to)
  return (100 * checks.filter((at) => !isFailing(at)).length) / checks.length
}

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' }, workers: shareWorkers() })
  await nines.join('ada')
  await importChecks('site', nowSeconds - 9 * 86_400, nowSeconds)
})
afterAll(() => nines?.close())

async function importChecks(job: string, from: number, to: number, isFailing = isDown): Promise<void> {
  const lines = checksIn(from, to).map((at) => `probe_success{job="${job}"} ${isFailing(at) ? 0 : 1} ${at}\n`)
  const chunks = new Blob(['# TYPE probe_success gauge\n', ...lines, '# EOF\n']).stream()
  const { app } = nines
  const keepMs = app.config.samplesRetentionDays * 86_400_000
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs })
}

async function create(job: string, change: object = {}): Promise<number> {
  const slo = { name: job, target: 99.9, time_window: '7d', metric_type: 'availability' }
  const { body, text } = await nines.call('POST', '/api/v1/slos', {
    ...slo,
    metric_query: `probe_success{job="${job}"}`,
    ...change,
  })
  if (!body?.id) throw new Error(text)
  return body.id
}

async function evaluate(id: number): Promise<Evaluation> {
  const evaluation = (await nines.app.evaluator.evaluateAll()).find(({ sloId }) => sloId === id)
  if (!evaluation) throw new Error('was not evaluated')
  return evaluation
}

const trueOwn = ({ atSeconds }: Evaluation) => percentUpIn(atSeconds - weekSeconds, atSeconds)

test('a day is the sum of its hours, also where the interval of the samples has changed since', async () => {
  const changed = nowSeconds - 10 * 3600
  const outage = nowSeconds - 18 * 3600
  const every = (seconds: number, from: number, to: number) =>
    Array.from({ length: (to - from) / seconds }, (_, n) => from + n * seconds)
  const times = [...every(15, nowSeconds - 20 * 3600, changed), ...every(300, changed, nowSeconds)]
  const lines = times.map((at) => `probe_success{job="slower"} ${at >= outage && at < outage + 3600 ? 0 : 1} ${at}\n`)
  const chunks = new Blob(['# TYPE probe_success gauge\n', ...lines, '# EOF\n']).stream()
  const { app } = nines
  const keepMs = app.config.samplesRetentionDays * 86_400_000
  await importSamples({ store: app.samples, clock: app.clock, organizationId: 1, chunks, keepMs })
  const ids = [await create('slower', { time_window: '24h' }), await create('slower', { time_window: '7d' })]
  await app.backfills.run()
  await app.evaluator.evaluateAll()
  for (const id of ids) {
    const { body } = await nines.call('GET', `/api/v1/slos/${id}/budget`)
    expect(body.error_budget.percentage_used).toBeCloseTo(5000, -2) // an hour of twenty, with a budget of a thousandth
  }
})

test('every check of 7 days counts: before and after the backfill, and as time goes by', async () => {
  const id = await create('site')
  const first = await evaluate(id)
  expect(first.own).toBeCloseTo(trueOwn(first), 9)
  await nines.app.backfills.run()
  for (let quarters = 0; quarters < 5; quarters += 1) {
    const evaluation = await evaluate(id)
    expect(evaluation.own).toBeCloseTo(trueOwn(evaluation), 9)
    expect(evaluation.message).toBeNull()
    const from = nines.clock.now() / 1000
    nines.clock.advance(15 * minuteMs)
    await importChecks('site', from, from + 900)
  }
  const read = async () => (await nines.call('GET', `/api/v1/slos/${id}/incidents`)).body.incidents
  let incidents = await read()
  while (incidents.some(({ resolution_seconds }: { resolution_seconds: number }) => resolution_seconds > 60))
    incidents = await read() // a request waits a second for minutes
  expect(incidents).toHaveLength(8) // the first outage has left the window
}, 300_000)

test('an SLO over a check that has just begun has its SLI at once, and another one each minute', async () => {
  const began = Math.floor(nines.clock.now() / minuteMs) * 60
  const isFailing = (at: number) => at > began + 60 && at <= began + 120
  const id = await create('young')
  await nines.app.backfills.run()
  expect((await evaluate(id)).reason).toBe('no_data')
  nines.clock.advance(5000) // samples of the last seconds may still arrive
  const found: (number | null)[] = []
  for (let minute = 1; minute <= 4; minute += 1) {
    nines.clock.advance(minuteMs)
    await importChecks('young', began + (minute - 1) * 60, began + minute * 60, isFailing)
    found.push((await evaluate(id)).own)
  }
  expect(found).toEqual([100, 50, expect.closeTo(200 / 3, 9), 75])
})
