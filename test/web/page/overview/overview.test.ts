import { describe, expect, test } from 'bun:test'
import type { OverviewSlo } from '../../../../src/web/page/api/types.ts'
import { attentionRank, countAttention, sortSlos } from '../../../../src/web/page/pages/overview/attention.ts'
import { groupSlos, isInView, readView, writeView } from '../../../../src/web/page/pages/overview/view.ts'

const now = Date.parse('2026-11-22T14:00:00Z')

function slo(changes: Partial<OverviewSlo> = {}): OverviewSlo {
  return {
    id: 1,
    name: 'Checkout answers',
    description: '',
    target: 99.9,
    time_window: '30d',
    team_id: 1,
    team_name: 'Shop',
    labels: { tier: '1' },
    status: 'healthy',
    status_reason: null,
    status_message: null,
    stale: false,
    measured_at: '2026-11-22T13:59:00.000Z',
    sli: 99.95,
    coverage: 1,
    percentage_remaining: 50,
    burn: null,
    firing: [],
    exhausts_at: null,
    days: [],
    ...changes,
  }
}

const firing = (severity: string, silenced = false) => [
  { alert_id: 1, name: 'status', severity, since: '2026-11-22T13:00:00.000Z', silenced },
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
    expect(readView('sort=nonsense').sort).toBe('attention')
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
