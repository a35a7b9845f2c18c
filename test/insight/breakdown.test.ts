import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type LabelCounts, rankLabels, type Selection } from '../../src/insight/breakdown.ts'

const bad: Selection = { counts: 'bad', selecting: new Set(['code']) }

/** Increase of one series behind an SLI, by route, zone and code. */
type Counted = { labels: Record<string, string>; events: number }

function byLabel(series: readonly Counted[], isFailure: (one: Counted) => boolean): LabelCounts[] {
  const names = [...new Set(series.flatMap(({ labels }) => Object.keys(labels)))]
  const sums = (label: string, some: readonly Counted[]) => {
    const groups = Map.groupBy(some, ({ labels }) => labels[label] ?? '')
    return new Map([...groups].map(([value, all]) => [value, all.reduce((sum, { events }) => sum + events, 0)]))
  }
  return names.map((label) => ({ label, counted: sums(label, series.filter(isFailure)), total: sums(label, series) }))
}

const isServerError = ({ labels }: Counted) => labels['code'] === '503'

/** 60 % of the traffic goes to the first route; `failing`: error ratio by route and zone. */
function traffic(failing: (route: string, zone: string) => number, routes = 4, zones = 3): Counted[] {
  const names = (count: number, prefix: string) => Array.from({ length: count }, (_, at) => `${prefix}${at}`)
  return names(routes, '/r').flatMap((route, at) =>
    names(zones, 'z').flatMap((zone) => {
      const events = (at === 0 ? 60_000 : 40_000 / (routes - 1)) / zones
      const failed = Math.round(events * failing(route, zone))
      return [
        { labels: { route, zone, code: '503' }, events: failed },
        { labels: { route, zone, code: '200' }, events: events - failed },
      ]
    }),
  )
}

describe('the label that failures have in common is ranked first', () => {
  test('a route that fails more than its share of the traffic', () => {
    const ranked = rankLabels(
      byLabel(
        traffic((route) => (route === '/r2' ? 0.3 : 0.001)),
        isServerError,
      ),
      bad,
    )
    expect(ranked.map(({ label, explains }) => [label, explains])).toEqual([
      ['route', true],
      ['code', true],
      ['zone', false],
    ])
    expect(ranked[0]).toMatchObject({ needed: 1, isSelecting: false, values: [{ value: '/r2' }, {}, {}, {}] })
    expect(ranked[0]?.values[0]?.failuresPercent).toBeCloseTo((100 * 4000) / (4000 + 84), 1)
    expect(ranked[0]?.values[0]?.trafficPercent).toBeCloseTo(13.33, 1)
  })

  test('the code where all routes and zones fail alike, and the outage is whole', () => {
    for (const share of [0.3, 1]) {
      const [first, ...others] = rankLabels(
        byLabel(
          traffic(() => share),
          isServerError,
        ),
        bad,
      )
      expect(first).toMatchObject({ label: 'code', isSelecting: true, needed: 1, values: [{ value: '503' }, {}] })
      expect(others.map(({ explains }) => explains)).toEqual([false, false])
    }
  })

  test('two zones of many, and how many of them there are', () => {
    const failing = traffic((_, zone) => (zone === 'z1' || zone === 'z4' ? 0.5 : 0), 2, 10)
    expect(rankLabels(byLabel(failing, isServerError), bad)[0]).toMatchObject({ label: 'zone', needed: 2 })
  })

  test('the same where good events are counted', () => {
    const series = traffic((route) => (route === '/r3' ? 0.2 : 0))
    const isGood = (one: Counted) => !isServerError(one)
    const [first] = rankLabels(byLabel(series, isGood), { counts: 'good', selecting: new Set(['code']) })
    expect(first).toMatchObject({ label: 'route', needed: 1, values: [{ value: '/r3' }, {}, {}, {}] })
  })

  test('whatever the cause, the traffic and the noise are; and shares add up to 100 %', () => {
    const amounts = fc.array(fc.integer({ min: 500, max: 50_000 }), { minLength: 3, maxLength: 50 })
    fc.assert(
      fc.property(
        amounts,
        fc.nat(),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        fc.nat(),
        (counts, at, share, seed) => {
          const cause = at % counts.length
          fc.pre((counts[cause] ?? 0) < 0.7 * counts.reduce((sum, events) => sum + events, 0))
          const series = counts.flatMap((events, pod) => {
            const zones = [0, 1].map((zone) => {
              const failed = Math.round((events / 2) * (pod === cause ? share : 0.0005 * ((seed + pod + zone) % 3)))
              const labels = { pod: `p${pod}`, zone: `z${zone}` }
              return [
                { labels: { ...labels, code: '503' }, events: failed },
                { labels: { ...labels, code: '200' }, events: Math.round(events / 2) - failed },
              ]
            })
            return zones.flat()
          })
          const ranked = rankLabels(byLabel(series, isServerError), bad)
          const [first] = ranked
          expect([first?.label, first?.values[0]?.value, first?.needed]).toEqual(['pod', `p${cause}`, 1])
          for (const { values } of ranked) {
            expect(values.reduce((sum, { failuresPercent }) => sum + failuresPercent, 0)).toBeCloseTo(100, 6)
            expect(values.reduce((sum, { trafficPercent }) => sum + (trafficPercent ?? 0), 0)).toBeCloseTo(100, 6)
          }
        },
      ),
    )
  })
})

describe('no comparison is made', () => {
  const counts = (label: string, counted: [string, number][], total: [string, number][]): LabelCounts => ({
    label,
    counted: new Map(counted),
    total: new Map(total),
  })

  test('of one value, of more than 50, and where nothing failed', () => {
    const many = Array.from({ length: 51 }, (_, at): [string, number] => [`p${at}`, 10])
    expect(rankLabels([counts('job', [['a', 5]], [['a', 10]])], bad)).toEqual([])
    expect(rankLabels([counts('pod', many, many)], bad)).toEqual([])
    expect(rankLabels([counts('pod', many.slice(1), many.slice(1))], bad)).toHaveLength(1)
    expect(
      rankLabels(
        [
          counts(
            'zone',
            [],
            [
              ['a', 10],
              ['b', 10],
            ],
          ),
        ],
        bad,
      ),
    ).toEqual([])
  })

  test('where the sides do not have the label in the same way', () => {
    const le = counts('le', [['0.25', 90]], [['+Inf', 100]])
    expect(rankLabels([le], { counts: 'good', selecting: new Set() })).toEqual([])
    expect(
      rankLabels(
        [
          counts(
            'code',
            [['', 5]],
            [
              ['200', 90],
              ['503', 5],
            ],
          ),
        ],
        bad,
      ),
    ).toEqual([])
  })

  test('with traffic, of a label that only the failures have', () => {
    const [reason] = rankLabels(
      [
        counts(
          'reason',
          [
            ['timeout', 90],
            ['refused', 10],
          ],
          [['', 1000]],
        ),
      ],
      bad,
    )
    expect(reason).toMatchObject({
      isSelecting: true,
      needed: 1,
      values: [{ value: 'timeout', failuresPercent: 90, total: null, trafficPercent: null }, { value: 'refused' }],
    })
  })

  test('of differences that chance explains', () => {
    const [zone] = rankLabels(
      [
        counts(
          'zone',
          [
            ['a', 4],
            ['b', 1],
          ],
          [
            ['a', 500],
            ['b', 500],
          ],
        ),
      ],
      bad,
    )
    expect(zone).toMatchObject({ explains: false, needed: 1 })
  })
})
