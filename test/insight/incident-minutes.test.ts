import { afterEach, beforeEach, expect, test } from 'bun:test'
import { readIncidents } from '../../src/cli/demo.ts'
import { evaluated, measured, startSeconds } from '../sli/ledger-fixtures.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { answerRequest, type FakeSource, fakeSource, type Script } from '../support/fake-source.ts'
import { checkout } from '../support/slo-calls.ts'

const minute = 60
const hour = 3600

let source: FakeSource
let nines: TestApp
let sloId: number

/** Stores a day in hourly buckets: 1,200 of 6,000 failed in the hour from 05:00 on. */
beforeEach(async () => {
  source = fakeSource(() => null)
  nines = await testApp({ env: { SOURCE_URL: source.url } })
  await nines.join('ada')
  const all = 'requests_total{service="shop"}'
  const pair = {
    bad_query: `sum(rate(${all.replace('}', ',code=~"5.."}')}[5m]))`,
    total_query: `sum(rate(${all}[5m]))`,
  }
  const slo = { ...checkout, metric_query: null, ...pair, target: 99, time_window: '24h' }
  sloId = (await nines.call('POST', '/api/v1/slos', slo)).body.id
  const past = (from: number, to: number, bad: number) =>
    measured(nines, { sloId, resolution: hour, from, to }, { good: 6000 - bad, total: 6000 })
  await past(-24 * hour, -5 * hour, 0)
  await past(-5 * hour, -4 * hour, 1200)
  await past(-4 * hour, 0, 0)
  await evaluated(nines, sloId, { budgetUsed: 83 })
})
afterEach(async () => {
  await nines.close()
  source.close()
})

const incidents = async () => (await nines.call('GET', `/api/v1/slos/${sloId}/incidents`)).body

/** Reads until no incident is listed by hours: a request waits a second at most for the minutes, which on a busy machine may not do. */
async function incidentsByMinutes() {
  let read = await incidents()
  while (read.incidents.some((one: { resolution_seconds: number }) => one.resolution_seconds === hour))
    read = await incidents()
  return read.incidents
}
const begin = startSeconds - 5 * hour + 20 * minute

/** 100 requests a minute, of which 60 fail from 05:20 to 05:40. */
const counters: Script = (expression, time) => {
  const labels = { service: 'shop' }
  if (expression.includes(' unless ') || expression.includes('quantile_over_time')) return null // no intervals known
  if (expression.startsWith('count')) return [{ labels, value: 1 }]
  if (expression.includes('min_over_time')) return [{ labels, value: 0 }]
  const fails = time > begin && time <= begin + 20 * minute
  return [{ labels, value: expression.includes('5..') ? (fails ? 60 : 0) : 100 }]
}
const byMinutes = {
  began_at: '2026-11-21T05:20:00.000Z',
  ended_at: '2026-11-21T05:40:00.000Z',
  bad_events: 1200,
  peak_percent: 60,
  resolution_seconds: 60,
}
const byHours = {
  began_at: '2026-11-21T05:00:00.000Z',
  ended_at: '2026-11-21T06:00:00.000Z',
  bad_events: 1200,
  peak_percent: 20,
  resolution_seconds: 3600,
}

test('an incident that the ledger has by hours is exact to the minute where the source still has them', async () => {
  source.script(counters)
  expect(await incidentsByMinutes()).toMatchObject([byMinutes])
  const asked = source.asked.length
  nines.clock.advance(600_000)
  expect(await incidentsByMinutes()).toMatchObject([byMinutes])
  expect(source.asked.length).toBe(asked)
})

test('the sample interval of now is learned once for all incidents', async () => {
  await measured(
    nines,
    { sloId, resolution: hour, from: -15 * hour, to: -14 * hour },
    { good: 6000 - 1200, total: 6000 },
  )
  source.script((expression, time) => {
    if (expression.includes('quantile_over_time'))
      return expression.includes(' unless ') ? null : [{ labels: { service: 'shop' }, value: 30 }]
    return counters(expression, time <= begin ? time + 10 * hour : time)
  })
  const tenHoursBefore = { began_at: '2026-11-20T19:20:00.000Z', ended_at: '2026-11-20T19:40:00.000Z' }
  expect(await incidentsByMinutes()).toMatchObject([{ ...byMinutes, ...tenHoursBefore }, byMinutes])
  const learning = source.expressions().filter((expression) => expression.includes('quantile_over_time'))
  expect(learning).toHaveLength(3)
})

