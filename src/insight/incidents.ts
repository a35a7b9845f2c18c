import { isBeyondChance } from '../slos/arithmetic/burn-rates.ts'

/** Measurements in `[startSeconds, endSeconds)`: bad events, or seconds, and their total. */
export type Cell = { startSeconds: number; endSeconds: number; bad: number; total: number }

/**
 * A period in which more failed than the target allows. `peak`: highest failed share of a cell, 0..1. `resolutionSeconds`:
 * length of its longest cell, by which begin, end and peak may be off.
 */
export type Incident = {
  startSeconds: number
  endSeconds: number
  bad: number
  total: number
  peak: number
  resolutionSeconds: number
}

/** Largest gap between incidents that are joined. */
const joinedSeconds = 15 * 60
const faintShare = 0.2

type Segment = { from: number; to: number; before: number; after: number }

/**
 * Finds the incidents in cells that are sorted by time. A stretch begins when more fails than the target allows, and ends when
 * less failing time has balanced that, at the latest after 15 minutes without a failure. Its incidents are the maximal scoring
 * segments, without what chance explains, joined over gaps of 15 minutes. With a target of 100 every failure exceeds the target. Rule:
 * docs/slo-math.md, "Incidents".
 */
export function findIncidents(cells: readonly Cell[], targetPercent: number): Incident[] {
  const allowed = 1 - targetPercent / 100
  const unjoined = excursions(cells, allowed)
    .flatMap((one) => maximalSegments(one, allowed))
    .map((one) => withoutFaintEdges(one, allowed))
    .filter((one) => one.length > 0)
    .map(incidentOf)
  const joined: Incident[] = []
  for (const next of unjoined) {
    const last = joined.at(-1)
    if (last && next.startSeconds - last.endSeconds <= joinedSeconds) {
      const cellsOfBoth = cells.filter(
        ({ startSeconds }) => startSeconds >= last.startSeconds && startSeconds < next.endSeconds,
      )
      joined[joined.length - 1] = incidentOf(cellsOfBoth)
    } else {
      joined.push(next)
    }
  }
  return joined
}

/** Splits an incident at these times, at which incidents of alerts began, and finds the incidents in each part. */
export function splitAt(
  one: Incident,
  atSeconds: readonly number[],
  cells: readonly Cell[],
  targetPercent: number,
): Incident[] {
  if (atSeconds.length === 0) return [one]
  const cellsOfIncident = cells.filter(
    (cell) => cell.startSeconds >= one.startSeconds && cell.endSeconds <= one.endSeconds,
  )
  const parts = Map.groupBy(cellsOfIncident, ({ startSeconds }) => atSeconds.findLastIndex((at) => at <= startSeconds))
  return [...parts.values()].flatMap((part) => findIncidents(part, targetPercent))
}

export type Stretch = { startSeconds: number; endSeconds: number }

/** Stretches of an incident in which more failed than the target allows, in order; gaps shorter than `calmSeconds` are part of them. */
export function stretchesOf(
  { startSeconds: from, endSeconds: to }: Incident,
  cells: readonly Cell[],
  { targetPercent, calmSeconds }: { targetPercent: number; calmSeconds: number },
): Stretch[] {
  const stretches: Stretch[] = []
  for (const cell of cells) {
    const { startSeconds, endSeconds } = cell
    if (startSeconds < from || endSeconds > to || burnRate(cell, 1 - targetPercent / 100) <= 1) continue
    const last = stretches.at(-1)
    if (last && startSeconds - last.endSeconds < calmSeconds) last.endSeconds = endSeconds
    else stretches.push({ startSeconds, endSeconds })
  }
  return stretches
}

/**
 * Extends cells with events, for slow scrapes, back over the cells without events before them: a cell that ends with a sample
 * then begins after the sample before, at most one interval earlier. Other cells without events stay as they are.
 */
export function extendToSamples(cells: readonly Cell[], intervalSeconds: number): Cell[] {
  const joined: Cell[] = []
  for (const cell of cells) {
    let { startSeconds } = cell
    for (let last = joined.at(-1); cell.total > 0 && last?.total === 0; last = joined.at(-1)) {
      if (last.endSeconds !== startSeconds || cell.endSeconds - last.startSeconds > intervalSeconds) break
      startSeconds = last.startSeconds
      joined.pop()
    }
    joined.push({ ...cell, startSeconds })
  }
  return joined
}

