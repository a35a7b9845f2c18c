import { describe, expect, test } from 'bun:test'
import type { Rule } from '../../../../src/web/page/api/history.ts'
import {
  alertTitle,
  burnWords,
  costWords,
  isCovering,
  rulesFor,
  tierSentence,
} from '../../../../src/web/page/incidents/alert-words.ts'

const thin = '\u2009'

test.each([
  [14.4, '1h', '5m', '30d', `14.4× over 1${thin}h and 5${thin}min: budget gone in 50${thin}h`],
  [1, '72h', '6h', '30d', `1× over 72${thin}h and 6${thin}h: budget gone in 30${thin}d`],
  [3, '2h', '10m', '24h', `3× over 2${thin}h and 10${thin}min: budget gone in 8${thin}h`],
  [3, '5m', '1m', '1h', `3× over 5${thin}min and 1${thin}min: budget gone in 20${thin}min`],
])('a tier of %p over %p and %p of a window of %p: %p', (factor, long_window, short_window, window, sentence) => {
  expect(tierSentence({ factor, long_window, short_window }, window)).toBe(sentence)
})

test.each([
  [{ long_window: '6h', short_window: '30m' }, 'ticket', `ticket, 6${thin}h and 30${thin}min`],
  [{ threshold_percent: 25 }, 'warning', `25${thin}% of the budget left`],
  [{ threshold_percent: 0 }, 'critical', 'budget used up'],
  [{}, 'critical', 'target missed, budget low'],
  [{}, 'warning', 'target missed'],
  [{ kind: 'down' as const }, 'critical', 'down'],
  [{ condition: 'disk_full' }, 'critical', 'disk full'],
])('the alert with %p of %p is called %p', (parts, severity, title) => {
  const none = {
    kind: 'status' as const,
    long_window: null,
    short_window: null,
    threshold_percent: null,
    condition: null,
  }
  expect(alertTitle({ ...none, ...parts, severity })).toBe(title)
})

const rule = (change: Partial<Rule> = {}, channel: Partial<Rule['channel']> = {}): Rule => ({
  id: 1,
  slo_id: 1,
  selector: null,
  channel_id: 1,
  alert_type: 'burn_rate_too_fast',
  severity: null,
  priority: 'high',
  subject: null,
  message: null,
  max_retries: 3,
  min_interval_seconds: 0,
  enabled: true,
  created_at: '',
  updated_at: '',
  ...change,
  channel: { name: 'on call', channel_type: 'webhook', enabled: true, health: 'healthy', last_error: null, ...channel },
})

test.each([
  ['a rule of tiers', rule(), { kind: 'tier', severity: 'page' }, true],
  ['a rule of pages', rule({ severity: 'page' }), { kind: 'tier', severity: 'ticket' }, false],
  ['a rule that is off', rule({ enabled: false }), { kind: 'tier', severity: 'page' }, false],
  ['a channel that is off', rule({}, { enabled: false }), { kind: 'tier', severity: 'page' }, false],
  ['a low budget', rule({ alert_type: 'error_budget_low' }), { kind: 'threshold', percent: 25 }, true],
  ['a low budget', rule({ alert_type: 'error_budget_low' }), { kind: 'threshold', percent: 0 }, false],
  ['a used budget', rule({ alert_type: 'error_budget_exhausted' }), { kind: 'threshold', percent: 0 }, true],
  ['the other name', rule({ alert_type: 'slo_below_target' }), { kind: 'status', status: 'critical' }, true],
  ['a warning', rule({ alert_type: 'warning' }), { kind: 'status', status: 'critical' }, false],
] as const)('%s notifies of an alert: %#', (_, one, alert, isNotified) => {
  expect(rulesFor([one], alert)).toHaveLength(isNotified ? 1 : 0)
})

test('a rule of recoveries alone covers nothing', () => {
  expect(isCovering(rule())).toBe(true)
  expect(isCovering(rule({ alert_type: 'recovery' }))).toBe(false)
  expect(isCovering(rule({}, { enabled: false }))).toBe(false)
})

describe('words of an alert', () => {
  test('what it cost: to a tenth below ten percent, and about so much where it is known by the hour', () => {
    const words = [
      [61.2, 60],
      [2.24, 3600],
      [0.02, 3600],
      [0, 3600],
      [null, null],
    ] as const
    expect(
      words.map(([budget_percent, budget_resolution_seconds]) =>
        costWords({ budget_percent, budget_resolution_seconds }),
      ),
    ).toEqual(['61\u2009%', 'about 2.2\u2009%', '< 0.1\u2009%', '0\u2009%', '–'])
  })

  test('how fast the budget burns, by both burn rates', () => {
    const rate = { factor: 6, long_window: '6h', short_window: '30m' }
    const words = (long: number | null, short: number) => burnWords({ burn_rate: { ...rate, long, short } })
    expect([words(6.1, 7), words(6.1, 5), words(null, 5), burnWords({ burn_rate: null })]).toEqual([
      'Burning 6.1× over 6\u2009h',
      '6.1× over 6\u2009h',
      undefined,
      undefined,
    ])
  })
})
