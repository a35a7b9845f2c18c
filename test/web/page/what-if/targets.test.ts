import { describe, expect, test } from 'bun:test'
import { nearestStop, readTarget, sliderTargets } from '../../../../src/web/page/what-if/targets.ts'
import { readTiers } from '../../../../src/web/page/what-if/tiers.ts'
import { standardTiers } from '../../../../src/slos/arithmetic/tiers.ts'
import {
  alertsSentence,
  allowedSentence,
  exhaustionText,
  pastWords,
  summaryOf,
} from '../../../../src/web/page/what-if/words.ts'
import { existingSeconds, type WhatIf } from '../../../../src/web/page/what-if/what-if.ts'

describe('the slider of targets', () => {
  test('the slider of targets has nine stops in each place of nines, in order and without the dust of fractions', () => {
    expect(sliderTargets.slice(0, 7)).toEqual([50, 60, 70, 80, 85, 90, 91])
    expect(sliderTargets.slice(13)).toEqual([
      98, 99, 99.1, 99.2, 99.3, 99.4, 99.5, 99.6, 99.7, 99.8, 99.9, 99.91, 99.92, 99.93, 99.94, 99.95, 99.96, 99.97,
      99.98, 99.99, 99.991, 99.992, 99.993, 99.994, 99.995, 99.996, 99.997, 99.998, 99.999,
    ])
  })

  test.each([
    [99.9, 99.9],
    [99.96, 99.96],
    [99.123, 99.1],
    [10, 50],
    [99.99999, 99.999],
    [100, 99.999],
  ])('the slider of targets stands for %p at %p', (target, stop) => {
    expect(sliderTargets[nearestStop(target)]).toBe(stop)
  })
})

test.each([
  ['99.9', 99.9],
  [' 99,95 ', 99.95],
  ['100', 100],
  ['0', null],
  ['100.1', null],
  ['', null],
  ['high', null],
])('the typed target %p is %p', (text, target) => {
  expect(readTarget(text)).toBe(target)
})

describe('an SLO with tiers of its own', () => {
  const tier = { severity: 'page', long_window: '1h', short_window: '5m', factor: 2, min_events: 50, enabled: true }

  test('an SLO with tiers of its own has those that are on, whatever the window', () => {
    expect(readTiers([tier, { ...tier, factor: 9, enabled: false }], '7d')).toEqual([
      { severity: 'page', longSeconds: 3600, shortSeconds: 300, factor: 2, minEvents: 50 },
    ])
    expect(readTiers(null, '7d')).toEqual(standardTiers('7d'))
  })
})

describe('what would be said', () => {
  const would: WhatIf = {
    targetPercent: 99.9,
    usedPercent: 66,
    events: { bad: 68_430, total: 103_679_000, allowed: 103_679.4 },
    minutes: 43.2,
    exhaustedSeconds: null,
    alerts: [],
    alertsFromSeconds: 0,
    alertsToSeconds: 30 * 86_400,
  }
  const tier = { severity: 'page' as const, longSeconds: 3600, shortSeconds: 300, factor: 14.4, minEvents: 0 }
  const alert = { tier, peak: 20, startedSeconds: 600, endedSeconds: 1920 }

  test('names what is left, and counts pages and tickets', () => {
    expect(summaryOf(would)).toBe('34\u2009% left; none in 30\u2009d.')
    expect(summaryOf({ ...would, alerts: [alert, alert], alertsToSeconds: 86_400 })).toBe(
      '34\u2009% left; 2 pages in 24\u2009h.',
    )
    expect(summaryOf({ ...would, usedPercent: 320 })).toBe('used 3.2 times over; none in 30\u2009d.')
    expect(summaryOf({ ...would, usedPercent: 44_444 })).toBe('used over 10 times; none in 30\u2009d.')
  })

  test('what would be said says of an SLO over checks that its outages are not among the alerts', () => {
    expect(alertsSentence(would, [null, 'rate(errors[5m])', 'rate(requests[5m])'])).toBe(
      'Burn-rate alerts: none in 30\u2009d.',
    )
    expect(alertsSentence(would, ['avg_over_time(probe_success{job="site"}[5m])'])).toBe(
      'Burn-rate alerts: none in 30\u2009d. Outages are not counted here: checks that fail notify by themselves, whatever the target.',
    )
  })

  test('names no more of the past than exists', () => {
    const measured = { window: '30d' as const, wholeSeconds: 2_592_000 }
    expect(pastWords({ measured, share: 1 })).toBe('the last 30\u2009d')
    const young = { measured, share: 12 / 43_200 }
    expect(existingSeconds(young)).toBeCloseTo(720, 6)
    expect(pastWords(young)).toBe('the 12\u2009min since there is data')
    expect(exhaustionText(would, 0, young.share)).toBe('')
  })

  test.each([
    [10, 0.1, 'none of 10 events may fail'],
    [20, 1.2, '1 of 20 events may fail'],
  ])('of %p events with a budget of %p failures, %p', (total, allowed, text) => {
    expect(allowedSentence({ minutes: 43.2, events: { bad: 0, total, allowed } })).toBe(text)
  })

  test.each([
    [43.2, 103_679.4, '43.2\u2009min or 103,679 failures allowed'],
    [129.6, 1.9, '2\u2009h 10\u2009min or 1 failure allowed'],
    [0.72, 0.4, '43\u2009s or 0 failures allowed'],
  ])('may fail for %p minutes, or %p events', (minutes, allowed, text) => {
    expect(allowedSentence({ minutes, events: { bad: 0, total: 0, allowed } })).toBe(text)
  })

  test('what would be said says whether the budget is gone, and since when where that is known', () => {
    const gone = { ...would, usedPercent: 120 }
    const nowMs = Date.UTC(2026, 10, 22, 14)
    expect(exhaustionText(would, nowMs)).toBe('never used up')
    expect(exhaustionText(gone, nowMs)).toBe('used up')
    expect(exhaustionText({ ...gone, exhaustedSeconds: nowMs / 1000 - 3600 }, nowMs)).toMatch(/^used up since \d\d:00$/)
  })
})
