import { describe, expect, test } from 'bun:test'
import { helpWords } from '../../../../../src/web/page/pages/slo-form/picks/words.ts'
import { conflictSentence } from '../../../../../src/web/page/pages/slo-form/save/words.ts'
import {
  budgetWords,
  groupedSentence,
  measuredWords,
  refusedSentence,
  sourceWords,
} from '../../../../../src/web/page/pages/slo-form/words.ts'

const thin = '\u2009'

test.each([
  [undefined, 'SLO not saved.'],
  ['time_window is too long', 'SLO not saved: window is too long'],
])('a refused SLO with the details %p: %p', (details, text) => {
  expect(refusedSentence({ message: 'SLO not saved', details })).toBe(text)
})

test('a source that is switched off says so', () => {
  expect([true, false].map((is_active) => sourceWords({ name: 'shop', is_active }))).toEqual([
    'shop',
    'shop, switched off',
  ])
})

describe('what becomes of the values of a label', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f']
  test.each([
    [['a', 'b'], 2, false, 'They are measured together: a, b.'],
    [[...six, 'g'], 7, false, 'They are measured together: a, b, c, d, e, f and 1 more.'],
    [['a'], 1, true, 'Each gets its value in its name and labels: a. The preview is of all together.'],
    [
      six,
      9,
      true,
      'Each gets its value in its name and labels: a, b, c, d, e, f and 3 more. At most 6 are made at once: the first ones. The preview is of all together.',
    ],
  ])('%p of %p, each: %p', (values, count, isEach, text) => {
    expect(groupedSentence({ values, count }, isEach)).toBe(text)
  })
})

test('the figure in one line says since when it is measured, and what is left of the budget or how often it is used', () => {
  expect(measuredWords('99.9 %', null).join('')).toBe('99.9 %')
  expect(measuredWords('99.9 %', '12 min').join('')).toBe('99.9 % in 12 min')
  expect(budgetWords(65)).toBe(`budget left 35${thin}%`)
  expect(budgetWords(320)).toBe('budget used 3.2 times over')
})

test.each([
  ['counter', 'Requests. (counter)'],
  ['unknown', 'Requests.'],
])('the help of a metric of type %p: %p', (type, text) => {
  expect(helpWords({ help: 'Requests.', type })).toBe(text)
})

test.each([
  [[], [], 'Ada has changed it.'],
  [['target 99 → 95'], [], 'Ada has changed it: target 99 → 95.'],
  [[], ['name', 'team'], 'Ada has changed it. Your changes are of other fields: name, team.'],
  [
    ['target 99 → 95', 'window 7d → 30d'],
    ['name'],
    'Ada has changed it: target 99 → 95; window 7d → 30d. Your changes are of other fields: name.',
  ],
])('a conflict of %p with %p: %p', (changes, own, text) => {
  expect(conflictSentence('Ada has changed it', changes, own).join('')).toBe(text)
})
