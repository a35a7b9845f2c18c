import { describe, expect, test } from 'bun:test'
import { burnDownLines } from '../../../../src/web/page/slo/budget-chart-lines.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

const noReturns = { calendar: [], forecast: { exhausts_at: null } }

type Point = Parameters<typeof burnDownLines>[0]['burn_down'][number]

describe('the burn-down', () => {
  const points = [100, 80, 50].map((remaining_percent, at) => ({
    timestamp: new Date(now - (2 - at) * 86_400_000).toISOString(),
    remaining_percent,
    ideal_percent: 100 - at * 30,
    coverage: 1,
  }))

  const days = (count: number) => ({ time_window: `${count}d`, window_seconds: 86_400 * count, period: null })
  const drawn = (change: Partial<Parameters<typeof burnDownLines>[0]>) =>
    burnDownLines({ burn_down: points, ...noReturns, target: 99.9, events: null, ...days(7), ...change }, now)

  test('the burn-down goes on as forecast, to the end at most', () => {
    const exhausts_at = new Date(now + 3_600_000).toISOString()
    const { times, lines } = drawn({
      forecast: { exhausts_at },
    })
    expect(times.at(-1)).toBe((now + 3_600_000) / 1000)
    expect(lines.at(-1)).toMatchObject({ label: 'Forecast', values: [null, null, 50, 0] })
  })

  test('the burn-down has no forecast where the budget lasts', () => {
    const { lines } = drawn({ forecast: { exhausts_at: null } })
    expect(lines.map(({ label }) => label)).toEqual(['Left', 'Ideal'])
  })

  test('the burn-down has a second line where corrections leave something out, and its scale has room for it', () => {
    const burn_down = points.map((point, at) => ({ ...point, remaining_percent_without: 100 - at * 70 }))
    const { lines, range } = drawn({ burn_down })
    expect(lines.map(({ label }) => label)).toEqual(['Left', 'Ideal', 'Without corrections'])
    expect(lines.at(-1)?.values).toEqual([100, 30, -40])
    expect(range[0]).toBeLessThan(-40)
  })

  test('the burn-down steps up where budget comes back soon, with how much and when', () => {
    const row = (day: number, back: number, left: number) => ({
      starts_at: `2026-11-${day}T00:00:00.000Z`,
      ends_at: `2026-11-${day + 1}T00:00:00.000Z`,
      gives_back_percent: back,
      remaining_after_percent: left,
    })
    const long = Array.from({ length: 31 }, (_, at) => ({
      timestamp: new Date(now - (30 - at) * 86_400_000).toISOString(),
      remaining_percent: 50,
      ideal_percent: 50,
      coverage: 1,
    }))
    const calendar = [row(24, 17, 67), row(25, 0.5, 67.5), row(28, 33, 100)]
    const { times, lines, marks } = drawn({ burn_down: long, calendar, time_window: '30d' })
    const back = lines.find(({ label }) => label === 'If nothing else fails')
    const at = (timestamp: string) => back?.values[times.indexOf(Date.parse(timestamp) / 1000)]
    expect(back?.values.find((value) => value !== null)).toBe(50)
    expect(['2026-11-24T00:00Z', '2026-11-25T00:00Z', '2026-11-28T00:00Z', '2026-11-29T00:00Z'].map(at)).toEqual([
      50, 67, 67.5, 100,
    ])
    expect(marks.map(({ label, value }) => [label, value])).toEqual([
      ['+17\u2009% on 24 Nov', 67],
      ['+33\u2009% on 28 Nov', 100],
    ])
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    expect(lines.every(({ values }) => values.length === times.length)).toBe(true)
  })

  test('the burn-down has no words where all comes back evenly', () => {
    const calendar = Array.from({ length: 7 }, (_, at) => ({
      starts_at: `2026-11-${22 + at}T00:00:00.000Z`,
      ends_at: `2026-11-${23 + at}T00:00:00.000Z`,
      gives_back_percent: 7,
      remaining_after_percent: 57 + 7 * at,
    }))
    expect(drawn({ calendar })).toMatchObject({ marks: [], lines: [{ label: 'Left' }, { label: 'Ideal' }] })
  })

  test('the burn-down marks what was not measured, and what was overspent', () => {
    const coverage = [0, 0.1, 0.5]
    const { bands, lines } = drawn({
      ...days(3),
      burn_down: points.map((point, at) => ({
        ...point,
        coverage: coverage[at] ?? 1,
        remaining_percent: 10 - at * 10,
      })),
    })
    expect(bands).toHaveLength(1)
    expect(bands[0]?.toSeconds).toBe((now - 86_400_000) / 1000)
    expect(lines.map(({ label }) => label)).toContain('Overspent')
  })

  test('the burn-down marks only what was not measured, wherever the budget was used up', () => {
    const day = 86_400
    const [first, gone, second, third] = [day, day + 60, 2 * day, 3 * day].map((seconds) => ({
      timestamp: new Date(now - (3 * day - seconds) * 1000).toISOString(),
      remaining_percent: 0,
      ideal_percent: 0,
      // more than half of the first day is missing
      coverage: (seconds - 0.6 * day) / seconds,
    })) as [Point, Point, Point, Point]
    const { bands } = drawn({ burn_down: [first, gone, second, third], ...days(3) })
    expect(bands).toMatchObject([{ fromSeconds: now / 1000 - 3 * day, toSeconds: now / 1000 - 2 * day }])
  })

  test('the burn-down of a calendar period begins with it, whatever it has not been yet', () => {
    const starts_at = new Date(now - 4 * 86_400_000).toISOString()
    const period = { starts_at, ends_at: new Date(now + 26 * 86_400_000).toISOString(), time_zone: 'UTC' }
    const { bands } = drawn({
      burn_down: points.map((point, at) => ({ ...point, coverage: [0, 0.1, 0.5][at] ?? 1 })),
      ...days(30),
      period,
    })
    expect(bands[0]?.fromSeconds).toBe(Date.parse(starts_at) / 1000)
  })

  test('the burn-down is overspent up to now, and not where the budget comes back', () => {
    const minute = 60_000
    const burn_down = [-100, -300, -600].map((remaining_percent, at) => ({
      timestamp: new Date(now - (2 - at) * 30 * minute).toISOString(),
      remaining_percent,
      ideal_percent: 100 - at * 50,
      coverage: 1,
    }))
    const back = {
      starts_at: new Date(now).toISOString(),
      ends_at: new Date(now + 5 * minute).toISOString(),
      gives_back_percent: 700,
      remaining_after_percent: 100,
    }
    const { times, lines, marks } = drawn({ burn_down, calendar: [back], time_window: '1h' })
    expect(marks.map(({ label }) => label)).toEqual([expect.stringMatching(/^all of it by \d\d:05$/)])
    const ahead = times.filter((at) => at > now / 1000)
    expect(ahead.length).toBeGreaterThan(0)
    const over = lines.find(({ label }) => label === 'Overspent')
    expect(over?.values).toEqual([-100, -300, -600, ...ahead.map(() => null)])
  })

  test('the burn-down reaches below zero where more was used than there is', () => {
    const over = (percent: number) => [
      ...points,
      { timestamp: new Date(now).toISOString(), remaining_percent: percent, ideal_percent: 0, coverage: 1 },
    ]
    expect(drawn({ burn_down: over(-38) }).range[0]).toBeLessThan(-38)
    expect(drawn({ burn_down: over(-43_802) }).range[0]).toBeGreaterThan(-1000)
  })
})
