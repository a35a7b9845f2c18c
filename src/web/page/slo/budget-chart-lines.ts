import type { Budget } from '../api/types.ts'
import type { Band } from '../charts/drawing.ts'
import type { Mark } from '../charts/marks.ts'
import type { Line } from '../charts/plot-types.ts'
import { countSteps, formatReturn, largestReturns, type Return, type Returning } from './returns.ts'

type Drawn = { times: number[]; lines: Line[]; bands: Band[]; marks: Mark[]; range: [number, number] }
/** Parts of a budget that its chart draws. */
export type Burned = Pick<Budget, 'burn_down' | 'calendar'> &
  Returning & {
    period: Budget['period']
    forecast: Pick<Budget['forecast'], 'exhausts_at'>
  }

const aheadShare = 1 / 8 // of the window, drawn after its end
const maxAheadShare = 1 / 3 // if budget comes back
const minMarkPercent = 3
const minTimesMean = 2
const minDrawnPercent = -900 // ten times used; what is below is at the edge

/**
 * Lines of the burn-down: the remaining budget, the ideal, the forecast up to an eighth of the window ahead, and the budget
 * that comes back if nothing else fails, up to a third ahead. `marks` label large returns; `bands` are the times that were not
 * measured. Times are Unix seconds.
 */
export function burnDownLines(budget: Burned, nowMs: number): Drawn {
  const { calendar, forecast } = budget
  const points = sinceFirstData(budget.burn_down)
  const isWhole = points.length === budget.burn_down.length
  const times = points.map(({ timestamp }) => Date.parse(timestamp) / 1000)
  const [first = 0, end = 0] = [times[0], times.at(-1)]
  const left = points.map(({ remaining_percent, coverage }) => (coverage > 0 ? remaining_percent : null))
  const last = left.at(-1) ?? null
  const overspent = left.map((percent) => (percent !== null && percent < 0 ? percent : null))
  const lines: Line[] = [
    { label: 'Left', values: left, color: '--accent', widthPx: 2 },
    ...(isWhole ? [idealOf(points)] : []), // the ideal is that of the whole window
    ...withoutCorrections(points),
  ]
  if (overspent.some((percent) => percent !== null)) {
    lines.unshift({ label: 'Overspent', values: overspent, read: [], color: '--crit', fill: '--crit-bg', widthPx: 1 })
  }
  const marks: Mark[] = []
  const range: [number, number] = [lowest(points) < 0 ? lowest(points) * 1.08 : 0, 104]
  const drawn = {
    times,
    lines,
    marks,
    bands: unmeasuredBands(budget).filter(({ toSeconds }) => isWhole || toSeconds > first),
    range,
  }
  if (last === null) return drawn

  const forecastAt = forecast.exhausts_at ? Date.parse(forecast.exhausts_at) / 1000 : null
  const exhaustsAt = forecastAt !== null && forecastAt > end && last > 0 ? forecastAt : null
  const near = calendar.filter(({ starts_at }) => Date.parse(starts_at) / 1000 < end + (end - first) * maxAheadShare)
  const large = largestReturns(near).rows.filter(standsOut(budget))
  const lastMark = large.at(-1)
  if (exhaustsAt === null && !lastMark) return drawn

  const ahead = (end - first) * aheadShare
  const until = Math.max(
    exhaustsAt === null ? 0 : Math.min(exhaustsAt, end + ahead),
    lastMark ? seconds(lastMark.ends_at) + ahead / 4 : 0,
  )
  const steps = lastMark ? returnSteps(near, last, end, until) : []
  const future = [
    ...new Set([...steps.map(([at]) => at), ...(exhaustsAt !== null && exhaustsAt < until ? [exhaustsAt] : []), until]),
  ]
    .filter((at) => at > end)
    .toSorted((a, b) => a - b)
  // without the nulls, the fill of a line would go on to the edge
  for (const line of lines) line.values = [...line.values, ...future.map(() => null)]
  const from = times.length - 1
  const futureLine = (label: string, color: string, valueAt: (at: number) => number | null): Line => {
    const past = times.map((): number | null => null)
    const futureValues = future.map(valueAt)
    return {
      label,
      values: [...past.with(from, last), ...futureValues],
      read: [...past, ...futureValues],
      color,
      dash: [2, 3],
      widthPx: 2,
    }
  }
  if (exhaustsAt !== null) {
    lines.push(
      futureLine('Forecast', '--warn', (at) => (at > exhaustsAt ? null : last * (1 - (at - end) / (exhaustsAt - end)))),
    )
  }
  if (lastMark) lines.push(futureLine('If nothing else fails', '--ok', (at) => valueAlong(steps, at)))
  times.push(...future)
  for (const row of large) {
    const label = formatReturn(row, budget, nowMs)
    marks.push({ atSeconds: seconds(row.ends_at), value: row.remaining_after_percent, label, color: '--ok' })
  }
  return drawn
}

