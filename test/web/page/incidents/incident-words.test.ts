import { describe, expect, test } from 'bun:test'
import { formatSecond } from '../../../../src/web/page/format.ts'
import { budgetWords, costWords } from '../../../../src/web/page/incidents/alert-words.ts'
import {
  byAttention,
  incidentSentence,
  hasOpenIncident,
  openOf,
  stateWord,
  toneOf,
  whatFails,
} from '../../../../src/web/page/incidents/incident-words.ts'
import {
  fixLinkOf,
  newestMessages,
  notifiedSentence,
  notNotifiedWords,
} from '../../../../src/web/page/incidents/notified-words.ts'
import { at, incident, nowMs, sent } from './incident.ts'

type NotNotified = Parameters<typeof fixLinkOf>[0][number]

const clock = (minutes: number) => formatSecond(nowMs + minutes * 60_000, nowMs).slice(0, 5)
const plain = (text: string) => text.replaceAll('\u2009', ' ')

const up = { state: 'recovering', recovered_at: at(-4), duration_seconds: 720 } as const
const checkoutFails = {
  label: 'route',
  value: '/checkout',
  failures_percent: 100,
  traffic_percent: 32,
  text: 'route=/checkout has 100 % of the failures with 32 % of the traffic',
}
const closed = { state: 'closed', closed_at: at(-1), duration_seconds: 720 } as const

test('an SLO has an open incident among those that are shown, unless it is closed or of another', () => {
  expect(hasOpenIncident(1, incident({ slo_id: 2 }), incident())).toBe(true)
  expect(hasOpenIncident(1, undefined, incident({ slo_id: 2 }), incident(closed))).toBe(false)
})

test.each([
  [{}, 'critical', 'Down 8 min'],
  [{ since: at(-0.5) }, 'critical', 'Down'],
  [{ state: 'burning_fast', burn_rate_now: 171.4 }, 'critical', 'Burning 171×'],
  [{ state: 'burning', burn_rate_now: 0.4, peak_burn_rate: 3.2 }, 'warning', 'Burning 3.2×'],
  [{ state: 'burning', burn_rate_now: null, peak_burn_rate: null }, 'warning', 'Burning'],
  [up, 'healthy', 'Up again for 4 min'],
  [{ state: 'unknown' }, 'unknown', 'No news, was down'],
  [{ state: 'unknown', reason: null }, 'unknown', 'No news, was burning'],
  [{ ...closed, close_reason: 'recovered' }, 'critical', 'Over'],
  [{ ...closed, close_reason: 'by_hand', closed_by: 'Ada', severity: 'warning' }, 'warning', 'Closed by Ada'],
  [{ ...closed, close_reason: 'not_evaluated' }, 'critical', 'Not known to be up'],
] as const)('an incident with %p is %s: %p', (change, tone, word) => {
  const one = incident(change)
  expect([toneOf(one), plain(stateWord(one, nowMs))]).toEqual([tone, word])
})

test.each([
  [{}, '40 % of the budget so far'],
  [{ budget_percent: 4.25 }, '4.3 % of the budget so far'],
  [{ ...up, budget_percent: 28 }, '28 % of the budget'],
  [{ budget_percent: 320 }, '3.2 times the budget so far'],
  [{ ...closed, recovered_at: at(-5), budget_percent: 43_802 }, 'over 10 times the budget'],
  [{ budget_percent: null }, null],
] as const)('the cost of an incident with %p is %p', (change, words) => {
  const said = budgetWords(incident(change))
  expect(said && plain(said)).toBe(words)
})

test('below a heading that says "Budget", the cost is only the share', () => {
  expect(budgetWords(incident({}), costWords)).toBe('40\u2009% so far')
})

