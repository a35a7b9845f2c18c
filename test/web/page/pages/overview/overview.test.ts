import { describe, expect, test } from 'bun:test'
import { attentionRank, countAttention, sortSlos } from '../../../../../src/web/page/pages/overview/attention.ts'
import { groupSlos, isInView, readView, writeView } from '../../../../../src/web/page/pages/overview/view.ts'
import { findSlos } from '../../../../../src/web/page/app/palette/palette-options.ts'
import { slo } from './slo.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

const firing = (severity: string, silenced = false) => [
  { alert_id: 1, name: 'status', severity, since: '2026-11-22T13:00:00.000Z', silenced, acknowledged: false },
]

describe('attention', () => {
  test('orders a firing page, an overspent budget, a ticket, a near end, a status, what is unknown, what is stale', () => {
    const slos = [
      slo({ id: 8 }),
      slo({ id: 7, stale: true }),
      slo({ id: 6, status: 'unknown', percentage_remaining: null }),
      slo({ id: 5, status: 'warning' }),
      slo({ id: 4, exhausts_at: '2026-11-24T00:00:00.000Z' }),
      slo({ id: 3, firing: firing('ticket') }),
      slo({ id: 2, percentage_remaining: -3 }),
      slo({ id: 1, firing: firing('page') }),
    ]
    expect(sortSlos(slos, 'attention', now).map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('a silenced alert asks for none', () => {
    expect(attentionRank(slo({ firing: firing('page', true) }), now)).toBe(attentionRank(slo(), now))
  })

  test('a forecast of more than three days asks for none', () => {
    expect(attentionRank(slo({ exhausts_at: '2026-11-26T00:00:00.000Z' }), now)).toBe(attentionRank(slo(), now))
  })

  test('within one rank the smaller budget comes first, then the name', () => {
    const slos = [slo({ id: 1, name: 'b' }), slo({ id: 2, name: 'a' }), slo({ id: 3, percentage_remaining: 10 })]
    expect(sortSlos(slos, 'attention', now).map(({ id }) => id)).toEqual([3, 2, 1])
  })

  test('the reverse order keeps what has no value at the end', () => {
    const slos = [
      slo({ id: 1, percentage_remaining: 10 }),
      slo({ id: 2, percentage_remaining: null }),
      slo({ id: 3, percentage_remaining: 90 }),
    ]
    const ids = (isReversed: boolean) => sortSlos(slos, 'budget', now, isReversed).map(({ id }) => id)
    expect([ids(false), ids(true)]).toEqual([
      [1, 3, 2],
      [3, 1, 2],
    ])
    const named = [slo({ id: 1, name: 'b 10' }), slo({ id: 2, name: 'b 9' }), slo({ id: 3, name: 'a' })]
    expect(sortSlos(named, 'name', now).map(({ id }) => id)).toEqual([3, 2, 1])
    expect(sortSlos(named, 'name', now, true).map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('counts what needs attention, is healthy and is not measured', () => {
    const slos = [slo(), slo({ status: 'critical' }), slo({ status: 'unknown' })]
    expect(countAttention(slos, now)).toEqual({ attention: 1, healthy: 1, unknown: 1 })
  })
})

describe('the view', () => {
  test('survives the way through the address', () => {
    const query =
      'q=check+out&status=critical&status=stale&team=Shop&label=tier%3D1&group=label%3Atier&sort=burn&compact=1'
    expect(writeView(readView(query))).toBe(`?${query}`)
    expect(writeView(readView(''))).toBe('')
    expect(writeView(readView('sort=-burn'))).toBe('?sort=-burn')
    expect(readView('sort=nonsense').sort).toBe('attention')
    expect(readView('sort=-attention').isReversed).toBe(false)
  })

  test.each([
    ['', true],
    ['q=checkout+shop', true],
    ['q=payments', false],
    ['status=healthy', true],
    ['status=critical', false],
    ['team=Shop&label=tier%3D1', true],
    ['team=Web&label=tier%3D1', false],
    ['label=tier', true],
    ['label=tier%3D2&label=tier%3D1', true],
  ])('%p shows the SLO: %p', (query, isThere) => {
    expect(isInView(slo(), readView(query))).toBe(isThere)
  })

  test('groups by team and by label, in the order of the rows', () => {
    const slos = [slo({ id: 1, team_name: 'Web' }), slo({ id: 2, labels: {} }), slo({ id: 3, team_name: 'Web' })]
    const ids = (group: string) => groupSlos(slos, group).map(({ title, slos }) => [title, slos.map(({ id }) => id)])
    expect(ids('team')).toEqual([
      ['Web', [1, 3]],
      ['Shop', [2]],
    ])
    expect(ids('label:tier')).toEqual([
      ['1', [1, 3]],
      ['Without tier', [2]],
    ])
    expect(ids('')).toEqual([['', [1, 2, 3]]])
  })
})

describe('the palette', () => {
  test('finds by name, label, team and description, those whose name begins so first', () => {
    const slos = [
      slo({ id: 1, name: 'The till', labels: {} }),
      slo({ id: 2, name: 'Login', labels: { service: 'till' } }),
      slo({ id: 3, name: 'Till answers', labels: {} }),
      slo({ id: 4, name: 'Search', labels: {}, description: 'of the till' }),
    ]
    const ids = (text: string) => findSlos(slos, text).found.map(({ id }) => id)
    expect(ids('till')).toEqual([3, 1, 2, 4])
    expect(ids('service=till')).toEqual([2])
    expect(ids('shop TILL answers')).toEqual([3])
    expect(ids('nothing')).toEqual([])
  })

  test('shows fifty, and says how many more there are', () => {
    const slos = Array.from({ length: 70 }, (_, id) => slo({ id }))
    const { found, more } = findSlos(slos, 'checkout')
    expect([found.length, more]).toEqual([50, 20])
  })
})
