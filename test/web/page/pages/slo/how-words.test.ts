import { expect, test } from 'bun:test'
import type { Budget, Slo } from '../../../../../src/web/page/api/types.ts'
import {
  eventsHowSentence,
  inTimeSentence,
  mayFailSentence,
  partHowSentence,
  sliHowSentence,
  tierHowSentences,
  usedHowSentences,
} from '../../../../../src/web/page/pages/slo/how-words.ts'

const thin = '\u2009'
const events = { good: 1990, bad: 10, total: 2000, allowed_bad: 20 }
const sliOf = (slo: object, budget: object) => sliHowSentence({ time_window: '7d', ...slo } as Slo, budget as Budget)

test('an SLI is computed of its events, of its members, or of its minutes', () => {
  expect(sliOf({}, { sli: 99.5, events })).toBe(
    `1,990 good of 2,000 in 7${thin}d: 1,990 ÷ 2,000 × 100 = 99.500000${thin}%`,
  )
  expect(sliOf({ composite: { method: 'worst' } }, { sli: 99.5, events: null })).toBe(
    `The lowest of its members, each over 7${thin}d: 99.500000${thin}%`,
  )
  expect(sliOf({ composite: null, time_window: 'month' }, { sli: null, events: null })).toBe(
    'The mean over each minute of the month that was measured: –',
  )
})

test('a budget is computed of the target, the events, the time, and the part of the window that has data', () => {
  expect(mayFailSentence(99.9, 0.1)).toBe('99.9 % must be good, so 0.1 % may fail.')
  expect(eventsHowSentence(events, 50)).toBe(`Of 2,000 that is 20; 10 failed: 10 ÷ 20 = 50.00${thin}% used.`)
  const fractions = { total: 4.25, bad: 1, allowed_bad: 0.00425 }
  expect(eventsHowSentence(fractions, 23_529.41)).toBe(
    `Of 4.25 that is 0.00425; 1 failed: 1 ÷ 0.00425 = 23,529.41${thin}% used.`,
  )
  const young = { total: 70_632.5, bad: 277, allowed_bad: 70.6325 }
  expect(eventsHowSentence(young, 392.17)).toBe(
    `Of 70,632.5 that is 70.6325; 277 failed: 277 ÷ 70.6325 = 392.17${thin}% used.`,
  )
  expect(inTimeSentence('4 of 43 min')).toBe('In time: 4 of 43 min as if everything had failed.')
  const part = 'There is data for a part of the window only: of the budget of the whole'
  expect([partHowSentence('7d', 12.5), partHowSentence('month', 12.5)]).toEqual([
    `${part} 7${thin}d that is 12.50${thin}%, if the traffic stays as it is.`,
    `${part} month that is 12.50${thin}%, if the traffic stays as it is.`,
  ])
  expect(usedHowSentences({ sli: 99.95, target: 99.9, used: 0.5, windowUsed: 0.25 })).toBe(
    'Used: (100 − SLI) ÷ (100 − target) = (100 − 99.950000) ÷ (100 − 99.9) = 0.5000 budgets of the time with data. Of the whole window: 0.2500.',
  )
})

test('tiers are said to fire on an SLO that is younger than their long window', () => {
  expect(tierHowSentences).toContain('once there is data for its whole short window')
})