test('the sentence of an incident is true at its moment', () => {
  const sentence = (change: Parameters<typeof incident>[0]) => plain(incidentSentence(incident(change), nowMs))
  expect(sentence({})).toBe(`Down since ${clock(-8)} (8 min): HTTP 503. It used 40 % of the budget so far.`)
  expect(sentence({ state: 'burning_fast', burn_rate_now: 171, reason: null, budget_percent: null })).toBe(
    `Burning 171× since ${clock(-8)} (8 min).`,
  )
  expect(sentence({ since: at(-2), relapses: 2 })).toBe(
    `Down since ${clock(-2)} (2 min): HTTP 503. It used 40 % of the budget so far. It began ${clock(-8)} and has failed again 2 times since.`,
  )
  expect(sentence(up)).toBe(
    'Up again for 4 min. It failed for 12 min and used 40 % of the budget. It is over when nothing fails for 15 min.',
  )
  expect(sentence({ state: 'unknown', budget_percent: null })).toBe(
    `No news of it. It had been down since ${clock(-8)}: HTTP 503.`,
  )
  expect(sentence({ ...closed, recovered_at: at(-16), close_reason: 'recovered' })).toBe(
    `Over since ${clock(-16)}. It lasted 12 min and used 40 % of the budget: HTTP 503.`,
  )
  expect(sentence({ ...closed, close_reason: 'by_hand', closed_by: 'Ada', budget_percent: null, reason: null })).toBe(
    `Closed by Ada ${clock(-1)}. It lasted 12 min.`,
  )
  expect(sentence({ ...closed, close_reason: 'not_evaluated', budget_percent: null, reason: null })).toBe(
    `Closed ${clock(-1)} because its SLO is no longer evaluated: it is not known to be up. It lasted 12 min.`,
  )
})

const of = (notifications: NonNullable<Parameters<typeof notifiedSentence>[0]['notifications']>) =>
  incident({ notifications })

test('who was notified is one entry for each channel, with what arrived before what failed', () => {
  const chat = { channel_id: 2, channel_name: 'Chat' }
  const messages = newestMessages(
    of([
      sent({ status: 'throttled', channel_id: 3 }),
      sent({ sent_at: at(-6) }),
      sent({ ...chat, status: 'failed' }),
      sent({ event: 'recovery', sent_at: at(-1) }),
      sent({ channel_id: 4, channel_name: null, status: 'pending' }),
    ]),
  )
  expect(messages).toEqual([
    { channel: 'On call', atMs: nowMs - 360_000, about: null, isFailed: false, isWaiting: false },
    { channel: 'Chat', atMs: nowMs - 420_000, about: null, isFailed: true, isWaiting: false },
    { channel: 'a deleted channel', atMs: nowMs - 420_000, about: null, isFailed: false, isWaiting: true },
  ])
})

test.each([
  [[], 'Nobody was notified.'],
  [['On call'], 'On call was notified at 00.'],
  [['On call', 'Chat'], 'On call and Chat were notified at 00.'],
  [['#alerts', '$& of #1'], '#alerts and $& of #1 were notified at 00.'],
  [['On call', 'Chat', 'Mail', 'Phone'], 'On call, Chat and 2 more were notified at 00.'],
])('the sentence on who was notified names %p: %p', (names, sentence) => {
  const all = names.map((channel_name, channel_id) => sent({ channel_name, channel_id, sent_at: at(-6) }))
  expect(notifiedSentence(of(all), nowMs).replace(/\d\d:\d\d:/, '')).toBe(sentence)
})

const others = (...reasons: [channel_name: string, reason: NotNotified['reason']][]) =>
  reasons.map(([channel_name, reason], channel_id): NotNotified => {
    return { channel_id, channel_name, channel_type: 'webhook', reason, by: null, until: null, message: null }
  })

test('the sentence on who was notified also names what is being sent and what could not be', () => {
  const chat = { channel_id: 2, channel_name: 'Chat' }
  const failed = sent({ ...chat, status: 'failed' })
  expect(notifiedSentence(of([sent({ sent_at: at(-6) }), failed]), nowMs)).toEndWith('. Chat could not be.')
  expect(notifiedSentence(of([sent({ channel_id: 3, channel_name: 'Mail', status: 'pending' }), failed]), nowMs)).toBe(
    'Mail is being notified.',
  )
  expect(notifiedSentence(of([failed]), nowMs, others(['Mail', 'no_rule'], ['Chat', 'failed']))).toBe(
    'Nobody was notified: the delivery failed (Chat).',
  )
})

