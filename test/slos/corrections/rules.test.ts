import { expect, test } from 'bun:test'
import { excludedSpans, type ExclusionRule } from '../../../src/slos/corrections/rules.ts'
import { gapsIn, secondsOf, type TimeSpan, unionOf } from '../../../src/slos/corrections/spans.ts'
import { seeded } from '../../support/seeded.ts'

const seconds = (iso: string) => Date.parse(iso) / 1000

/** Minutes of spans in a window of this many minutes, one by one. */
const minutesOf = (spans: readonly TimeSpan[], minutes: number) =>
  Array.from({ length: minutes }, (_, n) => spans.some((one) => one.startSeconds <= 60 * n && 60 * n < one.endSeconds))

test('excluded minutes are those that any rule touches, counted one by one', () => {
  const random = seeded(9)
  const minutes = 500
  for (let run = 0; run < 200; run += 1) {
    const rules = Array.from({ length: Math.floor(random() * 6) }, (_, correction): ExclusionRule => {
      const from = Math.floor(random() * 33_000) - 2000
      return { correction, from, to: from + 1 + Math.floor(random() * 4000) }
    })
    const touched = Array.from({ length: minutes }, (_, n) =>
      rules.some((rule) => 'from' in rule && rule.from < 60 * (n + 1) && rule.to > 60 * n),
    )
    const window = { startSeconds: 0, endSeconds: 60 * minutes }
    const spans = excludedSpans(rules, window)
    expect(minutesOf(spans, minutes)).toEqual(touched)
    expect(secondsOf(spans)).toBe(60 * touched.filter(Boolean).length)
    const gaps = gapsIn(spans, window)
    expect(minutesOf(gaps, minutes)).toEqual(touched.map((is) => !is))
    expect(unionOf([...gaps, ...spans])).toEqual([window])
  }
})

test.each([
  ['2026-03-29', 10, 'of 10 hours on a day of 23'],
  ['2026-10-25', 10, 'of 10 hours on a day of 25'],
  ['2026-12-25', 0, 'of none on a holiday'],
])('service hours of %s are %d', (date, hours) => {
  const rule: ExclusionRule = {
    service: {
      time_zone: 'Europe/Zurich',
      hours: [{ days: [1, 2, 3, 4, 5, 6, 7], from: '08:00', to: '18:00' }],
      holidays: ['2026-12-25'],
    },
  }
  const start = seconds(`${date}T00:00Z`)
  const window = { startSeconds: start, endSeconds: start + 86_400 }
  expect(86_400 - secondsOf(excludedSpans([rule], window))).toBe(hours * 3600)
})

test('hours up to midnight touch those of the next day', () => {
  const service = {
    time_zone: 'UTC',
    hours: [
      { days: [1, 2], from: '20:00', to: '24:00' },
      { days: [2], from: '00:00', to: '06:00' },
    ],
    holidays: [],
  }
  const start = seconds('2026-11-23T00:00Z') // a Monday
  const spans = gapsIn(excludedSpans([{ service }], { startSeconds: start, endSeconds: start + 2 * 86_400 }), {
    startSeconds: start,
    endSeconds: start + 2 * 86_400,
  })
  expect(spans.map((one) => [one.startSeconds - start, one.endSeconds - start].map((s) => s / 3600))).toEqual([
    [20, 30],
    [44, 48],
  ])
})
