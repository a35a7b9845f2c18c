import { describe, expect, test } from 'bun:test'
import type { AlertTimeline } from '../../../../../../src/web/page/api/history.ts'
import { axisOf, timelineRows, movedBar } from '../../../../../../src/web/page/pages/incidents/alerts/timeline-rows.ts'

const nowMs = Date.parse('2026-11-22T14:00:00.000Z')
const at = (minutes: number) => new Date(nowMs + minutes * 60_000).toISOString()

type Listed = AlertTimeline['alerts'][number]
const alert = (id: number, change: Partial<Listed>): Listed => ({
  id,
  slo_id: 1,
  slo_name: 'Checkout',
  name: 'status',
  kind: 'status',
  long_window: null,
  short_window: null,
  threshold_percent: null,
  condition: null,
  severity: 'critical',
  began_at: at(-60),
  ended_at: at(-30),
  acknowledged_at: null,
  notifications: [],
  ...change,
})
const timeline = (alerts: Listed[], silences: AlertTimeline['silences'] = []): AlertTimeline => ({
  start_time: at(-100),
  end_time: at(0),
  total: alerts.length,
  alerts,
  silences,
})
const rows = (of: AlertTimeline) => timelineRows(of, nowMs - 100 * 60_000, nowMs, nowMs)

describe('the rows of the timeline', () => {
  test('the rows of the timeline are one for each SLO, those that fire first, with bars in the order of time', () => {
    const found = rows(
      timeline([
        alert(4, {
          slo_id: null,
          slo_name: null,
          name: 'condition:disk_full',
          kind: 'condition',
          condition: 'disk_full',
          ended_at: null,
        }),
        alert(3, { began_at: at(-20), ended_at: at(-10) }),
        alert(2, { slo_id: 2, slo_name: 'Search', severity: 'ticket', began_at: at(-500), ended_at: at(-50) }),
        alert(1, {}),
      ]),
    )
    expect(found.map(({ name, bars }) => [name, bars.map(({ id }) => id)])).toEqual([
      ['nines', [4]],
      ['Checkout', [1, 3]],
      ['Search', [2]],
    ])
    expect(found[0]?.bars[0]).toMatchObject({ fromPercent: 40, toPercent: 100, isFiring: true })
    expect(found[2]?.bars[0]).toMatchObject({ fromPercent: 0, toPercent: 50, shape: 'warning' })
  })

  test('the rows of the timeline have as many lines as alerts fired at once', () => {
    const [row] = rows(
      timeline([
        alert(3, { began_at: at(-20), ended_at: at(-10) }),
        alert(2, { began_at: at(-50), ended_at: at(-40) }),
        alert(1, {}),
      ]),
    )
    expect([row?.tracks, row?.bars.map(({ id, track }) => [id, track])]).toEqual([
      2,
      [
        [1, 0],
        [2, 1],
        [3, 0],
      ],
    ])
  })

  test('the rows of the timeline have one line for an SLO that flaps, however short the pauses are', () => {
    const flaps = Array.from({ length: 21 }, (_, n) =>
      alert(n + 1, { began_at: at(-2 * n - 2), ended_at: at(-2 * n - 1.9) }),
    )
    const weekMs = 7 * 86_400_000
    expect(timelineRows(timeline(flaps), nowMs - weekMs, nowMs, nowMs)[0]?.tracks).toBe(1)
  })

  test('the rows of the timeline have ticks of what was sent, silences of their SLO, and a sentence for readers', () => {
    const notifications = (['delivered', 'failed', 'throttled'] as const).map((status, n) => ({
      event: 'alert',
      status,
      created_at: at(-60 + 10 * n),
    }))
    const silence = { id: 1, starts_at: at(-10), until: at(600), comment: 'x' }
    const [row, other] = rows(
      timeline(
        [alert(1, { notifications, acknowledged_at: at(-50) }), alert(2, { slo_id: 2 })],
        [{ ...silence, slo_ids: [1] }],
      ),
    )
    expect(row?.bars[0]?.ticks).toEqual([
      { atPercent: 40, isFailed: false },
      { atPercent: 50, isFailed: true },
    ])
    expect([row?.silences, other?.silences]).toEqual([[{ fromPercent: 90, toPercent: 100 }], []])
    expect(row?.bars[0]?.text).toMatch(
      /^Checkout: recently below target, \d\d:\d\d to \d\d:\d\d, 30\u2009min, 2 notifications, 1 failed, acknowledged$/,
    )
  })

  test('the rows of the timeline are moved in by keys: along a row, and to the nearest bar of another', () => {
    const found = rows(
      timeline([
        alert(5, { slo_id: 2, began_at: at(-20), ended_at: at(-10) }),
        alert(4, { slo_id: 2, began_at: at(-90), ended_at: at(-80) }),
        alert(3, { began_at: at(-20), ended_at: at(-11) }),
        alert(1, {}),
      ]),
    )
    const moved = (id: number | undefined, key: string) => movedBar(found, id, key)
    expect([moved(4, 'ArrowRight'), moved(5, 'ArrowRight'), moved(5, 'ArrowLeft')]).toEqual([5, 5, 4])
    expect([moved(5, 'ArrowDown'), moved(4, 'ArrowDown'), moved(3, 'ArrowUp'), moved(3, 'ArrowDown')]).toEqual([
      3, 1, 5, 3,
    ])
    expect([moved(5, 'Home'), moved(4, 'End'), moved(4, 'Enter'), moved(undefined, 'x')]).toEqual([4, 5, null, 5])
  })

  test('the rows of the timeline have marks at whole hours of a day, at days of a week, within the range', () => {
    const dayMs = 86_400_000
    const hours = axisOf(nowMs - dayMs, nowMs)
    expect(hours.length).toBeWithin(4, 8)
    expect(hours.every(({ ms, isHour }) => isHour && new Date(ms).getHours() % 4 === 0)).toBe(true)
    const days = axisOf(nowMs - 7 * dayMs, nowMs)
    expect(days.every(({ ms, atPercent }) => new Date(ms).getHours() === 0 && atPercent >= 0 && atPercent < 94)).toBe(
      true,
    )
  })
})
