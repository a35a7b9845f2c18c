import { expect, test } from 'bun:test'
import { inPageWords } from '../../../../src/web/page/slo/page-words.ts'

test.each([
  [
    'Set a bound, as with threshold: 0.3 and threshold_op: lte, and the SLI is the share of time in which it holds.',
    'Set a bound such as “at most 0.3”, and the SLI is the share of time in which it holds.',
  ],
  ['Either set a bound, with threshold: 0.3 and threshold_op: lte (or', 'Either set a bound such as “at most 0.3” (or'],
  ['If it is a percentage, set query_unit to percent.', 'If it is a percentage, read it as one.'],
  ['If it does, send it as good_query.', 'If it does, count them as good.'],
  ['it looks as if bad_query counts what succeeds.', 'it looks as if the bad events are what succeeds.'],
  ['must be given with good_query or bad_query', 'must be given with the good events or the bad events'],
  ['No series of http_requests_total has code="5".', 'No series of http_requests_total has code="5".'],
])('%p is %p on the page', (text, shown) => {
  expect(inPageWords(text)).toBe(shown)
})
