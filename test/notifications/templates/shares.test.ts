import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { causeOfIncident } from '../../../src/notifications/incidents/incident-cause.ts'
import { formatShare as inMessages, timesOver } from '../../../src/notifications/templates/template-data.ts'
import { formatCost, formatShare as onPage } from '../../../src/web/page/format.ts'

const plain = (text: string) => text.replaceAll('\u2009', ' ')
const spaceless = (text: string) => plain(text).replaceAll(' ', '')

test.each([
  [0, '0'],
  [0.0001, '<0.1'],
  [0.049, '<0.1'],
  [0.05, '0.1'],
  [0.14, '0.1'],
  [0.35, '0.4'],
  [4.32, '4.3'],
  [6.55, '6.6'],
  [6.649, '6.6'],
  [6.65, '6.7'],
  [7, '7.0'],
  [7.02, '7.0'],
  [9.94, '9.9'],
  [9.96, '10'],
  [12.5, '13'],
  [27.8, '28'],
  [98.6, '99'],
  [99, '99'],
  [99.61, '99.6'],
  [99.96, '99.9'],
  [99.999, '99.9'],
  [100, '100'],
  [100 - 99.45, '0.6'],
])('a share of %p percent is %p on the page and in messages', (percent, text) => {
  expect(spaceless(onPage(percent))).toBe(`${text}%`)
  expect(spaceless(inMessages(percent))).toBe(text)
})

test('the page and messages write any share alike, and none that is neither nothing nor all as 0 or 100', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 100, noNaN: true }), (percent) => {
      const text = spaceless(inMessages(percent))
      expect(spaceless(onPage(percent))).toBe(`${text}%`)
      if (percent > 1e-9) expect(text).not.toBe('0')
      if (percent < 100 - 1e-9) expect(text).not.toBe('100')
    }),
  )
})

test.each([
  [101, '1.01 times'],
  [104.6, '1.05 times'],
  [109.9, '1.1 times'],
  [329, '3.3 times'],
  [800, '8 times'],
  [1000, '10 times'],
  [1000.1, 'over 10 times'],
])('%p percent of a budget are %p of it, on the page and in messages', (percent, text) => {
  expect([formatCost(percent), timesOver(percent).replace(/ over$/, '')]).toEqual([text, text])
})

test('the share of failures that a cause has is the one of the page', () => {
  const cause = { label: 'route', value: '/pay', failures_percent: 99.97, traffic_percent: 0.02 }
  expect(causeOfIncident({ cause: JSON.stringify(cause) })?.text).toBe(
    'route=/pay has 99.9 % of the failures with < 0.1 % of the traffic',
  )
})
