import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../support/app.ts'
import { resultsOfQuery } from '../support/collected-counters.ts'
import { startReceiver } from '../support/receiver.ts'

let nines: TestApp
beforeAll(async () => {
  nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  await nines.join('ada')
  collectOutage('http_requests_total')
  collectOutage('http_requests')
})
afterAll(() => nines.close())

/** Stores one sample a minute for the last two hours, with values by age in minutes. */
function collect(name: string, code: string, valueAt: (minute: number) => number) {
  const nowMs = nines.clock.now()
  const labels = [
    ['__name__', name],
    ['code', code],
  ] as const
  for (let minute = 0; minute <= 120; minute += 1) {
    nines.app.samples.append(1, labels, nowMs - (120 - minute) * 60_000, valueAt(minute))
  }
}

/** A service that has answered a million requests without errors and now fails every tenth. */
function collectOutage(name: string) {
  collect(name, '200', (minute) => 1_000_000 + 9 * minute)
  collect(name, '500', (minute) => 1000 + minute)
}

const everything = (query: object) => resultsOfQuery(nines, query)

const raw = (name: string) => [
  { metric_query: `sum(${name}{code="200"}) / sum(${name})` },
  { metric_query: `1 - sum(${name}{code="500"}) / sum(${name})` },
  { good_query: `${name}{code="200"}`, total_query: name },
  { bad_query: `${name}{code="500"}`, total_query: name },
]

describe('an outage is seen through counters that are read as they are', () => {
  test.each(raw('http_requests_total'))('%j', async (query) => {
    const { preview, created, calculated, evaluated } = await everything(query)
    const note = expect.stringContaining('http_requests_total is a counter and is read without rate or increase')
    expect(calculated).toMatchObject({ current_value: expect.closeTo(90, 6), status: 'critical' })
    expect(evaluated).toMatchObject({ current: expect.closeTo(90, 6), status: 'critical' })
    expect(preview.current.sli).toBeCloseTo(90, 6)
    expect(calculated.warnings).toContainEqual(note)
    expect(created.warnings).toContainEqual(note)
    expect(preview.warnings).toContainEqual(note)
  })

  test.each(raw('http_requests'))('by their values alone: %j', async (query) => {
    const { preview, calculated, evaluated } = await everything(query)
    const note = expect.stringContaining('http_requests is a counter and is read without rate or increase')
    expect(calculated).toMatchObject({ current_value: expect.closeTo(90, 6), status: 'critical' })
    expect(evaluated).toMatchObject({ current: expect.closeTo(90, 6), status: 'critical' })
    expect([calculated.warnings, preview.warnings]).toEqual([
      expect.arrayContaining([note]),
      expect.arrayContaining([note]),
    ])
  })
})

test('gauges are read as they are, with no remark', async () => {
  collect('pods', 'ready', (minute) => (minute % 3 === 0 ? 8 : 9))
  collect('pods', 'late', (minute) => (minute % 3 === 0 ? 2 : 1))
  const { calculated, created } = await everything({ metric_query: 'sum(pods{code="ready"}) / sum(pods)' })
  expect(calculated.current_value).toBeWithin(85, 90)
  expect([created.warnings, calculated.warnings]).toEqual([[], []])
})

test('what a scraped target says of its metrics comes before their names', async () => {
  const said = ['# TYPE pods_count gauge', 'pods_count 10', '# TYPE ready_count gauge', 'ready_count 9', '']
  const site = startReceiver(() => new Response(said.join('\n')))
  const target = { name: 'site', url: `${site.url}/metrics`, interval_seconds: 15 }
  await nines.call('POST', '/api/v1/embedded/targets', target)
  for (let second = 0; second < 120; second += 1) {
    nines.clock.advance(1000)
    nines.app.collector.tick()
    await nines.app.collector.drain()
  }
  await site.close()
  const { calculated } = await everything({ metric_query: 'sum(ready_count) / sum(pods_count)' })
  expect(calculated).toMatchObject({ current_value: expect.closeTo(90, 9), warnings: [] })
})

test('where it cannot be decided there is no SLI, and preview, calculation and evaluation say what mends it', async () => {
  collect('steps', 'ok', (minute) => 5 + (minute > 30 ? 1 : 0))
  collect('steps', 'late', (minute) => 5 + (minute > 60 ? 1 : 0))
  const { preview, calculated, evaluated } = await everything({ metric_query: 'sum(steps{code="ok"}) / sum(steps)' })
  const sentence = expect.stringContaining('If it is a counter, write increase(steps{code="ok"}[5m])')
  expect(calculated).toMatchObject({
    current_value: null,
    status: 'unknown',
    status_reason: 'not_a_ratio',
    status_message: sentence,
  })
  expect(evaluated).toMatchObject({ current: null, status: 'unknown', reason: 'not_a_ratio', message: sentence })
  expect(preview.problems[0]).toMatchObject({ field: 'metric_query', message: sentence })
})
