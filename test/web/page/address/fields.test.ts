import { expect, test } from 'bun:test'
import { flag, id, oneOf, page, readFields, text, texts, withFields } from '../../../../src/web/page/address/fields.ts'

const schema = {
  search: { ...text, parameter: 'q' },
  state: oneOf(['open', 'closed'], ''),
  range: oneOf(['1d', '7d'], '7d'),
  label: texts,
  slo: id,
  compact: flag,
  page,
}
const defaults = { search: '', state: '', range: '7d', label: [], slo: '', compact: false, page: 1 } as const

test.each([
  ['', {}],
  ['q=a+b&state=open&range=1d', { search: 'a b', state: 'open', range: '1d' }],
  ['label=a&label=b&slo=3&compact&page=2', { label: ['a', 'b'], slo: '3', compact: true, page: 2 }],
  ['state=gone&range=2y&slo=0&page=-1&page=2&other=1', {}],
  ['page=1e2', {}],
])('?%s has %p; other fields have their defaults', (query, fields) => {
  expect<unknown>(readFields(schema, query)).toEqual({ ...defaults, ...fields })
})

test('an address keeps what is not changed of its query', () => {
  const url = '/slos/1?tab=burn&state=open&page=3'
  expect(withFields(schema, url, { state: 'closed', page: 1 })).toBe('/slos/1?tab=burn&state=closed')
  expect(withFields(schema, url, {})).toBe(url)
  expect(withFields(schema, '/slos/1?q=a&label=x&label=y', { search: '', label: ['z'] })).toBe('/slos/1?label=z')
})

test('a field with its default is left out of the address', () => {
  expect(withFields(schema, '/?q=a&state=open&range=1d&label=a&slo=3&compact=1&page=2', defaults)).toBe('/')
})

test('what is written is read', () => {
  const fields = {
    search: 'ü=&',
    state: 'closed',
    range: '1d',
    label: ['a', 'a=b'],
    slo: '3',
    compact: true,
    page: 9,
  } as const
  expect(readFields(schema, withFields(schema, '/', fields).slice(2))).toEqual(fields)
})
