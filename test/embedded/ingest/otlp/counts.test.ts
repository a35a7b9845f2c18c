import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { nanos, sum } from '../../../support/otlp.ts'
import { begin, end, nines, now, restart, samples, sendMetrics, values } from '../../../support/otlp-nines.ts'

beforeEach(() => begin())
afterEach(end)

describe('a cumulative counter', () => {
  test('begins at zero where it says that it began', async () => {
    await sendMetrics([sum('c', [[now(), 7]], { startMs: now() - 30_000 })])
    nines.clock.advance(10_000)
    await sendMetrics([sum('c', [[now(), 9]], { startMs: now() - 40_000 })])
    expect(await samples('c_total')).toEqual({
      'c_total{"job":"shop"}': [
        [40_000, '0'],
        [10_000, '7'],
        [0, '9'],
      ],
    })
  })

  test('begins again at zero where it says so, though it is higher than before', async () => {
    await sendMetrics([sum('c', [[now(), 7]])])
    nines.clock.advance(10_000)
    await sendMetrics([sum('c', [[now(), 9]], { startMs: now() - 5000 })])
    expect(await samples('c_total')).toEqual({
      'c_total{"job":"shop"}': [
        [10_000, '7'],
        [5000, '0'],
        [0, '9'],
      ],
    })
  })

  test('that began long ago has no zero, but where its sender was heard of before', async () => {
    const startMs = now() - 7_200_000
    await sendMetrics([sum('c', [[now(), 7]], { startMs, of: { code: '200' } })])
    nines.clock.advance(10_000)
    const both = [
      sum('c', [[now(), 9]], { startMs, of: { code: '200' } }),
      sum('c', [[now(), 1]], { startMs, of: { code: '500' } }),
    ]
    await sendMetrics(both)
    expect(await samples('c_total')).toEqual({
      'c_total{"code":"200","job":"shop"}': [
        [10_000, '7'],
        [0, '9'],
      ],
      'c_total{"code":"500","job":"shop"}': [
        [10_000, '0'],
        [0, '1'],
      ],
    })
  })
})

describe('a delta', () => {
  const delta = (points: [number, number][], startMs = 0, more = {}) =>
    sum('c', points, { temporality: 'delta', startMs, ...more })

  test('is added to what came before, once', async () => {
    const first = [delta([[now(), 7]], now() - 10_000)]
    await sendMetrics(first)
    await sendMetrics(first)
    nines.clock.advance(10_000)
    const second = [delta([[now(), 2]], now() - 10_000)]
    for (let sent = 0; sent < 3; sent += 1) expect((await sendMetrics(second)).text).toBe('{}')
    await sendMetrics(first)
    expect(await samples('c_total')).toEqual({
      'c_total{"job":"shop"}': [
        [20_000, '0'],
        [10_000, '7'],
        [0, '9'],
      ],
    })
  })

  test('after a pause counts from the end of the pause', async () => {
    await sendMetrics([delta([[now(), 7]], now() - 10_000)])
    nines.clock.advance(600_000)
    await sendMetrics([delta([[now(), 2]], now() - 10_000)])
    expect(await samples('c_total')).toEqual({
      'c_total{"job":"shop"}': [
        [610_000, '0'],
        [600_000, '7'],
        [10_000, '7'],
        [0, '9'],
      ],
    })
  })

  test('without a start counts all the same', async () => {
    await sendMetrics([delta([[now(), 7]])])
    expect(await samples('c_total')).toEqual({
      'c_total{"job":"shop"}': [
        [1, '0'],
        [0, '7'],
      ],
    })
  })

  test('is added after a restart, a stale marker and what is in chunks only', async () => {
    await sendMetrics([delta([[now(), 7]], now() - 1000)])
    nines.clock.advance(1000)
    const none = {
      name: 'c',
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ flags: 1, timeUnixNano: nanos(now()) }] },
    }
    await sendMetrics([none])
    await restart()
    nines.clock.advance(10_000)
    await sendMetrics([delta([[now(), 2]], now() - 1000)])
    expect(Object.values(await values('c_total'))).toEqual([['0', '7', '7', '9']])
    for (let hours = 0; hours < 3; hours += 1) {
      nines.clock.advance(3_600_000)
      await nines.app.samples.flushCooperatively()
    }
    await restart()
    await sendMetrics([delta([[now(), 1]], now() - 1000)])
    expect(Object.values(await values('c_total'))).toEqual([['9', '10']])
  })

  test('of two scopes at one time is the sum of both', async () => {
    await sendMetrics([delta([[now(), 7]]), delta([[now(), 3]])])
    expect(Object.values(await values('c_total'))).toEqual([['0', '10']])
  })

  test('of what goes up and down is a gauge', async () => {
    await sendMetrics([delta([[now(), 7]], 0, { isMonotonic: false })])
    nines.clock.advance(1000)
    await sendMetrics([delta([[now(), -3]], 0, { isMonotonic: false })])
    expect(Object.values(await values('c'))).toEqual([['0', '7', '4']])
  })
})