describe('the sentence on who was notified of', () => {
  const opened = sent({ incident_event: 'opened', created_at: at(-60), sent_at: at(-60) })
  const relapsed = { relapses: 1, since: at(-10) }
  const chat = { channel_id: 2, channel_name: 'Chat' }

  test.each([
    ['a relapse tells the message on it', [sent({ incident_event: 'again', created_at: at(-9), sent_at: at(-9) })], -9],
    ['a later rise tells that', [sent({ incident_event: 'rose', created_at: at(-4), sent_at: at(-4) })], -4],
  ])('%s', (_, later, minutes) => {
    const text = notifiedSentence(incident({ ...relapsed, notifications: [opened, ...later] }), nowMs)
    expect(text).toBe(`On call was notified at ${formatSecond(nowMs + minutes * 60_000, nowMs)}.`)
  })

  test('a rise names who was notified of the rise', () => {
    const rose = sent({ incident_event: 'rose', created_at: at(-4), sent_at: at(-4) })
    const text = notifiedSentence(of([{ ...opened, ...chat }, opened, rose]), nowMs)
    expect(text).toBe(`On call was notified at ${formatSecond(nowMs - 240_000, nowMs)}.`)
  })

  const ended = (change: Partial<typeof opened> = {}) =>
    sent({ event: 'recovery', incident_event: 'recovered', created_at: at(-3), sent_at: at(-3), ...change })
  const three = formatSecond(nowMs - 180_000, nowMs)

  test.each([
    ['while it recovers', up, [ended()], `was notified at ${three} that it is up again.`],
    ['afterwards', { ...closed, recovered_at: at(-4) }, [ended()], `was notified at ${three} that it is up again.`],
    [
      'in a list',
      up,
      [ended({ incident_event: null, alert_id: null })],
      `was notified at ${three} that it is up again.`,
    ],
    ['by a person', closed, [ended()], `was notified at ${three} of the end.`],
    [
      'not known to be up',
      { ...closed, close_reason: 'not_evaluated' },
      [ended()],
      `was notified at ${three} that it is not known to be up.`,
    ],
    ['that is on its way', up, [ended({ status: 'pending' })], 'is being notified that it is up again.'],
    ['that could not be sent', up, [ended({ status: 'failed' })], 'could not be notified that it is up again.'],
  ] as const)('an end, %s, names the message on it', (_, change, later, words) => {
    expect(notifiedSentence(incident({ ...change, notifications: [opened, ...later] }), nowMs)).toBe(`On call ${words}`)
  })

  test('an end names no message on the end of one of its alerts, of a lower severity, or from before it failed again', () => {
    const others = [
      ended({ incident_event: null }),
      ended({ incident_event: 'rose' }),
      ended({ incident_event: 'acknowledgement', event: 'acknowledgement' }),
    ]
    const hour = formatSecond(nowMs - 3_600_000, nowMs)
    expect(notifiedSentence(incident({ ...up, notifications: [opened, ...others] }), nowMs)).toBe(
      `On call was notified at ${hour}.`,
    )
    const again = sent({ incident_event: 'again', created_at: at(-9), sent_at: at(-9) })
    const before = ended({ created_at: at(-20), sent_at: at(-20) })
    expect(notifiedSentence(incident({ ...relapsed, ...up, notifications: [opened, before, again] }), nowMs)).toBe(
      `On call was notified at ${formatSecond(nowMs - 540_000, nowMs)}.`,
    )
  })

  test('a relapse says nothing while there is no message on it, and says that it failed', () => {
    const again = sent({ incident_event: 'again', created_at: at(-9), status: 'failed' })
    const sentence = (...later: (typeof again)[]) =>
      notifiedSentence(incident({ ...relapsed, notifications: [opened, ...later] }), nowMs, [])
    expect(sentence()).toBe('')
    expect(sentence(again)).toBe('On call could not be notified.')
    expect(sentence({ ...again, status: 'pending' })).toBe('On call is being notified.')
  })
})

