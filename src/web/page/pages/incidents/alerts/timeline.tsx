import { useMemo, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import type { AlertTimeline } from '../../../api/history.ts'
import { link } from '../../../address/base.ts'
import { Figure } from '../../../charts/figure.tsx'
import type { Columns } from '../../../charts/table-data.ts'
import { formatClock, formatDay, formatMoment, plural } from '../../../format.ts'
import { alertTitle } from '../../../incidents/alert-words.ts'
import { words } from '../../../words.ts'
import { axisOf, type Bar, type TimelineRow, timelineRows, movedBar } from './timeline-rows.ts'
import { firingWords, newestSentence, timelineSentence } from './words.ts'

const trackHeightPx = 20
const paddingPx = 4
const barMiddlePx = 7
const tickMiddlePx = 16 // below its bar, which may be as short as a tick
const barHeightsPx = { critical: 10, warning: 5 }
const minWidthPx = 4 // of a bar: minutes would be invisible on 30 days
const maxRows = 12

type Props = { timeline: AlertTimeline; startMs: number; endMs: number }

/** Alerts over time: a row for each SLO, a bar for each alert, a tick for each notification. */
export function Timeline({ timeline, startMs, endMs }: Props) {
  const [isWhole, setWhole] = useState(false)
  const rows = useMemo(() => timelineRows(timeline, startMs, endMs, endMs), [timeline, startMs, endMs])
  const { alerts, total } = timeline
  const shown = isWhole ? rows : rows.slice(0, maxRows)
  const hidden = rows.length - shown.length
  return (
    <Figure
      title="Timeline"
      name="alerts"
      sentence={timelineSentence(total, rows.length, alerts.filter(({ ended_at }) => ended_at === null).length)}
      rows={alerts}
      columns={columnsOf(endMs)}
    >
      <TimelineRows rows={shown} startMs={startMs} endMs={endMs} />
      {hidden > 0 && (
        <button type="button" class="button plain small" onClick={() => setWhole(true)}>
          {plural(hidden, 'Show # more SLO', 'Show # more SLOs')}
        </button>
      )}
      {total > alerts.length && <p class="muted">{newestSentence(alerts.length)}</p>}
    </Figure>
  )
}

function TimelineRows({ rows, startMs, endMs }: { rows: TimelineRow[]; startMs: number; endMs: number }) {
  const { route } = useLocation()
  const [here, setHere] = useState<number>()
  const element = useRef<HTMLDivElement>(null)
  const bars = rows.flatMap((row) => row.bars)
  const current = bars.find(({ id }) => id === here) ?? bars[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const id = movedBar(rows, current?.id, event.key)
    if (id === null) return
    event.preventDefault()
    setHere(id)
    element.current?.querySelector<SVGElement>(`[data-bar="${id}"]`)?.focus()
  }
  const axis = axisOf(startMs, endMs)
  return (
    <>
      <div
        ref={element}
        class="timeline-rows"
        role="group"
        aria-label="Alerts by SLO. Arrows move between alerts."
        onKeyDown={onKeyDown}
      >
        <svg class="timeline-axis" height="20" aria-hidden="true">
          {axis.map(({ atPercent, ms, isHour }) => (
            <text key={ms} class={atPercent > 84 ? 'last' : undefined} x={`${atPercent}%`} y="14">
              {isHour ? formatClock(ms) : formatDay(ms, endMs)}
            </text>
          ))}
        </svg>
        {rows.map((row) => (
          <div key={row.key} class="timeline-row">
            {row.sloId === null ? (
              <span class="timeline-name">{row.name}</span>
            ) : (
              <a class="timeline-name" href={link(`/slos/${row.sloId}`)} title={row.name}>
                {row.name}
              </a>
            )}
            <svg height={heightOf(row)}>
              <Hatch />
              {axis.map(({ atPercent, ms }) => (
                <line
                  key={ms}
                  class="timeline-grid"
                  x1={`${atPercent}%`}
                  x2={`${atPercent}%`}
                  y1="0"
                  y2={heightOf(row)}
                />
              ))}
              {row.silences.map(({ fromPercent, toPercent }) => (
                <rect
                  key={`${fromPercent} ${toPercent}`}
                  class="timeline-silence"
                  x={`${fromPercent}%`}
                  width={`${toPercent - fromPercent}%`}
                  y="1"
                  height={heightOf(row) - 2}
                />
              ))}
              {row.bars.map((bar) => (
                <TimelineBar
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
      <p class="plot-below timeline-below" aria-live="off">
        {bars.some(({ id }) => id === here) ? current?.text : <Key />}
      </p>
    </>
  )
}

function heightOf({ tracks }: TimelineRow): number {
  return tracks * trackHeightPx + 2 * paddingPx
}

type BarProps = { bar: Bar; isCurrent: boolean; onHere: (id: number) => void; onOpen: (id: number) => void }

function TimelineBar({ bar, isCurrent, onHere, onOpen }: BarProps) {
  const { id, fromPercent, toPercent, shape, isFiring, ticks, track, text } = bar
  const height = barHeightsPx[shape]
  const top = paddingPx + track * trackHeightPx
  const y = top + barMiddlePx - height / 2
  return (
    <a
      class={`timeline-bar ${shape}${isFiring ? ' firing' : ''}`}
      href={link(`/alerts/${id}`)}
      data-bar={id}
      aria-label={text}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={() => onHere(id)}
      onPointerEnter={() => onHere(id)}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault() // the router handles only HTML links
        onOpen(id)
      }}
    >
      <rect
        class="timeline-target"
        x={`${fromPercent}%`}
        width={`${toPercent - fromPercent}%`}
        y={top}
        height={trackHeightPx}
      />
      <rect x={`${fromPercent}%`} width={`${toPercent - fromPercent}%`} y={y} height={height} rx="2" />
      <line
        class="timeline-min"
        x1={`${fromPercent}%`}
        x2={`${fromPercent}%`}
        y1={y}
        y2={y + height}
        stroke-width={minWidthPx}
      />
      {ticks.map(({ atPercent, isFailed }, at) => (
        <circle
          key={at}
          class={isFailed ? 'tick failed' : 'tick'}
          cx={`${atPercent}%`}
          cy={top + tickMiddlePx}
          r="2.5"
        />
      ))}
    </a>
  )
}

function Hatch() {
  return (
    <defs>
      <pattern id="timeline-hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line x1="0" x2="0" y1="0" y2="6" class="timeline-hatch" />
      </pattern>
    </defs>
  )
}

function Key() {
  const keys = [
    ['Critical, page', <rect key="a" class="bar critical" y="1" width="16" height="10" rx="2" />],
    ['Warning, ticket', <rect key="b" class="bar warning" y="3" width="16" height="6" rx="2" />],
    ['Notified', <circle key="c" class="tick" cx="8" cy="6" r="2.5" />],
    ['Failed', <circle key="d" class="tick failed" cx="8" cy="6" r="2.5" />],
    ['Silenced', <rect key="e" class="timeline-silence" width="16" height="12" />],
  ] as const
  return (
    <>
      {keys.map(([word, sign]) => (
        <span key={word} class="key">
          <svg class="timeline-key" width="16" height="12" aria-hidden="true">
            {sign}
          </svg>
          {word}
        </span>
      ))}
    </>
  )
}

function columnsOf(nowMs: number): Columns<AlertTimeline['alerts'][number]> {
  return [
    ['SLO', ({ slo_name }) => slo_name ?? words.product],
    ['Alert', alertTitle],
    ['Began', ({ began_at }) => began_at],
    ['Ended', ({ ended_at }) => ended_at ?? firingWords(formatMoment(nowMs, nowMs))],
    ['Notifications', ({ notifications }) => notifications.length],
    ['Failed', ({ notifications }) => notifications.filter(({ status }) => status === 'failed').length],
    ['Acknowledged', ({ acknowledged_at }) => acknowledged_at],
  ]
}
