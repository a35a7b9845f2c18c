import { useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { AlertTimeline } from '../../api/history.ts'
import { link } from '../../base.ts'
import { type Figures, Figure } from '../../charts/figure.tsx'
import { formatClock, formatDay, formatMoment, formatNumber } from '../../format.ts'
import { alertTitle } from '../slo/alerting/alert-words.ts'
import { words } from '../../words.ts'
import { axisOf, type Bar, type Lane, lanesOf, movedBar } from './lanes.ts'

const trackHeight = 20
const paddingPx = 4
const barMiddle = 7
const tickMiddle = 16 // below its bar, which may be no longer than a tick
const heights = { critical: 10, warning: 5 }
const leastWidthPx = 4 // of a bar: minutes are nothing on 30 days
const maxLanes = 12

type Props = { timeline: AlertTimeline; startMs: number; endMs: number }

/** What fired when: a lane for each SLO, a bar for each alert, a tick for each notification. */
export function Timeline({ timeline, startMs, endMs }: Props) {
  const [isWhole, setWhole] = useState(false)
  const minute = Math.floor(endMs / 60_000)
  const lanes = useMemo(() => lanesOf(timeline, startMs, endMs, endMs), [timeline, startMs, minute])
  const { alerts, total } = timeline
  const shown = isWhole ? lanes : lanes.slice(0, maxLanes)
  const hidden = lanes.length - shown.length
  return (
    <Figure
      title="Timeline"
      name="alerts"
      sentence={sentenceOf(timeline, lanes.length)}
      figures={() => figuresOf(timeline, endMs)}
    >
      <Lanes lanes={shown} startMs={startMs} endMs={endMs} />
      {hidden > 0 && (
        <button type="button" class="button plain small" onClick={() => setWhole(true)}>
          Show {formatNumber(hidden)} more SLO{hidden === 1 ? '' : 's'}
        </button>
      )}
      {total > alerts.length && <p class="muted">The newest {formatNumber(alerts.length)} alerts are drawn.</p>}
    </Figure>
  )
}

function Lanes({ lanes, startMs, endMs }: { lanes: Lane[]; startMs: number; endMs: number }) {
  const { route } = useLocation()
  const [here, setHere] = useState<number>()
  const place = useRef<HTMLDivElement>(null)
  const bars = lanes.flatMap((lane) => lane.bars)
  const current = bars.find(({ id }) => id === here) ?? bars[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const id = movedBar(lanes, current?.id, event.key)
    if (id === null) return
    event.preventDefault()
    setHere(id)
    place.current?.querySelector<SVGElement>(`[data-bar="${id}"]`)?.focus()
  }
  const axis = axisOf(startMs, endMs)
  return (
    <>
      <div
        ref={place}
        class="lanes"
        role="group"
        aria-label="Alerts by SLO. Arrows move between alerts."
        onKeyDown={onKeyDown}
      >
        <svg class="lanes-axis" height="20" aria-hidden="true">
          {axis.map(({ atPercent, ms, isHour }) => (
            <text key={ms} x={`${atPercent}%`} y="14">
              {isHour ? formatClock(ms) : formatDay(ms, endMs)}
            </text>
          ))}
        </svg>
        {lanes.map((lane) => (
          <div key={lane.key} class="lane">
            {lane.sloId === null ? (
              <span class="lane-name">{lane.name}</span>
            ) : (
              <a class="lane-name" href={link(`/slos/${lane.sloId}`)} title={lane.name}>
                {lane.name}
              </a>
            )}
            <svg height={heightOf(lane)}>
              <Hatch />
              {axis.map(({ atPercent, ms }) => (
                <line key={ms} class="lane-grid" x1={`${atPercent}%`} x2={`${atPercent}%`} y1="0" y2={heightOf(lane)} />
              ))}
              {lane.silences.map(({ fromPercent, toPercent }) => (
                <rect
                  key={`${fromPercent} ${toPercent}`}
                  class="lane-silence"
                  x={`${fromPercent}%`}
                  width={`${toPercent - fromPercent}%`}
                  y="1"
                  height={heightOf(lane) - 2}
                />
              ))}
              {lane.bars.map((bar) => (
                <LaneBar
                  key={bar.id}
                  bar={bar}
                  isCurrent={bar.id === current?.id}
                  onHere={setHere}
                  onOpen={(id) => route(link(`/alerts/${id}`))}
                />
              ))}
            </svg>
          </div>
        ))}
      </div>
      <p class="plot-below lanes-below" aria-live="off">
        {bars.some(({ id }) => id === here) ? current?.text : <Key />}
      </p>
    </>
  )
}

function heightOf({ tracks }: Lane): number {
  return tracks * trackHeight + 2 * paddingPx
}

type BarProps = { bar: Bar; isCurrent: boolean; onHere: (id: number) => void; onOpen: (id: number) => void }

function LaneBar({ bar, isCurrent, onHere, onOpen }: BarProps) {
  const { id, fromPercent, toPercent, shape, isFiring, ticks, track, text } = bar
  const height = heights[shape]
  const top = paddingPx + track * trackHeight
  const y = top + barMiddle - height / 2
  return (
    <a
      class={`lane-bar ${shape}${isFiring ? ' firing' : ''}`}
      href={link(`/alerts/${id}`)}
      data-bar={id}
      aria-label={text}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => onHere(id)}
      onPointerEnter={() => onHere(id)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault() // the router takes links of HTML alone
        onOpen(id)
      }}
    >
      <rect
        class="lane-target"
        x={`${fromPercent}%`}
        width={`${toPercent - fromPercent}%`}
        y={top}
        height={trackHeight}
      />
      <rect x={`${fromPercent}%`} width={`${toPercent - fromPercent}%`} y={y} height={height} rx="2" />
      <line
        class="lane-least"
        x1={`${fromPercent}%`}
        x2={`${fromPercent}%`}
        y1={y}
        y2={y + height}
        stroke-width={leastWidthPx}
      />
      {ticks.map(({ atPercent, isFailed }, at) => (
        <circle key={at} class={isFailed ? 'tick failed' : 'tick'} cx={`${atPercent}%`} cy={top + tickMiddle} r="2.5" />
      ))}
    </a>
  )
}