test.each([
  [[], 'there is no channel.', 'Make a channel'],
  [[['ntfy', 'no_rule']], 'no rule sends this to ntfy.', 'Notify for this one'],
  [
    [
      ['ntfy', 'no_rule'],
      ['mail', 'no_rule'],
    ],
    'no rule sends this to ntfy and mail.',
    'Notify for this one',
  ],
  [
    [
      ['ntfy', 'no_rule'],
      ['mail', 'silenced'],
    ],
    'silenced (mail).',
    'See the silences',
  ],
  [[['ntfy', 'channel_disabled']], 'the channel is switched off (ntfy).', 'See the channels'],
  [[['ntfy', 'acknowledged']], 'acknowledged before it was due (ntfy).', undefined],
] as [[string, NotNotified['reason']][], string, string | undefined][])(
  'where nobody was notified, %j, the sentence says why: %p, and what mends it: %p',
  (reasons, why, mend) => {
    const channels = others(...reasons)
    expect(notifiedSentence(of([]), nowMs, channels)).toBe(`Nobody was notified: ${why}`)
    expect(fixLinkOf(channels, 7)?.label).toBe(mend as string)
  },
)

test.each([
  [{ reason: 'failed', message: 'HTTP 410' }, 'the delivery failed: HTTP 410'],
  [{ reason: 'channel_disabled' }, 'the channel is switched off'],
  [{ reason: 'no_rule' }, 'no rule sends this to it'],
  [{ reason: 'acknowledged', by: 'Ada' }, 'acknowledged by Ada before it was due'],
  [{ reason: 'silenced', by: 'Ada', until: at(30), message: 'moving' }, `silenced by Ada until ${clock(30)}: moving`],
  [{ reason: 'silenced', by: null, until: null }, 'silenced'],
  [{ reason: 'throttled', until: at(10) }, `its rule sends nothing again until ${clock(10)}`],
  [{ reason: 'throttled' }, 'the same text was sent a short time ago'],
  [{ reason: 'next_evaluation' }, 'its rule is new, it is notified in a minute'],
  [{ reason: 'inhibited' }, 'something worse fails at the same time, which no rule sends to it'],
] as const)('a channel that was not notified, with %p, says %p', (change, words) => {
  const none = { channel_id: 1, channel_name: 'Chat', channel_type: 'webhook', by: null, until: null, message: null }
  expect(notNotifiedWords({ ...none, ...change }, nowMs)).toBe(words)
})

test.each([
  [{}, 'HTTP 503'],
  [{ reason: null, state: 'burning_fast', burn_rate_now: 171, peak_burn_rate: 171 }, '–'],
  [{ reason: null, state: 'burning_fast', burn_rate_now: 60, peak_burn_rate: 171 }, 'At most 171×'],
  [{ reason: null, state: 'recovering', peak_burn_rate: 171 }, 'At most 171×'],
  [{ reason: null, peak_burn_rate: null }, '–'],
  [{ reason: null, state: 'burning_fast', cause: checkoutFails }, checkoutFails.text],
  [{ cause: checkoutFails }, 'HTTP 503'],
] as const)('what fails in an incident with %p is %p', (change, what) => {
  expect(whatFails(incident(change))).toBe(what)
})

test('incidents are in the order of the attention that they need, newest first among equals', () => {
  const states = ['recovering', 'burning', 'down', 'unknown', 'burning_fast', 'down'] as const
  const sorted = byAttention(states.map((state, id) => incident({ state, id })))
  expect(sorted.map(({ id }) => id)).toEqual([2, 5, 4, 3, 1, 0])
})

test.each([
  ['the page has all', 1, false, false, [2, 1]],
  ['a closed one follows on the page', 1, true, true, [2, 1]],
  ['more may follow on the next page', 1, true, false, [1, 2]],
  ['the page continues another', 2, false, false, [1, 2]],
] as const)(
  'open incidents of a list are sorted by attention only if the page has all of them: %s',
  (_, page, has_next, hasClosed, expected) => {
    const open = [incident({ id: 1, state: 'burning' }), incident({ id: 2, state: 'down' })]
    const closed = hasClosed ? [incident({ id: 3, state: 'closed', closed_at: at(-1) })] : []
    expect(openOf({ incidents: [...open, ...closed], page, has_next }).map(({ id }) => id)).toEqual([...expected])
  },
)
