import { describe, expect, test } from 'bun:test'
import {
  failingSeconds,
  formatCause,
  incidentOf,
  scaledToWindow,
} from '../../../../../src/web/page/pages/slo/incidents/budget-incidents.ts'
import { formatAmount, sentenceOfLabel } from '../../../../../src/web/page/pages/slo/incidents/words.ts'

const plain = (text: string) => text.replaceAll('\u2009', ' ')

test('an amount is events or time', () => {
  expect([formatAmount(1234.4, 'events'), formatAmount(600, 'seconds')].map(plain)).toEqual(['1,234', '10 min'])
})

describe('the sentence of a label says', () => {
  const value = (name: string, failures: number, traffic: number | null) => ({
    value: name,
    bad_events: failures,
    total_events: traffic,
    failures_percent: failures,
    traffic_percent: traffic,
  })
  const label = {
    label: 'route',
    explains: true,
    selects_failures: false,
    values_needed: 1,
    excess_percent: 80,
    values: [value('/pay', 98, 18), value('/cart', 2, 82)],
  }
  test.each([
    ['which value failed more than its share', {}, 'route=/pay has 98 % of the failures with 18 % of the traffic.'],
    [
      'how many did',
      { values_needed: 2 },
      '2 of 2 values of route make up 80 % of what failed beyond the share of traffic.',
    ],
    ['that none did', { explains: false }, 'Failures follow the traffic: no route fails more than its share.'],
    ['how requests failed', { selects_failures: true }, '98 % of the failures are route=/pay.'],
    [
      'in how many ways',
      { selects_failures: true, values_needed: 2 },
      '2 of 2 values of route make up 80 % of the failures.',
    ],
    [
      'nothing of traffic that is not known',
      { values: [value('', 98, null)] },
      'route=(none) has 98 % of the failures.',
    ],
  ])('%s', (_, change, sentence) => {
    expect(plain(sentenceOfLabel({ ...label, ...change }))).toBe(sentence)
  })
  test('its name and value', () => expect(formatCause({ label: 'zone', value: 'b' })).toBe('zone=b'))
})

const relapsed = { bad_events: 390, failing_seconds: 420, ended_at: '2026-03-02T10:13:00Z' } // of 13 min

test('an incident failed without the good minutes in between, and where time is counted for as long as it used', () => {
  expect([failingSeconds(relapsed, 'events', null), failingSeconds(relapsed, 'seconds', null)]).toEqual([420, 390])
})

test.each(['events', 'seconds'] as const)('an incident of %s that still fails has failed up to now', (unit) => {
  const nowMs = Date.parse('2026-03-02T10:13:21Z')
  expect(failingSeconds(relapsed, unit, nowMs)).toBe(420 + 21)
})

test('any second of an incident selects it', () => {
  const begin = Date.parse('2026-11-21T10:00:00Z') / 1000
  const time = (seconds: number) => new Date(1000 * (begin + seconds)).toISOString()
  const rest = {
    id: null,
    severity: null,
    ongoing: false,
    duration_seconds: 600,
    failing_seconds: 600,
    stretches: [],
    resolution_seconds: 60,
    bad_events: 1,
    total_events: 2,
    peak_percent: 50,
    budget_used_percent: 1,
    cause: null,
  }
  const one = { key: String(begin), began_at: time(26), ended_at: time(600), ...rest }
  for (const second of [0, 599]) expect(incidentOf([one], String(begin + second))).toBe(one)
  for (const key of ['', 'x', `${begin - 1}`, `${begin + 600}`, '1e9']) expect(incidentOf([one], key)).toBeUndefined()
})

test('shares of the time with data are scaled to the budget of the whole window, and still add up', () => {
  const of = { budget_used_percent: 400, background_percent: 40, incidents: [{ budget_used_percent: 360 }] }
  expect(scaledToWindow(of, 10)).toEqual({
    budget_used_percent: 10,
    background_percent: 1,
    incidents: [{ budget_used_percent: 9 }],
  })
  expect(scaledToWindow(of, null)).toBe(of)
  const nothing = { budget_used_percent: 0, background_percent: 0, incidents: [] }
  expect(scaledToWindow(nothing, 0)).toBe(nothing)
})
