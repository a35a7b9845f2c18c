import { afterEach, beforeEach, expect, test } from 'bun:test'
import { isoTime } from '../../../src/clock.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { shareWorkers } from '../../support/shared-workers.ts'

let nines: TestApp
let path: string
let startMs: number

beforeEach(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded', EVALUATION_INTERVAL: '60' }, workers: shareWorkers() })
  await nines.join('ada')
  startMs = nines.clock.now()
})
afterEach(() => nines.close())

async function createHeartbeat(): Promise<void> {
  const heartbeat = { name: 'sync', period_seconds: 86_400, grace_seconds: 3600 }
  const { body } = await nines.call('POST', '/api/v1/embedded/heartbeats', heartbeat)
  path = new URL(body.ping_url).pathname
}

const createSlo = (time_window: string) =>
  nines.call('POST', '/api/v1/slos', {
    name: 'Backups',
    target: 99,
    time_window,
    metric_type: 'availability',
    good_query: 'heartbeat_runs_good_total{job="sync"}',
    total_query: 'heartbeat_runs_total{job="sync"}',
  })

/** Lets seconds pass, as the timetable does, with an evaluation ten seconds after each minute. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    nines.clock.advance(1000)
    await nines.app.heartbeats.tick()
    if (nines.clock.now() % 60_000 === 10_000) await nines.app.evaluator.evaluateAll()
  }
}

async function report(action: '' | '/fail'): Promise<void> {
  await nines.call('GET', `${path}${action}`, undefined, { token: null })
}

/** Good runs and all runs by each answer, with the SLI of each in percent. */
async function answers(time_window: string) {
  const get = async (of: string) => (await nines.call('GET', `/api/v1${of}`)).body
  const end = isoTime(Math.floor(nines.clock.now() / 60_000) * 60_000)
  const { points } = await get(`/slos/1/series?start=${isoTime(startMs)}&end=${end}&step=1m`)
  const sumOf = (side: 'good' | 'total') =>
    points.reduce((sum: number, point: Record<typeof side, number | null>) => sum + (point[side] ?? 0), 0)
  const { sli, events } = await get('/slos/1/budget')
  const { good_runs, runs } = await get('/embedded/heartbeats/1')
  const calculated = await nines.call('POST', '/api/v1/tsdb/calculate-slo', { slo_id: 1, time_window })
  return {
    heartbeat: [good_runs, runs],
    budget: [events.good, events.total, sli],
    minutes: [sumOf('good'), sumOf('total')],
    calculated: calculated.body.current_value,
  }
}

/** Expects all answers to have these runs in the next minutes; over days also when the hour has been measured once more. */
async function expectAgreement(time_window: string, good: number, total: number): Promise<void> {
  const minutes = time_window === '1h' ? [0, 1, 2, 3] : [0, 1, 2, 3, 70]
  const sli = expect.closeTo((100 * good) / total, 8)
  const same = { heartbeat: [good, total], budget: [good, total, sli], minutes: [good, total], calculated: sli }
  let passed = 0
  for (const minute of minutes) {
    for (; passed < minute; passed += 1) await pass(60)
    expect({ minute, ...(await answers(time_window)) }).toEqual({ minute, ...same })
  }
}

test.each(['7d', '1h'])(
  'a heartbeat made two seconds before the end of a minute, and all answers of its SLO over %s, agree about its runs',
  async (time_window) => {
    await pass(58)
    await createHeartbeat()
    await createSlo(time_window)
    await pass(1)
    await report('')
    await pass(6)
    await report('/fail')
    await pass(5)
    await report('')
    await pass(60)
    await expectAgreement(time_window, 2, 3)
  },
)

test.each(['7d', '1h'])('so do those of an SLO over %s that is created after the runs', async (time_window) => {
  await pass(10)
  await createHeartbeat()
  for (const action of ['', '/fail', '', '', ''] as const) {
    await pass(6)
    await report(action)
  }
  await createSlo(time_window)
  await pass(40)
  await expectAgreement(time_window, 4, 5)
})
