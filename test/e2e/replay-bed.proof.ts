import { afterAll, beforeAll, expect, test } from 'bun:test'
import { askDirectly, requestsQuery } from '../support/direct-query.ts'
import { type TestBed, describeOnBed, startBed } from '../support/kit.ts'
import { type Replay, startReplay } from '../support/replay.ts'

const hour = 3600
const minute = 60

describeOnBed('a Prometheus that receives the data as time goes by', () => {
  let bed: TestBed
  let replay: Replay
  beforeAll(async () => {
    ;[bed, replay] = await Promise.all([startBed(), startReplay({ liveHours: 30 })])
  }, 120_000)
  afterAll(() => Promise.all([bed?.stop(), replay?.stop()]), 30_000)

  /** Queries both. Their data end at different minutes but are equal before that. */
  const askBoth = (query: string, secondsAgo: number) =>
    Promise.all([
      askDirectly(replay.url, query, replay.now - secondsAgo),
      askDirectly(bed.prometheus, query, bed.now - secondsAgo),
    ])

  async function expectTheSameOf(secondsAgo: number) {
    for (const service of Object.keys(bed.truth.services)) {
      for (const range of ['1h', '24h', '30d']) {
        for (const matcher of ['', ',code=~"5.."']) {
          const query = requestsQuery(service, range, matcher)
          const [live, atOnce] = await askBoth(query, secondsAgo)
          expect([query, live]).toEqual([query, atOnce === null ? null : expect.closeTo(atOnce, 9)])
        }
      }
    }
  }

  test('knows nothing that has not been scraped yet', async () => {
    const [live, atOnce] = await askBoth(requestsQuery('checkout', '1h'), 29 * hour)
    expect(atOnce).toBeGreaterThan(0)
    expect(live).toBeNull()
  })

  test('answers like one that was given all data at once, also when it is killed on the way', async () => {
    await replay.advanceTo(replay.now - 20 * hour)
    await expectTheSameOf(20 * hour)
    await replay.restartPrometheus()
    await expectTheSameOf(20 * hour)
    await replay.advanceTo(replay.now)
    await replay.restartPrometheus()
    await expectTheSameOf(0)
  }, 60_000)

  test('notices that a series has ended, unless nobody was there to notice', async () => {
    await replay.advanceTo(replay.now)
    const counter = 'sum(http_requests_total{service="gaps"})'
    const [intoFailedScrapes, intoOutageOfMonitoring] = [48 * minute, 28 * hour - 2 * minute]
    expect(await askBoth('up{job="gaps"}', intoFailedScrapes)).toEqual([0, 0])
    expect(await askBoth(counter, intoFailedScrapes)).toEqual([null, expect.any(Number)])
    const [live, atOnce] = await askBoth(counter, intoOutageOfMonitoring)
    expect(live).toBeGreaterThan(0)
    expect(live).toBe(atOnce)
  })
})
