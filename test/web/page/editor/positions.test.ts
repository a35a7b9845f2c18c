import { describe, expect, test } from 'bun:test'
import { readTemplate } from '../../../../src/promql/analysis/placeholders.ts'
import { parsePromql } from '../../../../src/promql/check.ts'
import { positionOf, withoutPlaceholders, wordAt } from '../../../../src/web/page/editor/positions.ts'

describe('the place of a problem', () => {
  const query = 'sum(\n  rate(up[5m]))\n/ up'

  test.each([
    ['parse error at character 8: did not expect “rate”', 7],
    ['metric_query, character 1: it knows no function “foo”', 0],
    ['invalid parameter "query": 2:3: parse error: unexpected identifier', 7],
    ['1:1: parse error: no expression found in input', 0],
    ['character 9000', query.length],
    ['the source does not answer', null],
    ['found duplicate series for the match group {instance="a:9090"}', null],
  ])('of %p', (message, position) => {
    expect(positionOf(message, query)).toBe(position)
  })

  test('the place of a problem is the one that the parser of the server names', () => {
    const wrong = 'sum(rate(up[5m])) / sum by (job) rate(up[5m])'
    let message = ''
    try {
      parsePromql(wrong)
    } catch (error) {
      message = (error as { details: string }).details
    }
    const position = positionOf(message, wrong) ?? Number.NaN
    expect(wrong.slice(position).startsWith('rate(up')).toBe(true)
  })
})

test.each([
  ['rate(up)', 5, 'up'],
  ['rate(up)', 4, '('],
  ['rate(up)', 8, ')'],
])('of %p at %p, %p is marked', (text, position, marked) => {
  const { from, to } = wordAt(text, position)
  expect(text.slice(from, to)).toBe(marked)
})

test('an empty query has nothing to mark', () => expect(wordAt('', 0)).toEqual({ from: 0, to: 0 }))

test.each([
  '$window',
  '${window}',
  '${ window }',
  '{{window}}',
  '{{.window}}',
  '{{ .window }}',
  '$__range',
  '[window]',
])('the placeholder %p is a duration of its length, as the server reads it', (placeholder) => {
  const range = placeholder.startsWith('[') ? placeholder : `[${placeholder}]`
  const query = `sum(rate(ok${range}))`
  expect(readTemplate(query).placeholders).toHaveLength(1)
  const same = withoutPlaceholders(query)
  expect(same).toHaveLength(query.length)
  expect(() => parsePromql(same)).not.toThrow()
})
