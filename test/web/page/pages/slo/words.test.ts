import { expect, test } from 'bun:test'
import { repeatedWords } from '../../../../../src/web/page/pages/slo/activity/words.ts'
import { failsWords, selectedWords, tierWords } from '../../../../../src/web/page/pages/slo/alerting/words.ts'
import { holdsSentence } from '../../../../../src/web/page/pages/slo/calendar/words.ts'
import { createdWords, journeyWords, sourceWords } from '../../../../../src/web/page/pages/slo/definition/words.ts'
import { firedWords, moreValuesWords } from '../../../../../src/web/page/pages/slo/incidents/words.ts'
import { sourceSentence } from '../../../../../src/web/page/pages/slo/states/words.ts'
import { goodSentence, pastTitle, sliTitle, stillFailingWords } from '../../../../../src/web/page/pages/slo/words.ts'
import { tierSentence } from '../../../../../src/web/page/incidents/alert-words.ts'

const thin = '\u2009'

test('evaluations in a row with the same result: how many, and the worst where they differ', () => {
  expect(repeatedWords(1200, null)).toBe('the last of 1,200')
  expect(repeatedWords(3, 'critical')).toBe('the last of 3; the worst was: critical')
})

test('a tier has its least number of failed events after what it fires above', () => {
  const tier = { long_window: '1h', short_window: '5m', factor: 14.4, min_events: 0 } as Parameters<typeof tierWords>[0]
  const fires = tierSentence(tier, '30d')
  expect(tierWords(tier, '30d')).toBe(fires)
  expect(tierWords({ ...tier, min_events: 1500 }, '30d')).toBe(`${fires}, from 1,500 failed events on`)
})

test('a rule is called by its alerts, and their severity where it selects by it', () => {
  const words = (severity: string | null) =>
    selectedWords({ alert_type: 'burn_rate_too_fast', severity } as Parameters<typeof selectedWords>[0])
  expect([words(null), words('page')]).toEqual(['Burning too fast', 'Burning too fast: Page (urgent)'])
})

test('a channel that fails has its last error, if there is one', () => {
  expect([failsWords(null), failsWords('answered 500')]).toEqual(['Fails', 'Fails: answered 500'])
})

test('what comes back: days are those of UTC', () => {
  const holds = 'The figures hold if nothing else fails and traffic stays as it was.'
  expect([holdsSentence(false), holdsSentence(true)]).toEqual([holds, `${holds} Days are those of UTC.`])
})

test.each([
  [null, true, 'none'],
  ['shop', true, 'shop, the default'],
  ['shop', false, 'shop'],
])('the source %p, the default: %p', (name, isDefault, text) => {
  expect(sourceWords(name, isDefault)).toBe(text)
})

test('an SLO was created at a time, by somebody who is known or not', () => {
  expect(createdWords('14:00', null).join('')).toBe('14:00')
  expect(createdWords('14:00', 'Ada').join('')).toBe('14:00 by Ada')
})

test('an alert during an incident fires still, or fired so long', () => {
  expect(firedWords('14:00', null).join('')).toBe('14:00, still firing')
  expect(firedWords('14:00', 120).join('')).toBe(`14:00, 2${thin}min`)
})

test('the source that is asked says whether it is switched off', () => {
  expect(sourceSentence('shop', true).join('')).toBe('Source: shop.')
  expect(sourceSentence('shop', false).join('')).toBe('Source: shop, switched off.')
})

test('the cards and tables of a calendar window name its period', () => {
  expect(['30d', 'month'].map(sliTitle)).toEqual([`SLI, 30${thin}d`, 'SLI, this month'])
  expect(['week', 'month', 'quarter', 'year'].map(pastTitle)).toEqual([
    'Past weeks',
    'Past months',
    'Past quarters',
    'Past years',
  ])
})

test('the share that was good is of events or of the time', () => {
  expect(goodSentence(true, 99.9)).toBe('of what was counted was good; the target is 99.9\u202f%')
  expect(goodSentence(false, 99)).toBe('of the time was good; the target is 99\u202f%')
})

test('a journey is called by the number of its members and their method', () => {
  const kinds = ['weighted', 'events', 'worst', 'another'].map((method) => journeyWords(3, method))
  expect(kinds).toEqual([
    'A journey of 3 SLOs: the mean of its members, by weight',
    'A journey of 3 SLOs: all events of its members together',
    'A journey of 3 SLOs: the lowest of its members',
    'A journey of 3 SLOs: another',
  ])
})

test('an incident says that it still fails, and how many values of a label are not listed', () => {
  expect(stillFailingWords('8 min').join('')).toBe('still failing, 8 min')
  expect([moreValuesWords(1), moreValuesWords(1200)]).toEqual(['1 more value', '1200 more values'])
})
