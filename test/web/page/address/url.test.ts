import { expect, test } from 'bun:test'
import { queryOf, urlWith } from '../../../../src/web/page/address/url.ts'

test('an address keeps what is not changed of its query', () => {
  expect(urlWith('/slos/1?chart=burn&range=24h', { range: null, from: '5' })).toBe('/slos/1?chart=burn&from=5')
  expect(urlWith('/slos/1?range=24h', { range: null })).toBe('/slos/1')
  expect(queryOf('/slos/1?chart=burn', 'chart')).toBe('burn')
  expect(queryOf('/slos/1', 'chart')).toBe('')
})
