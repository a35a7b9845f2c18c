import { expect, test } from 'bun:test'
import type { Rule } from '../../../../../src/web/page/api/history.ts'
import { alertTitle, isCovering, rulesFor, tierSentence } from '../../../../../src/web/page/incidents/alert-words.ts'
import { valueText } from '../../../../../src/web/page/slo/change-words.ts'
import { readRange, viewOf } from '../../../../../src/web/page/pages/slo/over-time/range.ts'
import { queryOf, urlWith } from '../../../../../src/web/page/address/url.ts'

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
  [{}, 'critical', 'status critical'],
  [{}, 'warning', 'status warning'],
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

test.each([
  ['target', 99.95, `99.95${thin}%`],
  ['time_window', '30d', `30${thin}d`],
  ['labels', { tier: '1', team: 'shop' }, 'tier=1, team=shop'],
  ['labels', {}, 'none'],
  ['good_query', null, 'none'],
  ['bad_query', null, 'none'],
  ['burn_rate_tiers', null, 'the standard ones'],
  ['budget_thresholds', null, 'the standard ones'],
  ['budget_thresholds', [], 'none'],
  ['budget_thresholds', [50, 0], `50${thin}%, 0${thin}%`],
  ['threshold_op', 'lte', '≤'],
  [
    'burn_rate_tiers',
    [{ severity: 'page', factor: 14.4, long_window: '1h', short_window: '5m', min_events: 0, enabled: false }],
    `page 14.4× over 1${thin}h and 5${thin}min, off`,
  ],
])('%s %p is shown as %p', (field, value, text) => {
  expect(valueText(field, value)).toBe(text)
})

test('an address keeps what is not changed of its query', () => {
  expect(urlWith('/slos/1?chart=burn&range=24h', { range: null, from: '5' })).toBe('/slos/1?chart=burn&from=5')
  expect(urlWith('/slos/1?range=24h', { range: null })).toBe('/slos/1')
  expect(queryOf('/slos/1?chart=burn', 'chart')).toBe('burn')
  expect(queryOf('/slos/1', 'chart')).toBe('')
})

test('a range that reaches into the time to come ends now, and all charts show what was chosen', () => {
  const now = Date.parse('2026-11-22T14:00:30Z')
  const range = readRange(`from=${now - 3_600_000}&to=${now + 3_600_000}`, '30d', now)
  expect(range).toMatchObject({ name: 'custom', toMs: now })
  expect(range.query).toContain('end=2026-11-22T14:00:30.000Z')
  expect(viewOf(range, '30d')).toEqual({ fromSeconds: range.fromMs / 1000, toSeconds: now / 1000 })
  expect(viewOf(readRange('', '30d', now), '30d')).toBeNull()
  expect(readRange(`from=${now + 1}&to=${now + 3_600_000}`, '30d', now).name).toBe('30d')
})