test('nobody waits for a slow source: the answer is as the hours have it, and a later one as the minutes', async () => {
  const { promise: isReady, resolve: answerAll } = Promise.withResolvers<void>()
  const slow = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => isReady.then(() => answerRequest(counters, request)),
  })
  await nines.app.db.write.updateTable('data_sources').set({ api_url: slow.url.origin }).execute()
  const before = await incidents()
  expect(before.incidents).toMatchObject([byHours])
  answerAll()
  expect(await incidentsByMinutes()).toMatchObject([byMinutes])
  const breakdown = await nines.call('GET', `/api/v1/slos/${sloId}/incidents/${before.incidents[0].key}/breakdown`)
  expect(breakdown.body).toMatchObject({ began_at: byMinutes.began_at })
  await slow.stop(true)
})

test('what the demo reads when it starts is exact in the first answer, though its source has become slow', async () => {
  source.script(counters)
  await readIncidents(nines.app, 1)
  const silent = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Promise<Response>(() => {}) })
  await nines.app.db.write.updateTable('data_sources').set({ api_url: silent.url.origin }).execute()
  expect((await incidents()).incidents).toMatchObject([byMinutes])
  await silent.stop(true)
})

test('what was listed by hours, and begins hours later by minutes, still has its breakdown', async () => {
  const first = startSeconds - 5 * hour
  await measured(nines, { sloId, resolution: hour, from: -5 * hour, to: -hour }, { good: 57, total: 60 })
  await measured(nines, { sloId, resolution: hour, from: -hour, to: 0 }, { good: 30, total: 60 })
  source.script((expression, time) => {
    const usual = counters(expression, time)
    if (usual === null || expression.startsWith('count') || expression.includes('min_over_time')) return usual
    const place = time - first - minute
    const fails =
      place < 4 * hour
        ? (place / minute) % 20 === 10
        : place >= 4 * hour + 20 * minute && place < 4 * hour + 50 * minute
    return [{ labels: { service: 'shop' }, value: expression.includes('5..') && !fails ? 0 : 1 }]
  })
  expect(await incidentsByMinutes()).toMatchObject([{ began_at: '2026-11-21T09:20:00.000Z', bad_events: 30 }])
  const { status, body } = await nines.call('GET', `/api/v1/slos/${sloId}/incidents/${first}/breakdown`)
  expect([status, body.began_at]).toEqual([200, '2026-11-21T09:20:00.000Z'])
  const before = await nines.call('GET', `/api/v1/slos/${sloId}/incidents/${first - hour}/breakdown`)
  expect(before.status).toBe(404)
})

const gone: [string, Script][] = [
  ['has nothing of that time', () => null],
  [
    'has lost the minutes before 05:30',
    (expression, time) => (time > begin + 10 * minute ? counters(expression, time) : null),
  ],
  [
    'has lost the counter of failures',
    (expression, time) => (expression.includes('5..') ? null : counters(expression, time)),
  ],
  [
    'refuses the query',
    () => {
      throw new Error('exceeded maximum resolution')
    },
  ],
  [
    'can reach only some of its stores',
    (expression, time) => ({ value: counters(expression, time) as null, isPartial: true }),
  ],
]

test.each(gone)('it stays as the hours have it, and says so, where the source %s', async (_, script) => {
  source.script(script)
  const { incidents: found, background_percent: background, budget_used_percent: used } = await incidents()
  expect(found).toMatchObject([{ ...byHours, budget_used_percent: 83 }])
  expect([background, used]).toEqual([0, 83])
  for (let asked = 0; source.asked.length > asked; await incidents()) asked = source.asked.length // ends once nothing is queried again
  source.script(counters)
  nines.clock.advance(601_000)
  expect(await incidentsByMinutes()).toMatchObject([byMinutes])
})

test('it stays as the hours have it where the source does not answer', async () => {
  source.close()
  expect((await incidents()).incidents).toMatchObject([byHours])
})
