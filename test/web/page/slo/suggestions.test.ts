import { expect, test } from 'bun:test'
import type { Suggestion } from '../../../../src/web/page/api/types.ts'
import { bestOf, groupSuggestions } from '../../../../src/web/page/slo/suggestions/groups.ts'

const suggestion = (metric: string, change: Partial<Suggestion> = {}) =>
  ({ key: metric, metric, kind: 'availability', slo_id: null, ...change }) as Suggestion

test('metrics of nines itself come last, and are the best suggestion only where there is no other', () => {
  const own = suggestion('nines_http_requests_total')
  const theirs = suggestion('http_requests_total')
  expect(groupSuggestions([own, theirs]).map(({ metric }) => metric)).toEqual([theirs.metric, own.metric])
  const served = suggestion('http_requests_total', { label: 'job', value: 'nines' })
  expect(bestOf([own, served, theirs])).toBe(theirs)
  expect(bestOf([own, { ...theirs, slo_id: 1 }])).toBe(own)
})