/** True if two points in a row have data: a line is drawn between them. */
export function hasLine(points: readonly { coverage: number }[]): boolean {
  return points.some(({ coverage }, at) => coverage > 0 && (points[at - 1]?.coverage ?? 0) > 0)
}

/** Points from the one before the first data on: a chart is drawn of what exists. */
function sinceFirstData<T extends { coverage: number }>(points: readonly T[]): readonly T[] {
  return points.slice(Math.max(0, points.findIndex(({ coverage }) => coverage > 0) - 1))
}

function idealOf(points: readonly Pick<Budget['burn_down'][number], 'ideal_percent'>[]): Line {
  const values = points.map(({ ideal_percent }) => ideal_percent)
  return { label: 'Ideal', values, color: '--ink3', dash: [5, 4], widthPx: 1 }
}

/** Line of what would be left without corrections; none if nothing is left out. */
function withoutCorrections(points: readonly Budget['burn_down'][number][]): Line[] {
  const values = points.map(({ remaining_percent_without = null, coverage }) => {
    return coverage > 0 ? remaining_percent_without : null
  })
  if (values.every((value) => value === null)) return []
  return [{ label: 'Without corrections', values, color: '--ink2', dash: [1, 3], widthPx: 2 }]
}

/** Selects the returns to label in the chart: large ones, at least twice as large as if all came back evenly. */
function standsOut({ calendar, time_window }: Burned): (row: Return) => boolean {
  const used = calendar.reduce((sum, { gives_back_percent }) => sum + gives_back_percent, 0)
  const min = Math.max(minMarkPercent, (minTimesMean * used) / countSteps(time_window))
  return ({ gives_back_percent }) => gives_back_percent >= min
}

function seconds(timestamp: string): number {
  return Date.parse(timestamp) / 1000
}

function lowest(points: readonly Budget['burn_down'][number][]): number {
  const values = points.flatMap(({ remaining_percent: left, remaining_percent_without: without }) => [
    left ?? 0,
    without ?? 0,
  ])
  return Math.max(minDrawnPercent, Math.min(0, ...values))
}

/** Remaining budget over time if nothing else fails: constant, and rising during a return. */
function returnSteps(near: Budget['calendar'], left: number, end: number, until: number): [at: number, left: number][] {
  const steps: [number, number][] = [[end, left]]
  for (const { starts_at, ends_at, remaining_after_percent } of near) {
    const leftBefore = steps.at(-1)?.[1] ?? left
    steps.push([seconds(starts_at), leftBefore], [seconds(ends_at), remaining_after_percent])
  }
  const shownSteps = steps.filter(([at]) => at <= until)
  return [...shownSteps, [until, valueAlong(steps, until)]]
}

/** Value at a time of the line through the points; after the last point, the value of that. */
function valueAlong(steps: readonly [at: number, left: number][], at: number): number {
  const next = steps.findIndex(([time]) => time >= at)
  const [toAt = at, to = 0] = steps[next] ?? steps.at(-1) ?? []
  const [fromAt = toAt, from = to] = steps[next - 1] ?? []
  return toAt > fromAt && next > 0 ? from + ((to - from) * (at - fromAt)) / (toAt - fromAt) : to
}

/** Steps of which less than half was measured; adjacent ones are merged. */
function unmeasuredBands({ burn_down: points, window_seconds, period }: Burned): Band[] {
  const bands: Band[] = []
  const times = points.map(({ timestamp }) => seconds(timestamp))
  const start = period ? seconds(period.starts_at) : (times.at(-1) ?? 0) - window_seconds
  const covered = points.map(({ coverage }, at) => coverage * ((times[at] ?? start) - start))
  for (const [at, toSeconds] of times.entries()) {
    const fromSeconds = times[at - 1] ?? start
    const measured = (covered[at] ?? 0) - (covered[at - 1] ?? 0)
    if (measured >= (toSeconds - fromSeconds) / 2) continue
    const last = bands.at(-1)
    if (last?.toSeconds === fromSeconds) last.toSeconds = toSeconds
    else bands.push({ fromSeconds, toSeconds, color: '--sunken' })
  }
  return bands
}
