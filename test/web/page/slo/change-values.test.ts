import { expect, test } from 'bun:test'
import { valueText } from '../../../../src/web/page/slo/change-values.ts'

const thin = '\u2009'

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
  ['service_hours', null, 'at all times'],
  [
    'service_hours',
    {
      time_zone: 'Europe/Zurich',
      hours: [
        { days: [1, 2, 3, 4, 5], from: '08:00', to: '18:00' },
        { days: [6, 7], from: '10:00', to: '24:00' },
      ],
      holidays: ['2026-12-25'],
    },
    'Mon to Fri 08:00 to 18:00; Sat, Sun 10:00 to 24:00 (Europe/Zurich), not on 2026-12-25',
  ],
  [
    'burn_rate_tiers',
    [{ severity: 'page', factor: 14.4, long_window: '1h', short_window: '5m', min_events: 0, enabled: false }],
    `Page (urgent) 14.4× over 1${thin}h and 5${thin}min, off`,
  ],
  [
    'burn_rate_tiers',
    [{ severity: 'page', factor: 6, long_window: '6h', short_window: '30m', min_events: 20, enabled: true }],
    `Page (urgent) 6× over 6${thin}h and 30${thin}min, from 20 failed events on`,
  ],
  [
    'composite',
    {
      method: 'weighted',
      members: [
        { slo_id: 3, weight: 2 },
        { slo_id: 4, weight: 1 },
      ],
      on_unknown_member: 'leave_out',
    },
    'The mean of its members, by weight: number 3 × 2, number 4. While a member is unknown: It is left out',
  ],
])('%s %p is shown as %p', (field, value, text) => {
  expect(valueText(field, value)).toBe(text)
})
