import { describe, expect, test } from 'bun:test'
import { countAttention, sortSlos } from '../../../../../src/web/page/pages/overview/attention.ts'
import { groupSlos, isInView, viewFields } from '../../../../../src/web/page/pages/overview/view.ts'
import { readFields, withFields } from '../../../../../src/web/page/address/fields.ts'
import { findSlos } from '../../../../../src/web/page/app/palette/palette-options.ts'
import { slo } from './slo.ts'

const firing = (name: string) => [
  { alert_id: 1, name, severity: 'page', since: '2026-11-22T13:00:00.000Z', silenced: false, acknowledged: false },
]

describe('attention', () => {
  test('attention orders what is down, burns fast, was down when its source went, burns, recovers, is spent, unknown, young, on track, paused', () => {
    const slos = [
      slo({ id: 10, state: 'unknown', state_reason: 'paused' }),
      slo({ id: 9 }),
      slo({ id: 8, state: 'measuring' }),
      slo({ id: 7, state: 'unknown', state_reason: 'no_data' }),
      slo({ id: 6, state: 'spent', window_percent_used: 103 }),
      slo({ id: 5, state: 'recovering' }),
      slo({ id: 4, state: 'burning', firing: firing('burn_rate:86400:7200') }),
      slo({ id: 3, state: 'unknown', firing: firing('down') }),
      slo({ id: 2, state: 'burning_fast' }),
      slo({ id: 1, state: 'down' }),
    ]
    expect(sortSlos(slos, 'attention').map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })

  test('within one state what is used up first comes first, then the smaller budget, then the name', () => {
    const slos = [
      slo({ id: 1, name: 'b' }),
      slo({ id: 2, name: 'a' }),
      slo({ id: 3, window_percent_used: 90 }),
      slo({ id: 4, exhausts_at: '2026-11-24T00:00:00.000Z' }),
      slo({ id: 5, exhausts_at: '2026-11-23T00:00:00.000Z', window_percent_used: 10 }),
    ]
    expect(sortSlos(slos, 'attention').map(({ id }) => id)).toEqual([5, 4, 3, 2, 1])
  })

  test('the reverse order keeps what has no value at the end', () => {
    const slos = [
      slo({ id: 1, window_percent_used: 90 }),
      slo({ id: 2, window_percent_used: null }),
      slo({ id: 3, window_percent_used: 10 }),
    ]
    const ids = (isReversed: boolean) => sortSlos(slos, 'budget', isReversed).map(({ id }) => id)
    expect([ids(false), ids(true)]).toEqual([
      [1, 3, 2],
      [3, 1, 2],
    ])
    const named = [slo({ id: 1, name: 'b 10' }), slo({ id: 2, name: 'b 9' }), slo({ id: 3, name: 'a' })]
    expect(sortSlos(named, 'name').map(({ id }) => id)).toEqual([3, 2, 1])
    expect(sortSlos(named, 'name', true).map(({ id }) => id)).toEqual([1, 2, 3])
  })

  test('attention counts what needs attention, is on track, is not measured and is paused', () => {
    const slos = [
      slo(),
      slo({ state: 'down' }),
      slo({ state: 'spent' }),
      slo({ state: 'unknown' }),
      slo({ state: 'measuring' }),
      slo({ state: 'unknown', firing: firing('down') }),
      slo({ state: 'unknown', state_reason: 'paused' }),
    ]
    expect(countAttention(slos)).toEqual({ attention: 3, onTrack: 1, unknown: 2, paused: 1 })
  })
})

describe('the view', () => {
  const readView = (query: string) => readFields(viewFields, query)

  test('the view survives the way through the address', () => {
    const query = 'q=check+out&state=down&state=unknown&team=Shop&label=tier%3D1&group=label%3Atier&sort=burn&compact=1'
    for (const one of [`?${query}`, '', '?sort=-burn']) {
      expect(withFields(viewFields, '', readView(one))).toBe(one)
    }
    for (const sort of ['nonsense', '-attention', '']) {
      expect(readView(`sort=${sort}`).sort).toEqual({ by: 'attention', isReversed: false })
    }
  })

  test.each([
    ['', true],
    ['q=checkout+shop', true],
    ['q=payments', false],
    ['state=ok', true],
    ['state=down', false],
    ['state=healthy', true],
    ['team=Shop&label=tier%3D1', true],
    ['team=Web&label=tier%3D1', false],
    ['label=tier', true],
    ['label=constructor', false],
    ['label=tier%3D2&label=tier%3D1', true],
  ])('%p shows the SLO: %p', (query, isThere) => {
    expect(isInView(slo(), readView(query))).toBe(isThere)
  })

  test('a paused SLO is found as paused, not among those of which nothing is known', () => {
    const paused = slo({ state: 'unknown', state_reason: 'paused' })
    const shows = (query: string) => isInView(paused, readView(query))
    expect([shows('state=paused'), shows('state=unknown'), shows('state=unknown&state=paused')]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('the view groups by team and by label, in the order of the rows', () => {
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
    expect(ids('label:constructor')).toEqual([['Without constructor', [1, 2, 3]]])
    expect(ids('')).toEqual([['', [1, 2, 3]]])
  })
})

describe('the palette', () => {
  test('the palette finds by name, label, team and description, those whose name begins so first', () => {
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

  test('the palette shows fifty, and says how many more there are', () => {
    const slos = Array.from({ length: 70 }, (_, id) => slo({ id }))
    const { found, more } = findSlos(slos, 'checkout')
    expect([found.length, more]).toEqual([50, 20])
  })
})