function Hatch() {
  return (
    <defs>
      <pattern id="lane-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" x2="0" y1="0" y2="6" class="lane-hatch" />
      </pattern>
    </defs>
  )
}

function Key() {
  const keys = [
    ['Page, critical', <rect key="a" class="bar critical" y="1" width="16" height="10" rx="2" />],
    ['Ticket, warning', <rect key="b" class="bar warning" y="3" width="16" height="6" rx="2" />],
    ['Notified', <circle key="c" class="tick" cx="8" cy="6" r="2.5" />],
    ['Failed', <circle key="d" class="tick failed" cx="8" cy="6" r="2.5" />],
    ['Silenced', <rect key="e" class="lane-silence" width="16" height="12" />],
  ] as const
  return (
    <>
      {keys.map(([word, sign]) => (
        <span key={word} class="key">
          <svg class="lane-key" width="16" height="12" aria-hidden="true">
            {sign}
          </svg>
          {word}
        </span>
      ))}
    </>
  )
}

function sentenceOf({ alerts, total }: AlertTimeline, lanes: number): string {
  if (total === 0) return 'No alert fired in this time.'
  const firing = alerts.filter(({ ended_at }) => ended_at === null).length
  const of = `${formatNumber(total)} alert${total === 1 ? '' : 's'} of ${formatNumber(lanes)} SLO${lanes === 1 ? '' : 's'}`
  return `${of}${firing > 0 ? `, ${formatNumber(firing)} of them still firing` : ''}.`
}

function figuresOf({ alerts }: AlertTimeline, nowMs: number): Figures {
  return {
    columns: ['SLO', 'Alert', 'Began', 'Ended', 'Notifications', 'Failed', 'Acknowledged'],
    rows: alerts.map((alert) => [
      alert.slo_name ?? words.product,
      alertTitle(alert),
      alert.began_at,
      alert.ended_at ?? `firing, ${formatMoment(nowMs, nowMs)}`,
      alert.notifications.length,
      alert.notifications.filter(({ status }) => status === 'failed').length,
      alert.acknowledged_at,
    ]),
  }
}
