import { describe, expect, test } from 'bun:test'
import { readFields } from '../../../../../src/web/page/address/fields.ts'
import {
  linkActionOf,
  consequences,
  filterQuery,
  isFiltered,
  queryFromAlerts,
  startOf,
  viewFields,
} from '../../../../../src/web/page/pages/incidents/view.ts'

const nowMs = Date.parse('2026-11-22T14:00:00.000Z')

describe('the view of an address', () => {
  test('the view of an address is all of the last seven days where it says nothing, or nothing that is known', () => {
    const all = { view: '', state: '', severity: '', sloId: '', teamId: '', range: '7d', page: 1 } as const
    expect(readFields(viewFields, '')).toEqual(all)
    expect(readFields(viewFields, 'view=x&state=firing&severity=page&slo=0&team=1e3&range=8d&page=0')).toEqual(all)
    expect([isFiltered(all), filterQuery(all)]).toEqual([false, ''])
  })

  test('the view of an address has view, state, severity, SLO, team and range', () => {
    const view = readFields(viewFields, 'view=alerts&state=closed&severity=critical&slo=7&team=3&range=24h&page=2')
    expect(view).toEqual({
      view: 'alerts',
      state: 'closed',
      severity: 'critical',
      sloId: '7',
      teamId: '3',
      range: '24h',
      page: 2,
    })
    expect([isFiltered(view), filterQuery(view)]).toEqual([true, '&severity=critical&slo_id=7&team_id=3'])
  })

  test.each([
    ['', ''],
    ['state=firing&severity=page&slo=7&range=30d', '?state=open&severity=critical&slo=7&range=30d'],
    ['state=ended&severity=ticket&page=2', '?state=closed&severity=warning&page=2'],
    ['severity=warning&team=3', '?severity=warning&team=3'],
  ])(
    'the view of an address is that of the former page of alerts with the same filters: %p is %p',
    (query, expected) => {
      expect(queryFromAlerts(query)).toBe(expected)
    },
  )

  test('the view of an address begins at a whole step, so that it stays the same for a while', () => {
    const start = startOf('24h', nowMs + 59 * 60_000)
    expect(start).toBe(startOf('24h', nowMs))
    expect(start).toBe(nowMs - 86_400_000)
  })
})

test.each([
  ['', null],
  ['acknowledge', { kind: 'acknowledge' }],
  ['acknowledge=', { kind: 'acknowledge' }],
  ['silence', { kind: 'silence', seconds: 3600 }],
  ['silence=1h', { kind: 'silence', seconds: 3600 }],
  ['silence=30m', { kind: 'silence', seconds: 1800 }],
  ['silence=2d', { kind: 'silence', seconds: 172_800 }],
  ['silence=0h', { kind: 'silence', seconds: 3600 }],
  ['silence=999d', { kind: 'silence', seconds: 3600 }],
  ['silence=1h&acknowledge', { kind: 'acknowledge' }],
] as const)('the link of a message with %p asks %p', (query, asked) => {
  expect(linkActionOf(query)).toEqual(asked)
})

test('a silence does not stop the message that an SLO is up again, and its question says so', () => {
  expect(consequences.silence).toBe(
    'Nothing is sent about this SLO for that time, also when it gets worse, only that it is up again.',
  )
})
