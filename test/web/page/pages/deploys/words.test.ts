import { expect, test } from 'bun:test'
import { labelsOf, labelsText } from '../../../../../src/web/page/slo/labels-text.ts'
import {
  besideWords,
  type Cost,
  costSentence,
  costWords,
  matchedWords,
  type SloCost,
} from '../../../../../src/web/page/pages/deploys/words.ts'

const span = (budget_percent: number | null) => {
  const times = { start_time: '2026-11-20T10:00:00Z', end_time: '2026-11-20T11:00:00Z' }
  return { ...times, good: 90, bad: 10, budget_percent, coverage: budget_percent === null ? 0 : 1 }
}
const of = (slo_name: string, after: number | null, before: number | null, complete = true): SloCost => ({
  slo_id: 1,
  slo_name,
  unit: 'events',
  next_deploy: null,
  complete,
  resolution: '1m',
  after: span(after),
  before: span(before),
})
const cost = (...slos: SloCost[]): Cost => ({
  annotation_id: 1,
  complete: slos.every(({ complete }) => complete),
  slo_count: slos.length,
  slos,
})

test('the cost of a deploy is that of the SLO which lost most, with the time before and the resolution', () => {
  const two = cost(of('Search', 0.5, 0.1), of('Checkout', 320, 4))
  expect(costWords(two)).toBe('3.2 times')
  expect(besideWords(two)).toBe('of Checkout · 4.0\u2009% in the same time before · to the minute')
  expect(costSentence(two)).toBe(
    'It used 3.2 times of the error budget of Checkout, the most of the 2 SLOs that it matches; in the same time before it was 4.0\u2009%.',
  )
})

test('a cost that goes on, or that nobody has measured, says so', () => {
  expect(costWords(cost(of('Checkout', 4.3, null, false)))).toBe('4.3\u2009% so far')
  expect(besideWords(cost(of('Checkout', 4.3, null, false)))).toBe('the time before was not measured · to the minute')
  expect(costWords(cost(of('Checkout', null, null)))).toBe('Not measured yet')
  expect(besideWords(cost(of('Checkout', null, null)))).toBeNull()
  expect(costWords(cost())).toBe('Matches no SLO')
})

test('of many SLOs three are named', () => {
  const many = { ...cost(of('a', 1, 1), of('b', 1, 1), of('c', 1, 1), of('d', 1, 1)), slo_count: 120 }
  expect(matchedWords(many)).toBe('a, b, c and 117 more')
})

test.each([
  ['team=payments, env = prod', { team: 'payments', env: 'prod' }],
  ['a=b=c', { a: 'b=c' }],
  ['', {}],
  ['payments', null],
  ['=x', null],
  ['reason="fix, refactor", env=prod', { reason: 'fix, refactor', env: 'prod' }],
  ['disk=5 in", env=prod', { disk: '5 in"', env: 'prod' }],
  ['reason="fix, env=prod', null],
  ['reason=""', null],
])('the labels of %p are %p', (text, labels) => expect(labelsOf(text)).toEqual(labels as never))

test('labels are written as they are typed', () => {
  expect(labelsText({ team: 'payments', env: 'prod' })).toBe('team=payments, env=prod')
})

test('labels of any value are read again as they are written', () => {
  const labels = { reason: 'fix, refactor', query: '"a=b", c', path: 'C:\\x', disk: '5", 6"' }
  expect(labelsOf(labelsText(labels))).toEqual(labels)
})
