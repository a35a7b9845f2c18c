import { expect, test } from 'bun:test'
import { incident } from '../../incidents/incident.ts'
import { nowSentence } from '../../../../../src/web/page/pages/slo/now-sentence.ts'

type StatedBudget = Parameters<typeof nowSentence>[0]
type Known = NonNullable<Parameters<typeof nowSentence>[2]> & { secondsAgo?: number }

const now = Date.parse('2026-11-22T14:00:00Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()
const events = { good: 999, total: 1000, bad: 1, allowed_bad: 1, remaining_bad: 0 }
const day = 86_400

/** An SLO of 99.9 % and 30 days with `left` percent of its budget, which lasts `lasts` seconds. */
const stated = (
  state: StatedBudget['state'],
  left: number | null,
  lasts: number | null,
  change: Partial<StatedBudget> = {},
): StatedBudget => ({
  target: 99.9,
  time_window: '30d',
  window_seconds: 2_592_000,
  state,
  state_since: at(-480),
  state_reason: null,
  burn_rate_now: null,
  error_budget: {
    total: 0.1,
    used: null,
    remaining: null,
    percentage_used: left === null ? null : 100 - left,
    percentage_remaining: left,
    window_percent_used: left === null ? null : 100 - left,
    window_percent_estimated: false,
  },
  events: null,
  calendar: [],
  forecast: {
    exhausted: false,
    exhausts_at: lasts === null ? null : at(lasts),
    burn_rate: 0.5,
    basis: '',
    basis_window: '24h',
    basis_seconds: day,
    reason: null,
  },
  ...change,
})
const outage: NonNullable<Known['incident']> = incident({
  state: 'recovering',
  duration_seconds: 720,
  budget_percent: 27.8,
  recovered_at: at(-240),
})
const check = (seconds: number, error: string | null = null) => {
  return { at: at(seconds), probe: 'site', ok: error === null, duration_ms: 12, error }
}
const back = (seconds: number, gives: number, left: number) => ({
  starts_at: at(seconds),
  ends_at: at(seconds + day),
  gives_back_percent: gives,
  remaining_after_percent: left,
})

const sentences: [string, StatedBudget, Known?][] = [
  [
    'Down since 13:52 (8 min): HTTP 503, expected 200. 8 of the 43 min that 30 days allow are used; the rest is gone in 35 min.',
    stated('down', 100 - (100 * 480) / 2592, 2100, { state_reason: 'HTTP 503, expected 200' }),
  ],
  [
    'Down since 13:59. 99 % of the budget is left, 2 h at this rate.',
    stated('down', 99, 7200, { state_since: at(-30), events }),
  ],
  ['Down since 13:52 (8 min). The 43 min that 30 days allow are used 3.2 times over.', stated('down', -220, null)],
  [
    'Burning 171 times too fast since 13:52: route=/checkout has 100 % of the failures. 4.3 % of the budget is left, 11 min at this rate.',
    stated('burning_fast', 4.3, 660, {
      burn_rate_now: 171,
      events,
      state_reason: 'route=/checkout has 100 % of the failures',
    }),
  ],
  [
    'Burning 171 times too fast since 13:52: route=/pay has 100 % of the failures. 4.3 % of the budget is left, 11 min at this rate.',
    stated('burning_fast', 4.3, 660, {
      burn_rate_now: 171,
      events,
      state_reason: 'route=/pay has 100 % of the failures',
    }),
  ],
  [
    'Burning 3.2 times too fast since 13:52. 20 % of the budget is left, 2 d 4 h at the rate of the last day.',
    stated('burning', 20, 187_200, { burn_rate_now: 3.2, events }),
  ],
  [
    'Burning too fast since 13:52. The budget is used over 10 times.',
    stated('burning', -2000, null, { burn_rate_now: 0.4, events }),
  ],
  [
    'Up again for 4 min. The outage of 12 min used 28 % of the budget; 15 of 43 min are left until Sun 6 Dec gives 13 % back.',
    stated('recovering', 35, null, {
      state_since: at(-240),
      calendar: [back(14 * day - 14 * 3600, 13, 48)],
    }),
    { incident: outage },
  ],
  [
    'Up again. The budget is used 1.3 times over; 90 % of it comes back on Sun 6 Dec.',
    stated('recovering', -30, null, {
      state_since: at(-20),
      events,
      calendar: [back(14 * day - 14 * 3600, 90, 60)],
    }),
  ],
  [
    'Up again. The budget is used 7.7 times over; all of it comes back on Sun 6 Dec.',
    stated('recovering', -670, null, {
      state_since: at(-20),
      events,
      calendar: [back(14 * day - 14 * 3600, 770, 100)],
    }),
  ],
  [
    'Up again. The 43 min that 30 days allow are used 7.7 times over; 288 min of failures leave the window on Sun 6 Dec.',
    stated('recovering', -670, null, {
      state_since: at(-20),
      calendar: [back(14 * day - 14 * 3600, 667, -3)],
    }),
  ],
  [
    'Up again. The budget is used 7.7 times over; 6.7 budgets of failures leave the window on Sun 6 Dec.',
    stated('recovering', -670, null, {
      state_since: at(-20),
      events,
      calendar: [back(14 * day - 14 * 3600, 667, -3)],
    }),
  ],
  ['Up again. 72 % of the budget is left.', stated('recovering', 72, null, { state_since: at(-20), events })],
  [
    'The budget is spent (used 3.2 times over): 12 h until some comes back.',
    stated('spent', -220, null, { calendar: [back(6 * 3600, 10, -210), back(12 * 3600, 300, 90)] }),
  ],
  ['The budget is spent, and nothing burns now.', stated('spent', 0, null)],
  [
    'No answer since 13:52; it was down before. 76 % of the budget was left then.',
    stated('unknown', 76, 600, { state_reason: 'source_error', was: 'down' }),
  ],
  [
    'Paused since 13:52. 76 % of the budget was left then.',
    stated('unknown', 76, 600, { state_reason: 'paused', was: 'burning' }),
  ],
  [
    'Maintenance until 14:30: nothing counts until then. 33 of 43 min are left.',
    stated('maintenance', 76, null, { state_reason: at(1800) }),
  ],
  ['Maintenance: nothing counts. 76 % of the budget is left.', stated('maintenance', 76, null, { events })],
  ['No traffic since 13:52.', stated('unknown', null, null, { state_reason: 'no_traffic' })],
  [
    'Measuring again: the figures are of 13:56, new ones come within a minute or two.',
    stated('measuring', 17, null, {
      measured_since: at(-60),
      status_reason: 'warming_up',
      sli: 83.3,
      measured_at: at(-240),
    }),
  ],
  [
    'Measuring since 13:59: the first figures come within a minute or two.',
    stated('measuring', null, null, { measured_since: at(-60) }),
  ],
  [
    'Measuring: the first check ran at 13:59 and was good; figures at 14:00.',
    stated('measuring', null, null, { measured_since: at(-70) }),
    { checks: { next_at: at(20), checks: [check(-10), check(-40)] }, secondsAgo: 5 },
  ],
  [
    'Measuring: the first check ran at 13:58 and was good; figures in a moment.',
    stated('measuring', null, null, { measured_since: at(-70) }),
    { checks: { next_at: at(20), checks: [check(-70)] }, secondsAgo: 52 },
  ],
  [
    'Measuring: the first check ran at 13:57 and failed (HTTP 503); figures come within a minute or two.',
    stated('measuring', null, null, { measured_since: at(-200) }),
    { checks: { next_at: at(20), checks: [check(-10), check(-170, 'HTTP 503')] } },
  ],
  [
    'Measuring: the first check ran at 13:58 and was good; figures at 13:59.',
    stated('measuring', null, null, { measured_since: at(-60) }),
    {
      checks: {
        next_at: at(20),
        checks: Array.from({ length: 30 }, (_, of) => ({ ...check(-70), probe: `site ${of}` })),
      },
      secondsAgo: 65,
    },
  ],
  [
    'Measuring since 13:55: the first figures come within a minute or two.',
    stated('measuring', null, null, { measured_since: at(-300) }),
    { checks: { next_at: at(20), checks: Array.from({ length: 20 }, (_, ago) => check(-10 - 15 * ago)) } },
  ],
  [
    'Measuring: the first check runs at 13:00:20, figures come a minute later.',
    stated('measuring', null, null, { measured_since: at(-5) }),
    { checks: { next_at: at(20), checks: [] } },
  ],
  [
    'Measuring since 13:59: the first figures come within a minute or two.',
    stated('measuring', null, null, { measured_since: at(-60) }),
    { checks: { next_at: null, checks: [] } },
  ],
  ['On track: 76 % of the budget is left, and at the rate of the last day it lasts.', stated('ok', 76, null)],
  ['On track: 76 % of the budget is left, enough for 12 d at the rate of the last day.', stated('ok', 76, 12 * day)],
  ['On track now, but the budget is used 8 times over.', stated('ok', -700, null, { events })],
  ['On track: nothing of the budget is used.', stated('ok', 100, null)],
  [
    'Checking again: HTTP 503, expected 2xx. 42.9 of 43 min are left.',
    stated('ok', 99.6, null, { state_reason: 'HTTP 503, expected 2xx' }),
  ],
  [
    'On track: 99.6 % of the budget is left, and at the rate of the last day it lasts. The last minutes burned 171 times too fast.',
    stated('ok', 99.6, null, { burn_rate_now: 171 }),
  ],
  [
    'On track: 99.6 % of the budget is left, and at the rate of the last day it lasts.',
    stated('ok', 99.6, null, { burn_rate_now: 0.9 }),
  ],
]

test.each(sentences.map(([text, slo, known = {}]) => [text, slo, known] as const))('%s', (sentence, slo, known) => {
  const { secondsAgo = 0, ...rest } = known
  const text = nowSentence(slo, now - 1000 * secondsAgo, rest).replaceAll('\u2009', ' ')
  expect(text.replaceAll(/\b\d\d:(\d\d)\b/g, '13:$1')).toBe(sentence.replaceAll(/\b\d\d:(\d\d)\b/g, '13:$1')) // in the zone of the test
})
