import { expect, test } from 'bun:test'
import { readFields } from '../../../../../src/web/page/address/fields.ts'
import { deployFields, queryOfFilter } from '../../../../../src/web/page/pages/deploys/filter.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

test.each([
  ['', 'page=1&page_size=25'],
  ['kind=note&slo=7&page=2', 'page=2&page_size=25&kind=note&slo_id=7'],
  ['range=24h', 'page=1&page_size=25&start=2026-11-21T14%3A00%3A00.000Z'],
  ['kind=release&slo=x&range=never&page=0', 'page=1&page_size=25'],
])('the address %p asks for %p', (address, query) => {
  expect(queryOfFilter(readFields(deployFields, address), now)).toBe(query)
})