/**
 * Stretches that begin and end with a cell in which more failed than allowed. `level` rises with burn rates above 1 and falls
 * with those below. From its maximum of 1, 15 minutes without failures, or without traffic, take it to 0, which ends the
 * stretch.
 */
function excursions(cells: readonly Cell[], allowed: number): Cell[][] {
  const excursionList: Cell[][] = []
  let openCells: Cell[] = []
  let level = 0
  let lastEnd = 0
  const close = () => {
    const last = openCells.findLastIndex((cell) => burnRate(cell, allowed) > 1)
    if (last >= 0) excursionList.push(openCells.slice(0, last + 1))
    openCells = []
    level = 0
  }
  for (const cell of cells) {
    if (openCells.length > 0 && (cell.startSeconds - lastEnd) / joinedSeconds >= level) close()
    lastEnd = cell.endSeconds
    const change = ((burnRate(cell, allowed) - 1) * (cell.endSeconds - cell.startSeconds)) / joinedSeconds
    if (openCells.length === 0 && change <= 0) continue
    openCells.push(cell)
    level = Math.min(1, level + change)
    if (level <= 0) close()
  }
  close()
  return excursionList
}

/** Burn rate of a cell: its failed share, divided by the allowed share. */
function burnRate({ bad, total }: Cell, allowed: number): number {
  return bad > 0 && total > 0 ? bad / total / allowed : 0
}

/**
 * Cuts off the cells before the first and after the last one that failed at least a fifth as much as the whole, unless more
 * failed there than chance explains: an occasional failure is no start. Empty if chance explains the whole.
 */
function withoutFaintEdges(cells: readonly Cell[], allowed: number): readonly Cell[] {
  if (cells.length === 0) return cells
  const { bad, total } = incidentOf(cells)
  if (!isBeyondChance(bad, allowed * total)) return []
  const min = Math.max(allowed, (faintShare * bad) / total)
  const isStrong = (cell: Cell) => cell.bad > min * cell.total
  const [first, last] = [cells.findIndex(isStrong), cells.findLastIndex(isStrong)]
  const strongBefore = withoutFaintEdges(cells.slice(0, first), allowed)
  const strongAfter = withoutFaintEdges(cells.slice(last + 1), allowed)
  const start = strongBefore[0]?.startSeconds ?? cells[first]?.startSeconds ?? 0
  const end = strongAfter.at(-1)?.endSeconds ?? cells[last]?.endSeconds ?? 0
  return cells.filter(({ startSeconds, endSeconds }) => startSeconds >= start && endSeconds <= end)
}

function incidentOf(cells: readonly Cell[]): Incident {
  const sum = { bad: 0, total: 0, peak: 0, resolutionSeconds: 0 }
  for (const { startSeconds, endSeconds, bad, total } of cells) {
    sum.resolutionSeconds = Math.max(sum.resolutionSeconds, endSeconds - startSeconds)
    sum.bad += bad
    sum.total += total
    if (total > 0) sum.peak = Math.max(sum.peak, bad / total)
  }
  return { startSeconds: cells[0]?.startSeconds ?? 0, endSeconds: cells.at(-1)?.endSeconds ?? 0, ...sum }
}

/**
 * Maximal scoring segments of cells, each of which scores its failures beyond the allowed ones (Ruzzo and Tompa, "A linear time
 * algorithm for finding all maximal scoring subsequences", ISMB 1999). `before` and `after`: sums of all scores up to a
 * segment's start and its end.
 */
function maximalSegments(cells: readonly Cell[], allowed: number): Cell[][] {
  const segments: Segment[] = []
  let sum = 0
  for (const [at, { bad, total }] of cells.entries()) {
    const score = bad - allowed * total
    sum += score
    if (score <= 0) continue
    const next: Segment = { from: at, to: at + 1, before: sum - score, after: sum }
    for (;;) {
      const earlier = segments.findLastIndex(({ before }) => before < next.before)
      const candidate = segments[earlier]
      if (!candidate || candidate.after >= next.after) break
      next.from = candidate.from
      next.before = candidate.before
      segments.length = earlier
    }
    segments.push(next)
  }
  return segments.map(({ from, to }) => cells.slice(from, to))
}
