/** What was measured in `[startSeconds, endSeconds)`: events, or seconds, that were bad, of all. */
export type Cell = { startSeconds: number; endSeconds: number; bad: number; total: number }

/**
 * A stretch of time in which more failed than the target allows. `peak`: the highest failed share of a cell, 0..1. `resolutionSeconds`: the
 * length of its longest cell.
 */
export type Incident = {
  startSeconds: number
  endSeconds: number
  bad: number
  total: number
  peak: number
  resolutionSeconds: number
}

/** Incidents so near to each other are one. */
const joinedSeconds = 15 * 60
const minDeviations = 4
const faintShare = 0.2

type Segment = { from: number; to: number; before: number; after: number }

/**
 * The incidents in cells that are in the order of time. Each cell scores what failed in it beyond what the target
 * allows; incidents are the maximal scoring segments (Ruzzo and Tompa, "A
 * linear time algorithm for finding all maximal scoring subsequences", ISMB 1999), without those that chance explains,
 * joined over gaps of 15 minutes. Of a target of 100 each failure is an incident.
 */
export function findIncidents(cells: readonly Cell[], targetPercent: number): Incident[] {
  const allowed = 1 - targetPercent / 100
  const segments = maximalSegments(cells.map(({ bad, total }) => bad - allowed * total))
  const found = segments
    .map(({ from, to }) => incidentOf(withoutFaintEdges(cells.slice(from, to), allowed)))
    .filter(({ bad, total }) => isBeyondChance(bad, allowed * total))
  const joined: Incident[] = []
  for (const next of found) {
    const last = joined.at(-1)
    if (last && next.startSeconds - last.endSeconds <= joinedSeconds) {
      const between = cells.filter(
        ({ startSeconds }) => startSeconds >= last.startSeconds && startSeconds < next.endSeconds,
      )
      joined[joined.length - 1] = incidentOf(between)
    } else {
      joined.push(next)
    }
  }
  return joined
}

/** Without the cells at both ends in which far less failed than in the whole: a failure now and then is no begin. */
function withoutFaintEdges(cells: readonly Cell[], allowed: number): readonly Cell[] {
  const { bad, total } = incidentOf(cells)
  const least = Math.max(allowed, (faintShare * bad) / total)
  const isStrong = (cell: Cell) => cell.bad > least * cell.total
  return cells.slice(cells.findIndex(isStrong), cells.findLastIndex(isStrong) + 1)
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

/** Whether so many failures are more than a Poisson process with this mean brings about. */
function isBeyondChance(bad: number, expected: number): boolean {
  return bad > expected + minDeviations * Math.sqrt(Math.max(expected, 0.25))
}

/** `before` and `after`: the sums of all scores up to a segment's begin and its end. */
function maximalSegments(scores: readonly number[]): Segment[] {
  const segments: Segment[] = []
  let sum = 0
  for (const [at, score] of scores.entries()) {
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
  return segments
}
