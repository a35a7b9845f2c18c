import { describe, expect, test } from 'bun:test'
import { createShop } from '../../../src/cli/demo/shop.ts'
import { parseExposition } from '../../embedded/exposition/parse-exposition.ts'

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
const liveMs = 1_795_255_200_000
const openedMs = liveMs - 35 * dayMs
const shop = () => createShop({ openedMs, liveMs })

/** Value of a series at a time. */
function valueOf(of: ReturnType<typeof shop>, timeMs: number, name: string, labels: Record<string, string> = {}) {
  const found = of.valuesAt(timeMs).filter((one) => one.name === name && Bun.deepEquals(one.labels, labels))
  expect(found).toHaveLength(1)
  return found[0]?.value ?? NaN
}
/** Error ratio of a service between two times. */
function failing(of: ReturnType<typeof shop>, service: string, fromMs: number, toMs: number) {
  const increase = (code: string) =>
    -valueOf(of, fromMs, 'shop_requests_total', { service, code }) +
    valueOf(of, toMs, 'shop_requests_total', { service, code })
  return increase('503') / (increase('200') + increase('503'))
}

describe('the sample service', () => {
  test('counts the same at the same time, in whatever order it is called', () => {
    const [one, other] = [shop(), shop()]
    const times = [liveMs, liveMs - dayMs, liveMs + 30_000, openedMs, liveMs + 10 * dayMs]
    const told = times.map((time) => one.valuesAt(time))
    expect(times.toReversed().map((time) => other.valuesAt(time))).toEqual(told.toReversed())
  })

  test('never counts back, and its buckets contain one another', () => {
    const of = shop()
    const before = new Map<string, number>()
    for (let time = liveMs - dayMs; time < liveMs + 3600_000; time += 101_000) {
      const buckets = new Map<string, number>()
      for (const { name, labels, value } of of.valuesAt(time)) {
        if (name === 'shop_packed_items_per_minute') continue
        const key = JSON.stringify([name, labels])
        expect(value).toBeGreaterThanOrEqual(before.get(key) ?? 0)
        before.set(key, value)
        if (!name.endsWith('_bucket')) continue
        expect(value).toBeGreaterThanOrEqual(buckets.get(labels['service'] ?? '') ?? 0)
        buckets.set(labels['service'] ?? '', value)
      }
    }
  })

  test('fails as little as it should on a good day, as much as planned in an incident, and now', () => {
    const of = shop()
    const goodDay = liveMs - 20 * dayMs
    const outage = liveMs - 18 * dayMs + 20 * 3600_000
    expect(failing(of, 'checkout', goodDay, goodDay + dayMs)).toBeWithin(0.0001, 0.0003)
    expect(failing(of, 'checkout', outage, outage + 15 * minuteMs)).toBeWithin(0.88, 0.92)
    expect(failing(of, 'checkout', liveMs - 20 * minuteMs, liveMs)).toBeWithin(0.05, 0.07)
    expect(failing(of, 'checkout', liveMs + 2 * 3600_000, liveMs + 4 * 3600_000)).toBeWithin(0.0001, 0.0004)
  })

  test('goes on failing a little every day', () => {
    const of = shop()
    const daily = Math.floor(liveMs / dayMs) * dayMs + 14 * 3600_000
    const shares = [2, 3, 4].map((days) => {
      const from = daily + days * dayMs
      return ['search', 'payments', 'checkout'].filter(
        (service) => failing(of, service, from, from + 20 * minuteMs) > 0.08,
      )
    })
    expect(shares.map((services) => services.length)).toEqual([1, 1, 1])
    expect(new Set(shares.flat()).size).toBe(3)
  })

  test('exposes what it counts, and nothing before it was opened', () => {
    const { samples, metadata } = parseExposition(shop().expositionAt(liveMs), { contentType: null })
    expect(samples).toHaveLength(shop().valuesAt(liveMs).length)
    expect([...metadata].map(([name, { type }]) => [name, type])).toEqual([
      ['shop_requests_total', 'counter'],
      ['shop_request_duration_seconds', 'histogram'],
      ['shop_packed_items_per_minute', 'gauge'],
    ])
    expect(shop().valuesAt(openedMs - dayMs)).toHaveLength(1)
  })
})
