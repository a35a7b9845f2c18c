import { expect, test } from 'bun:test'
import { readFields } from '../../../../../src/web/page/address/fields.ts'
import { historyFields, queryOfFilter } from '../../../../../src/web/page/pages/notify/history/filter.ts'

const nowMs = Date.parse('2026-11-22T12:00:00.000Z')
const query = (query: string) =>
  Object.fromEntries(new URLSearchParams(queryOfFilter(readFields(historyFields, query), nowMs)))
const always = { page: '1', page_size: '25' }

test.each([
  ['', {}],
  ['status=failed', { status: 'failed' }],
  ['channel=3&slo=7', { channel_id: '3', slo_id: '7' }],
  ['range=24h', { start: '2026-11-21T12:00:00.000Z' }],
  ['range=1h&status=sent', { start: '2026-11-22T11:00:00.000Z', status: 'sent' }],
])('?%s asks for %p', (given, more) => {
  expect(query(given)).toEqual({ ...always, ...more })
})

test.each([
  'status=gone',
  'channel=x',
  'channel=0',
  'slo=-1',
  'slo=1e9',
  `slo=${'9'.repeat(30)}`,
  'range=2y',
  'open=1',
])('%s, which the API would refuse or does not know, is left out', (mistyped) => {
  expect(query(mistyped)).toEqual(always)
})

test('the page goes along', () => {
  expect(query('status=failed&page=3')).toEqual({ page: '3', page_size: '25', status: 'failed' })
})
