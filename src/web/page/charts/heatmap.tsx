import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { Budget, Series, SeriesPoint, Slo } from '../api/types.ts'
import { formatDay, formatHour } from '../format.ts'
import { zone } from '../zone.ts'
import { nowMs } from '../ui/time.tsx'
import { Figure } from './figure.tsx'
import {
  type Allowed,
  allowedOf,
  budgetShareOf,
  heatOf,
  dayColumns,
  failedOf,
  sentenceOf,
  worstHourSentence,
} from './hours.ts'

const cellWidth = 28
const cellHeight = 14
const leftOfDays = 48
const heightUnits = 24 * cellHeight + 20
const hours = Array.from({ length: 24 }, (_, hour) => hour)

type Props = { slo: Slo; series: Series; budget: Budget | undefined; explore: string | undefined }

/** Failed share of each hour of 30 days. Days run to the right, hours down. */
export function Heatmap({ slo, series, budget, explore }: Props) {
  const days = useMemo(() => dayColumns(series.points), [series, zone.value])
  const allowed = allowedOf(budget)
  const now = nowMs.peek()
  const worst = series.points.reduce(
    (worst, point) => ((point.sli ?? 101) < (worst?.sli ?? 101) ? point : worst), // 101: no data is never the worst
    series.points[0],
  )
  return (
    <Figure
      title="Failed per hour, 30 days"
      name={`hours-${slo.id}`}
      explore={explore}
      sentence={
        worst === undefined || worst.sli === null
          ? 'Nothing was measured.'
          : worstHourSentence(Date.parse(worst.timestamp), 100 - worst.sli, now)
      }
      rows={series.points}
      columns={[
        ['Hour', ({ timestamp }) => timestamp],
        ['Failed, %', ({ sli }) => (sli === null ? null : 100 - sli)],
        ['Failed', failedOf],
        ['All', ({ total }) => total],
        ['Share of the budget, %', (point) => budgetShareOf(point, allowed)],
      ]}
    >
      <Grid slo={slo} days={days} allowed={allowed} />
    </Figure>
  )
}

type Cell = { column: number; hour: number }

function Grid({ slo, days, allowed }: { slo: Slo; days: (SeriesPoint | null)[][]; allowed: Allowed | null }) {
  const at = useSignal<Cell | null>(null)
  const scroller = useRef<HTMLDivElement>(null)
  useEffect(() => scroller.current?.scrollTo({ left: scroller.current.scrollWidth }), []) // scrolls to the latest days
  const spoken = useSignal('')
  const cellText = ({ column, hour }: Cell) => sentenceOf(days[column]?.[hour] ?? null, allowed, nowMs.peek())
  const onKeyDown = (event: KeyboardEvent) => {
    const here = at.peek() ?? { column: days.length - 1, hour: 0 }
    const to = cellAfterKey(here, event.key, days.length)
    if (to === null) return
    event.preventDefault()
    at.value = to
    spoken.value = cellText(to)
  }
  const onPointer = (event: PointerEvent) => {
    const { column, hour } = (event.target as SVGElement).dataset
    at.value = column === undefined ? null : { column: Number(column), hour: Number(hour) }
  }
  const firstPoint = (column: number) => days[column]?.find((point) => point !== null)
  return (
    <div class="heatmap">
      <div
        ref={scroller}
        class="heatmap-scroll"
        role="application"
        aria-roledescription="heatmap"
        aria-label="Failed share of each hour of 30 days. Arrows move between hours."
        tabIndex={0}
        onKeyDown={onKeyDown}
        onBlur={() => (at.value = null)}
        onPointerLeave={() => (at.value = null)}
      >
        <div class="heatmap-inner" aria-hidden="true">
          <svg class="heatmap-hours" viewBox={`0 -20 ${leftOfDays} ${heightUnits}`} style={{ flexGrow: leftOfDays }}>
            {[0, 6, 12, 18].map((hour) => (
              <text key={hour} x={0} y={hour * cellHeight + 10}>
                {formatHour(hour)}
              </text>
            ))}
          </svg>
          <svg
            viewBox={`0 -20 ${days.length * cellWidth} ${heightUnits}`}
            style={{ flexGrow: days.length * cellWidth }}
          >
            {days.map(
              (_, column) =>
                column % 5 === 0 &&
                column < days.length - 2 && (
                  <text key={column} x={column * cellWidth} y={-8}>
                    {formatDay(Date.parse(firstPoint(column)?.timestamp ?? ''), nowMs.peek())}
                  </text>
                ),
            )}
            <g onPointerOver={onPointer}>
              {days.map((day, column) =>
                hours.map((hour) => {
                  const heat = heatOf(day[hour] ?? null, slo.target)
                  return (
                    heat !== null && (
                      <path
                        key={`${column}-${hour}`}
                        class={`heat${heat}`}
                        data-column={column}
                        data-hour={hour}
                        d={`M${column * cellWidth} ${hour * cellHeight}h${cellWidth - 2}v${cellHeight - 2}h${2 - cellWidth}z${heat === '-none' ? hatchOf(column * cellWidth, hour * cellHeight) : ''}`}
                      />
                    )
                  )
                }),
              )}
            </g>
            <Here at={at} />
          </svg>
        </div>
      </div>
      <p class="plot-below">
        <Reading at={at} cellText={cellText} />
      </p>
      <p class="hidden-text" aria-live="polite">
        {spoken}
      </p>
    </div>
  )
}

