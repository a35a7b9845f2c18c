import { expect, test } from 'bun:test'
import { familyOf, namesPattern } from '../../../src/insight/suggestions/families.ts'

test.each([
  ['http_requests_total', 'http'],
  ['shop_requests_total', null],
  ['http_request_duration_seconds_bucket', 'http'],
  ['checkout_duration_seconds_bucket', null],
  ['http_request_duration_seconds_count', undefined],
  ['promhttp_metric_handler_requests_total', undefined],
  ['node_cpu_seconds_total', undefined],
  ['ups_total', undefined],
  ['up', 'up'],
])('%s counts %p', (name, counts) => {
  expect(familyOf(name)?.events).toBe(counts)
})

test('a source is asked for exactly the names that belong to a family', () => {
  const patterns = [true, false].map((isKnown) => new RegExp(`^(?:${namesPattern(isKnown)})$`))
  const asked = (name: string) => patterns.map((pattern) => pattern.test(name))
  expect(asked('http_requests_total')).toEqual([true, true]) // the second is excluded by its family
  expect(asked('http_request_duration_seconds_bucket')).toEqual([true, true])
  expect(asked('up')).toEqual([true, false])
  expect(asked('http_request_duration_seconds_count')).toEqual([false, false])
})
