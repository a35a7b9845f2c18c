import { describe, expect, test } from 'bun:test'
import { readState } from '../../src/evaluation/read-state.ts'
import { learnIntervals } from '../../src/ledger/sample-intervals.ts'
import { openOrFailing } from '../../src/sources/store.ts'
import { testApp } from '../support/app.ts'
import { fakeSource } from '../support/fake-source.ts'

const hourMs = 3_600_000
const slo = { name: 'Shop', target: 99, time_window: '30d', metric_type: 'availability', metric_query: 'avg(up)' }

async function world() {
  const at = { value: 1 }
  const source = fakeSource(() => at.value)
  const nines = await testApp({ env: { SOURCE_URL: source.url } })
  const { app, call, clock } = nines
  await nines.join('ada')
  await call('POST', '/api/v1/slos', slo)
  const states = () => app.db.read.selectFrom('slo_states').selectAll().execute()
  const standing = async () => readState((await states())[0] ?? null, clock.now(), 60)
  return {
    ...nines,
    standing,
    setSource: (value: number) => void (at.value = value),
    state: async () => (await states())[0],
    /** Ticks, without time passing, until an evaluation at the current time has finished. */
    async evaluated() {
      const endMs = Math.floor((clock.now() - 5000) / 60_000) * 60_000
      while ((await states())[0]?.measured_at !== endMs) {
        app.evaluator.tick()
        await Bun.sleep(1)
      }
      return (await states())[0]
    },
    async [Symbol.asyncDispose]() {
      await nines.close()
      source.close()
    },
  }
}

describe.each([-40 * 24, -24, -1, -0.1, 1, 24, 40 * 24])('a clock that is set by %p h', (hours) => {
  test('in the second in which a round has begun holds up no evaluation', async () => {
    await using nines = await world()
    const { app, clock } = nines
    expect(await nines.evaluated()).toMatchObject({ status: 'healthy' })
    clock.advance(62_000)
    // its batches start at the fifth second
    app.evaluator.tick()
    await Bun.sleep(5)
    nines.setSource(0)
    clock.jump(hours * hourMs)
    app.evaluator.tick()
    clock.advance(3000)
    expect(await nines.evaluated()).toMatchObject({ status: 'critical', current_value: 0 })
    // a later minute, once the minutes due after the jump are closed
    nines.setSource(1)
    for (let state = await nines.state(); state?.status !== 'healthy'; state = await nines.state()) {
      clock.advance(60_000)
      app.evaluator.tick()
      await Bun.sleep(20)
    }
  })

  test('between two rounds is followed by an evaluation at once, and until then nothing is said of now', async () => {
    await using nines = await world()
    await nines.evaluated()
    expect(await nines.standing()).toMatchObject({ isStale: false, status: 'healthy' })
    nines.clock.jump(hours * hourMs)
    expect(await nines.standing()).toMatchObject({ isStale: true, status: 'unknown', reason: 'stale' })
    nines.setSource(0)
    expect(await nines.evaluated()).toMatchObject({ status: 'critical', current_value: 0 })
    expect(await nines.standing()).toMatchObject({ isStale: false })
  })
})

test('a clock that was an hour ahead for a while leaves no wrong interval of samples behind', async () => {
  const nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  const { app, call, clock } = nines
  await nines.join('ada')
  const scrape = (fromMs: number) => {
    for (let atMs = fromMs; atMs <= clock.now(); atMs += 15_000) {
      for (const code of ['200', '500']) {
        app.samples.append(1, Object.entries({ __name__: 'requests_total', code }), atMs, atMs / 1000)
      }
    }
  }
  const sum = (selector: string) => `sum(rate(requests_total${selector}[5m]))`
  await call('POST', '/api/v1/slos', { ...slo, metric_query: `${sum('{code="200"}')} / ${sum('')}`, target: 40 })
  const burnRate = async () => {
    app.evaluator.tick()
    const [evaluation] = await app.evaluator.evaluateAll()
    return evaluation?.burnRates[0]?.short
  }
  const startMs = clock.now()
  clock.advance(238_000)
  scrape(startMs + 15_000)
  expect(await burnRate()).toBeCloseTo((3 / 5) * (50 / 60), 2) // three of five minutes exist; time before burns nothing
  // two seconds before a check for long intervals, with one sample until then
  clock.jump(hourMs)
  scrape(clock.now())
  clock.advance(8000)
  await burnRate()
  clock.jump(-hourMs)
  clock.advance(60_000)
  scrape(startMs + 255_000)
  expect(await burnRate()).toBeCloseTo(50 / 60, 2)
  await nines.close()
})

test('intervals that a backfill learns ahead of a clock that was set back are not those of an evaluation', async () => {
  const nines = await testApp({ env: { SOURCE_URL: 'embedded' } })
  const { app, call, clock } = nines
  await nines.join('ada')
  const scrape = (fromMs: number, everyMs: number) => {
    for (let atMs = fromMs; atMs <= clock.now(); atMs += everyMs) {
      app.samples.append(1, [['__name__', 'requests_total']], atMs, atMs / 1000)
    }
  }
  const startMs = clock.now()
  clock.advance(600_000)
  scrape(startMs, 15_000)
  clock.jump(10 * hourMs)
  scrape(clock.now() - 6 * hourMs, 600_000)
  const aheadSeconds = clock.now() / 1000
  clock.jump(-10 * hourMs)
  const requests = { good_query: 'requests_total', total_query: 'requests_total' }
  await call('POST', '/api/v1/slos', { ...slo, metric_query: undefined, ...requests })
  const source = openOrFailing(app, await app.db.read.selectFrom('data_sources').selectAll().executeTakeFirstOrThrow())
  const selector = { metric: 'requests_total', matchers: [], text: 'requests_total{}' }
  const learned = await learnIntervals(source, [selector], aheadSeconds)
  expect(learned.get(selector.text)?.longestSeconds).toBe(600)
  const [evaluation] = await app.evaluator.evaluateAll()
  expect(evaluation?.burnRates[0]?.short).toBe(0) // null: five minutes are less than two intervals
  await nines.close()
})
