import { describe, expect, test } from 'bun:test'
import { downSentence } from '../../../../../src/web/page/pages/incidents/alerts/words.ts'
import {
  alertWords,
  closeSentences,
  firedWords,
  incidentExcludedWords,
  messageWords,
  relapsedWords,
} from '../../../../../src/web/page/pages/incidents/words.ts'

test.each([
  [1, '14:00'],
  [2, '14:00, 2 times'],
  [1000, '14:00, 1000 times'],
])('an incident that failed again %p times: %p', (relapses, text) => {
  expect(relapsedWords('14:00', relapses).join('')).toBe(text)
})

test.each([
  [null, 'Down'],
  ['connection refused', 'Down: connection refused'],
])('an alert with the reason %p: %p', (reason, text) => {
  expect(alertWords('Down', reason).join('')).toBe(text)
})

describe('the time of an alert', () => {
  const thin = '\u2009'

  test.each([
    [{}, '14:00 until now'],
    [{ peak: 6.1 }, '14:00 until now, at most 6.1×'],
    [{ isClosed: true }, '14:00, still firing'],
    [{ isClosed: true, peak: 6.1 }, '14:00, still firing, at most 6.1×'],
    [{ ended: '15:00' }, '14:00 to 15:00'],
    [{ ended: '15:00', isClosed: true, peak: 6.1 }, '14:00 to 15:00, at most 6.1×'],
  ])('of %p: %p', (parts, text) => {
    const words = firedWords({ began: '14:00', ended: null, isClosed: false, peak: null, ...parts }).join('')
    expect(words.replaceAll(thin, '')).toBe(text)
  })
})

test.each([
  [null, null, 'Every check of Shop fails.'],
  ['timeout', null, 'Every check of Shop fails: timeout.'],
  [null, '2026-11-18T13:00:00Z', 'Every check of Shop failed.'],
  ['timeout', '2026-11-18T13:00:00Z', 'Every check of Shop failed: timeout.'],
])('an SLO that is down with the reason %p, ended at %p: %p', (reason, ended_at, text) => {
  expect(downSentence('Shop', { reason, ended_at })).toBe(text)
})

test('what corrections leave out of an incident is in a sentence, in the unit of the SLO', () => {
  const excluded = { seconds: 600, bad_events: 150, bad_events_without: 300, budget_percent_without: 40 }
  expect(incidentExcludedWords({ ...excluded, unit: 'events', resolution: '1m' }).replaceAll(/\s/g, ' ')).toBe(
    '10 min do not count. With them: 300 failures instead of 150, 40 % of the budget',
  )
  expect(incidentExcludedWords({ ...excluded, unit: 'seconds', resolution: '1h' }).replaceAll(/\s/g, ' ')).toBe(
    '10 min do not count. With them: 5 min instead of 3 min, about 40 % of the budget',
  )
})

test('a message of a channel is of the incident, or of its end', () => {
  expect(messageWords('Ops', false, '14:00').join('')).toBe('Ops 14:00')
  expect(messageWords('Ops', true, 'failed').join('')).toBe('Ops: end failed')
})

test('closing an incident that is not up again says what its channels get', () => {
  const next = 'What fails now opens no other incident until it has ended; a new failure does.'
  expect(closeSentences(true)).toBe(next)
  expect(closeSentences(false)).toStartWith(`${next} The channels that were notified of it get `)
})
