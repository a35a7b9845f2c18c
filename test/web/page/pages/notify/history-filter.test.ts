import { expect, test } from 'bun:test'
import { filterOfUrl, queryOfFilter } from '../../../../../src/web/page/pages/notify/history/filter.ts'

const nowMs = Date.parse('2026-11-22T12:00:00.000Z')
const query = (url: string, page = 1) =>
  Object.fromEntries(new URLSearchParams(queryOfFilter(filterOfUrl(url), page, nowMs)))
const always = { page: '1', page_size: '25' }

test.each([
  ['/notify/history', {}],
  ['/notify/history?status=failed', { status: 'failed' }],
  ['/notify/history?channel=3&slo=7', { channel_id: '3', slo_id: '7' }],
  ['/notify/history?range=24h', { start: '2026-11-21T12:00:00.000Z' }],
  ['/notify/history?range=1h&status=sent', { start: '2026-11-22T11:00:00.000Z', status: 'sent' }],
])('%s asks for %p', (url, more) => {
  expect(query(url)).toEqual({ ...always, ...more })
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
  expect(query(`/notify/history?${mistyped}`)).toEqual(always)
})

test('the page goes along', () => {
  expect(query('/notify/history?status=failed', 3)).toEqual({ page: '3', page_size: '25', status: 'failed' })
})
