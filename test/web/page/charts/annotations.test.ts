import { expect, test } from 'bun:test'
import { bandsOf, groupMarkers, annotationsIn } from '../../../../src/web/page/charts/annotations.ts'
import { annotationsOf } from '../../../../src/web/page/pages/slo/over-time/slo-annotations.ts'

const now = Date.parse('2026-11-22T14:00:00Z')
const iso = (minutes: number) => new Date(now + minutes * 60_000).toISOString()
const seconds = (minutes: number) => now / 1000 + minutes * 60

const nobody = { acknowledged_at: null, acknowledged_by: null }
const parts = { reason: null, long_window: null, short_window: null, threshold_percent: null, condition: null }
const tier = { ...parts, kind: 'burn_rate' as const, long_window: '1h', short_window: '5m' }
const threshold = { ...parts, kind: 'budget' as const, threshold_percent: 25 }
const timeline = {
  slo_id: 1,
  start_time: iso(-1440),
  end_time: iso(0),
  alerts: [
    { id: 1, name: 'burn_rate:3600:300', ...tier, severity: 'page', began_at: iso(-60), ended_at: iso(-30), ...nobody },
    { id: 2, name: 'budget:25', ...threshold, severity: 'warning', began_at: iso(-10), ended_at: null, ...nobody },
  ],
  silences: [{ id: 1, starts_at: iso(-5), until: iso(500), comment: 'moving' }],
  changes: [
    {
      id: 1,
      event: 'changed',
      revision: 2,
      changed_at: iso(-20),
      changed_by_name: 'Ada',
      fields: ['target', 'labels'],
    },
    { id: 2, event: 'created', revision: 1, changed_at: iso(-90), changed_by_name: null, fields: [] },
  ],
  corrections: [
    { id: 3, category: 'planned_maintenance' as const, text: '', from: iso(-50), to: iso(-45) },
    { id: 2, category: 'bad_data' as const, text: 'a broken exporter', from: iso(-80), to: iso(-75) },
  ],
  annotations: [{ id: 4, kind: 'deploy', title: 'deploy checkout v1.4.2', url: '', at: iso(-70) }],
}
const incident = { stretches: [{ began_at: iso(-65), ended_at: iso(-28) }] } as never

test('what happened lies behind the charts, and what goes on reaches to now', () => {
  expect(annotationsOf(timeline, { incidents: [incident] }, now)).toEqual({
    bands: [
      { kind: 'incident', fromSeconds: seconds(-65), toSeconds: seconds(-28), text: 'incident' },
      {
        kind: 'firing',
        fromSeconds: seconds(-60),
        toSeconds: seconds(-30),
        text: 'firing: page (urgent), 1\u2009h and 5\u2009min',
        longWindow: '1h',
      },
      { kind: 'silenced', fromSeconds: seconds(-5), toSeconds: seconds(0), text: 'silenced: moving' },
      { kind: 'excluded', fromSeconds: seconds(-50), toSeconds: seconds(-45), text: 'left out' },
      { kind: 'excluded', fromSeconds: seconds(-80), toSeconds: seconds(-75), text: 'left out: a broken exporter' },
    ],
    markers: [
      { atSeconds: seconds(-20), text: 'target, labels changed by Ada' },
      { atSeconds: seconds(-90), text: 'created' },
      { atSeconds: seconds(-70), text: 'deploy checkout v1.4.2', href: '/deploys/4' },
    ],
  })
  expect(annotationsOf(undefined, undefined, now)).toEqual({ bands: [], markers: [] })
})

test('red is only what is urgent while an incident fails; tickets are amber, and budgets and missed targets nothing', () => {
  const page = { name: '', ...tier, severity: 'page', began_at: iso(-60), ended_at: null, ...nobody }
  const alert = (id: number, of: object) => ({ id, ...page, ...of })
  const alerts = [
    alert(1, {}),
    alert(2, { ...parts, kind: 'down', severity: 'critical', began_at: iso(-62) }),
    alert(3, { severity: 'ticket', long_window: '3d' }),
    alert(4, { ...threshold, severity: 'critical' }),
    alert(5, { ...parts, kind: 'status', severity: 'critical' }),
    alert(6, { began_at: iso(-20) }),
  ]
  const { bands } = annotationsOf(
    { ...timeline, alerts, silences: [], corrections: [] } as never,
    { incidents: [incident] },
    now,
  )
  expect(bands.map(({ kind, fromSeconds, toSeconds }) => [kind, fromSeconds, toSeconds])).toEqual([
    ['incident', seconds(-65), seconds(-28)],
    ['firing', seconds(-60), seconds(-28)],
    ['firing', seconds(-62), seconds(-28)],
    ['ticket', seconds(-60), seconds(0)],
  ])
  expect(bandsOf(bands).map(({ color }) => color)).toEqual(['--warn-bg', '--warn-bg', '--crit-bg', '--crit-bg'])
})

test('nothing lies behind the good minutes between two outages of one incident', () => {
  const [first, second] = [
    { began_at: iso(-65), ended_at: iso(-58) },
    { began_at: iso(-50), ended_at: iso(-40) },
  ]
  const relapsed = { began_at: iso(-65), ended_at: iso(-40), stretches: [first, second] } as never
  const { bands } = annotationsOf({ ...timeline, silences: [], corrections: [] }, { incidents: [relapsed] }, now)
  expect(bands.map(({ kind, fromSeconds, toSeconds }) => [kind, fromSeconds, toSeconds])).toEqual([
    ['incident', seconds(-65), seconds(-58)],
    ['incident', seconds(-50), seconds(-40)],
    ['firing', seconds(-60), seconds(-58)],
    ['firing', seconds(-50), seconds(-40)],
  ])
})

test('only what lies in the shown time is drawn and named, and what fires over its incident', () => {
  const all = { ...annotationsOf(timeline, { incidents: [incident] }, now), view: null }
  const shown = annotationsIn(all, seconds(-40), seconds(-15))
  expect(shown.bands.map(({ kind }) => kind)).toEqual(['incident', 'firing'])
  expect(shown.markers).toHaveLength(1)
  expect(bandsOf(shown.bands.toReversed()).map(({ color }) => color)).toEqual(['--warn-bg', '--crit-bg'])
})

test('markers that would cover each other are one, with all of their texts', () => {
  const markers = [30, 0, 10].map((atSeconds) => ({ atSeconds, text: `at ${atSeconds}` }))
  expect(groupMarkers(markers, (at) => at, 16)).toEqual([
    { leftPx: 0, texts: ['at 0', 'at 10'] },
    { leftPx: 30, texts: ['at 30'] },
  ])
})

test('a flag leads to the first page that the markers at its place have', () => {
  const markers = [
    { atSeconds: 0, text: 'created' },
    { atSeconds: 1, text: 'deploy a', href: '/deploys/1' },
    { atSeconds: 2, text: 'deploy b', href: '/deploys/2' },
    { atSeconds: 90, text: 'changed' },
  ]
  expect(groupMarkers(markers, (at) => at, 16)).toEqual([
    { leftPx: 0, texts: ['created', 'deploy a', 'deploy b'], href: '/deploys/1' },
    { leftPx: 90, texts: ['changed'] },
  ])
})
