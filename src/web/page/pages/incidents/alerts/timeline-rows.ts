import { alertTitle, shapeOf } from '../../../incidents/alert-words.ts'
import type { AlertTimeline } from '../../../api/history.ts'
import { formatDuration, formatMoment, plural } from '../../../format.ts'
import { momentAt, wallTime } from '../../../zone.ts'
import { words } from '../../../words.ts'

type Listed = AlertTimeline['alerts'][number]

/** A part of a row; positions are in percent of the range. */
export type Part = { fromPercent: number; toPercent: number }
export type Tick = { atPercent: number; isFailed: boolean }
export type Bar = Part & {
  id: number
  shape: 'critical' | 'warning'
  isFiring: boolean
  ticks: Tick[]
  /** Line within the row, from 0: alerts that fire at the same time lie below each other. */
  track: number
  /** Text for screen readers and for the line below the timeline. */
  text: string
}

/** Alerts and silences of one SLO, or alerts of nines itself, in a time range. */
export type TimelineRow = {
  key: string
  sloId: number | null
  name: string
  bars: Bar[]
  tracks: number
  silences: Part[]
}

/** Rows of a timeline: SLOs with firing alerts first, then by newest alert. Bars are in order of time. */
export function timelineRows(timeline: AlertTimeline, startMs: number, endMs: number, nowMs: number): TimelineRow[] {
  const percentAt = (iso: string) => percentOf(Date.parse(iso), startMs, endMs)
  const rows = [...Map.groupBy(timeline.alerts, ({ slo_id }) => slo_id)].map(([sloId, alerts]): TimelineRow => {
    const bars = inTracks(
      alerts.map((alert) => ({
        id: alert.id,
        fromPercent: percentAt(alert.began_at),
        toPercent: alert.ended_at === null ? 100 : percentAt(alert.ended_at),
        shape: shapeOf(alert),
        isFiring: alert.ended_at === null,
        ticks: alert.notifications
          .filter(({ status }) => status !== 'throttled')
          .map(({ status, created_at }) => ({ atPercent: percentAt(created_at), isFailed: status === 'failed' })),
        text: barText(alert, nowMs),
      })),
    )
    return {
      key: String(sloId),
      sloId,
      name: alerts[0]?.slo_name ?? words.product,
      bars,
      tracks: bars.reduce((max, { track }) => Math.max(max, track + 1), 1),
      silences: timeline.silences
        .filter(({ slo_ids }) => sloId !== null && slo_ids.includes(sloId))
        .map(({ starts_at, until }) => ({ fromPercent: percentAt(starts_at), toPercent: percentAt(until) })),
    }
  })
  const isFiring = ({ bars }: TimelineRow) => bars.some((bar) => bar.isFiring)
  return rows.toSorted((a, b) => Number(isFiring(b)) - Number(isFiring(a)))
}

/** Sorts bars by time, and puts each on the first track that is free. */
function inTracks(bars: Omit<Bar, 'track'>[]): Bar[] {
  const trackEnds: number[] = []
  return bars
    .toSorted((a, b) => a.fromPercent - b.fromPercent || a.id - b.id)
    .map((bar) => {
      const free = trackEnds.findIndex((end) => end <= bar.fromPercent)
      const track = free === -1 ? trackEnds.length : free
      trackEnds[track] = bar.toPercent
      return { ...bar, track }
    })
}

function percentOf(ms: number, startMs: number, endMs: number): number {
  return Math.max(0, Math.min(100, (100 * (ms - startMs)) / (endMs - startMs)))
}

function barText(alert: Listed, nowMs: number): string {
  const [beganMs, endMs] = [Date.parse(alert.began_at), Date.parse(alert.ended_at ?? '')]
  const begin = formatMoment(beganMs, nowMs)
  const when =
    alert.ended_at === null
      ? `firing since ${begin}, ${formatDuration((nowMs - beganMs) / 1000)}`
      : `${begin} to ${formatMoment(endMs, nowMs)}, ${formatDuration((endMs - beganMs) / 1000)}`
  const sent = alert.notifications.filter(({ status }) => status !== 'throttled')
  const failed = sent.filter(({ status }) => status === 'failed').length
  const facts = [
    alertTitle(alert),
    when,
    sent.length === 0 ? 'nobody notified' : plural(sent.length, '# notification', '# notifications'),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(alert.acknowledged_at === null ? [] : ['acknowledged']),
  ]
  return `${alert.slo_name ?? words.product}: ${facts.join(', ')}`
}

/** Positions of the axis labels: whole hours if the range is below two days, otherwise days; in the reader's zone. */
export function axisOf(startMs: number, endMs: number): { atPercent: number; ms: number; isHour: boolean }[] {
  const dayMs = 86_400_000
  const days = (endMs - startMs) / dayMs
  const isHour = days < 2
  const every = isHour ? 4 : days < 10 ? 1 : 5
  const at = wallTime(startMs)
  at.setUTCHours(isHour ? Math.floor(at.getUTCHours() / every) * every : 0, 0, 0, 0)
  const marks = []
  for (let ms = momentAt(at.getTime()); ms < endMs; ms = momentAt(at.getTime())) {
    const atPercent = (100 * (ms - startMs)) / (endMs - startMs)
    if (atPercent >= 0 && atPercent < 94) marks.push({ atPercent, ms, isHour }) // a label further right has no room
    if (isHour) at.setUTCHours(at.getUTCHours() + every)
    else at.setUTCDate(at.getUTCDate() + every)
  }
  return marks
}

/** Bar that a key moves to: along a row, or the nearest one in the row above or below. Null if the key moves nothing. */
export function movedBar(rows: readonly TimelineRow[], id: number | undefined, key: string): number | null {
  const row = rows.findIndex(({ bars }) => bars.some((bar) => bar.id === id))
  const here = rows[row]?.bars ?? []
  const index = here.findIndex((bar) => bar.id === id)
  const bar = here[index]
  if (!bar) return rows[0]?.bars.at(-1)?.id ?? null
  switch (key) {
    case 'ArrowLeft':
      return here[Math.max(0, index - 1)]?.id ?? null
    case 'ArrowRight':
      return here[Math.min(here.length - 1, index + 1)]?.id ?? null
    case 'Home':
      return here[0]?.id ?? null
    case 'End':
      return here.at(-1)?.id ?? null
    case 'ArrowUp':
    case 'ArrowDown': {
      const there = rows[row + (key === 'ArrowUp' ? -1 : 1)]?.bars ?? here
      const distance = (other: Bar) => Math.abs(other.toPercent - bar.toPercent)
      return there.toSorted((a, b) => distance(a) - distance(b))[0]?.id ?? null
    }
    default:
      return null
  }
}
