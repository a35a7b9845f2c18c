import { expect, test } from 'bun:test'
import { type ExploreAddress, explorePath, letterOf, readAddress } from '../../../../src/web/page/address/explore.ts'

const all: ExploreAddress = {
  source: 3,
  queries: [
    { text: 'sum(rate(a{path="/x?y=1&z"}[5m])) / 2 # +', isHidden: false, isStacked: true },
    { text: '', isHidden: false, unit: 'bytes_per_second' },
    { text: 'up', isHidden: true },
  ],
  from: 'now-7d',
  to: 'now',
  step: '5m',
  view: 'table',
}

test('what an address says is read from it', () => {
  expect(readAddress(explorePath(all))).toEqual(all)
})

test('an address that says nothing has one empty query over the last hour', () => {
  const nothing = readAddress('/explore')
  expect(nothing).toEqual({
    source: null,
    queries: [{ text: '', isHidden: false }],
    from: 'now-1h',
    to: 'now',
    step: '',
    view: 'graph',
  })
  expect(explorePath({})).toBe('/explore')
})

test('what an address says wrongly counts as not said', () => {
  expect(readAddress('/explore?source=x&view=pie&q=up&hidden=Z&unit=A.parsec&stacked=B')).toMatchObject({
    source: null,
    view: 'graph',
    queries: [{ text: 'up', isHidden: false }],
  })
  expect(readAddress(`/explore?${'q=up&'.repeat(100)}`).queries).toHaveLength(26)
})

test('queries have letters by their places', () => {
  expect([0, 1, 25].map(letterOf)).toEqual(['A', 'B', 'Z'])
})