/** Outline of the cell that is pointed at. */
function Here({ at }: { at: { value: Cell | null } }) {
  const cell = at.value
  return (
    cell && (
      <rect
        class="heat-here"
        x={cell.column * cellWidth - 1}
        y={cell.hour * cellHeight - 1}
        width={cellWidth}
        height={cellHeight}
        rx="2"
      />
    )
  )
}

/** Text of the cell that is pointed at; without one, the legend of the colours. */
function Reading({ at, cellText }: { at: { value: Cell | null }; cellText: (cell: Cell) => string }) {
  return at.value ? (
    <>{cellText(at.value)}</>
  ) : (
    <>
      {['none', 0, 1, 2, 3, 4, 5].map((heat) => (
        <span key={heat} class="key">
          <svg viewBox="0 0 14 12" width="14" height="12" aria-hidden="true">
            <path
              class={heat === 'none' ? 'heat-none' : `heat${heat}`}
              d={`M0.5 0.5h13v11h-13z${heat === 'none' ? hatchOf(0.5, 0.5, 13, 11) : ''}`}
            />
          </svg>{' '}
          {heatWords[heat as keyof typeof heatWords]}
        </span>
      ))}
    </>
  )
}

const heatWords = {
  none: 'No data',
  0: 'As allowed',
  1: 'over 1×',
  2: 'over 2×',
  3: 'over 5×',
  4: 'over 10×',
  5: 'over 50×',
} as const

/** Strokes across a cell, as part of its path. */
function hatchOf(x: number, y: number, width = cellWidth - 2, height = cellHeight - 2): string {
  const strokes = []
  for (let from = 0; from < width; from += 6) {
    const run = Math.min(height, width - from)
    strokes.push(`M${x + from} ${y + height}l${run} ${-run}`)
  }
  return strokes.join('')
}

/** Cell to which a key leads from another; null: the key moves nothing. */
function cellAfterKey({ column, hour }: Cell, key: string, columns: number): Cell | null {
  const within = (n: number, count: number) => Math.max(0, Math.min(count - 1, n))
  switch (key) {
    case 'ArrowLeft':
      return { column: within(column - 1, columns), hour }
    case 'ArrowRight':
      return { column: within(column + 1, columns), hour }
    case 'ArrowUp':
      return { column, hour: within(hour - 1, 24) }
    case 'ArrowDown':
      return { column, hour: within(hour + 1, 24) }
    case 'Home':
      return { column: 0, hour }
    case 'End':
      return { column: columns - 1, hour }
    default:
      return null
  }
}
