import type { Db } from '../db/open.ts'
import { type Burned, findUsedUp } from '../evaluation/reads/used-up.ts'
import type { OverviewSlo } from '../evaluation/state-store.ts'
import type { LedgerWindow } from '../ledger/window-spans.ts'
import { type ReadSums, sumWindows } from '../ledger/window-sums.ts'
import { allowedInWindow, burnedPercent } from '../slos/arithmetic/budget.ts'
import { burnDownTimes } from '../slos/arithmetic/burn-down-times.ts'
import { secondsToExhaustion } from '../slos/arithmetic/forecast.ts'
import { type OwnWindow, ownWindow } from '../slos/arithmetic/own-window.ts'
import type { StoredDays } from './stored-days.ts'
import { day, hour } from '../ledger/bucket.ts'

/**
 * An SLO whose budget of the whole window is used up, or may be within its window. `windowShare`: share of the window since the
 * first sample. `runningSeconds`: time after `measuredAtMs` that `usedPercent` includes. `rate`: the burn rate that the forecast continues.
 */
export type Burning = {
  slo: OverviewSlo
  measuredAtMs: number
  runningSeconds: number
  usedPercent: number
  windowShare: number
  rate: number | null
}

type Reads = { readSums: ReadSums; stored: StoredDays }

/** Burn-down of an SLO over its window, as far as it has been read. `allowed`: bad events or seconds that use up the budget. */
type Track = {
  burning: Burning
  own: OwnWindow
  startSeconds: number
  endSeconds: number
  /** Points from the start of the window, where nothing has failed yet, to its end. */
  points: Burned[]
  allowed: number
}

/**
 * Times, in ms, at which each budget was used up, or will be; null: not within the window. They equal the burn-down of
 * `/slos/:id/budget`, in a few statements for hundreds of SLOs. First it reads whole days (hours, for windows of up to a day), then
 * the points of the burn-down inside the days in which the budget can be used up, and, if it is used up, the minute.
 */
export async function findExhaustions(
  db: Db,
  burning: Burning[],
  nowSeconds: number,
  reads: Reads,
): Promise<(number | null)[]> {
  const tracks = burning.map(createTrack)
  await readEarlierDays(tracks, reads.stored)
  await addPoints(db, tracks, nowSeconds, reads, ({ startSeconds, endSeconds, own }) => {
    const size = own.wholeSeconds > day ? day : hour
    const ends = []
    for (let at = (Math.floor(startSeconds / size) + 1) * size; at < endSeconds; at += size) ends.push(at)
    return [{ fromSeconds: startSeconds, ends: [...ends, endSeconds] }]
  })
  await addPoints(db, tracks, nowSeconds, reads, (track) => {
    const grid = burnDownTimes(track.startSeconds, track.endSeconds)
    return possibleSteps(track).map(({ from, to }) => ({
      fromSeconds: from.atSeconds,
      ends: grid.filter((at) => at > from.atSeconds && at < to.atSeconds),
    }))
  })
  const exhaustions = tracks.map(exhaustedAtMs)
  const usedUpSteps = tracks.flatMap((track, index) => {
    const [step] = track.burning.usedPercent >= 100 ? possibleSteps(track) : []
    const { id: sloId, revision } = track.burning.slo
    return step ? [{ ...step, sloId, revision, startSeconds: track.startSeconds, allowed: track.allowed, index }] : []
  })
  const usedUp = await findUsedUp(usedUpSteps, nowSeconds, (windows) =>
    sumWindows(db, windows, nowSeconds, reads.readSums),
  )
  for (const [at, { index }] of usedUpSteps.entries()) exhaustions[index] = (usedUp[at]?.atSeconds ?? 0) * 1000
  return exhaustions
}

function createTrack(burning: Burning): Track {
  const endSeconds = Math.floor(burning.measuredAtMs / 1000)
  const own = ownWindow(burning.slo, endSeconds)
  const { startSeconds } = own
  return {
    burning,
    own,
    startSeconds,
    endSeconds,
    points: [{ atSeconds: startSeconds, bad: 0, percent: 0 }],
    allowed: 0,
  }
}

/** Reads the days of windows that begin before the days of the overview. */
async function readEarlierDays(tracks: Track[], { firstSeconds, addEarlier }: StoredDays): Promise<void> {
  const earlier = tracks.filter(({ startSeconds }) => startSeconds <= firstSeconds - day)
  const fromSeconds = earlier.reduce((first, { startSeconds }) => Math.min(first, startSeconds), Infinity)
  const slos = new Map(earlier.map(({ burning: { slo } }) => [slo.id, slo]))
  await addEarlier([...slos.values()], fromSeconds)
}

type Sum = { good: number; total: number }

/** Adds points to each track, at the ends of steps that begin at an existing point. */
async function addPoints(
  db: Db,
  tracks: Track[],
  nowSeconds: number,
  { readSums, stored }: Reads,
  stepsOf: (track: Track) => { fromSeconds: number; ends: number[] }[],
): Promise<void> {
  const windows: LedgerWindow[] = []
  const steps = tracks.map((track) => {
    const { id: sloId, revision } = track.burning.slo
    return stepsOf(track).map(({ fromSeconds, ends }) => ({
      fromSeconds,
      ends,
      sums: ends.map((endSeconds, at): Sum | null => {
        const startSeconds = ends[at - 1] ?? fromSeconds
        const bucket = isDay(startSeconds, endSeconds) ? stored.find(sloId, startSeconds) : undefined
        if (bucket) return bucket
        const keepsLead = startSeconds > track.startSeconds
        windows.push({ sloId, revision, startSeconds, endSeconds, keepsLead })
        return null
      }),
    }))
  })
  const others = (await sumWindows(db, windows, nowSeconds, readSums)).values()
  for (const [index, track] of tracks.entries()) {
    const trackSteps = (steps[index] ?? []).map(({ sums, ...step }) => ({
      ...step,
      sums: sums.map((sum) => sum ?? others.next().value ?? { good: 0, total: 0 }),
    }))
    if (track.points.length === 1) {
      const total = trackSteps.reduce((all, { sums }) => sums.reduce((some, sum) => some + sum.total, all), 0)
      track.allowed = allowedInWindow(total, track.burning.slo.target, track.burning.windowShare)
    }
    const badAt = new Map(track.points.map(({ atSeconds, bad }) => [atSeconds, bad]))
    for (const { fromSeconds, ends, sums } of trackSteps) {
      let bad = badAt.get(fromSeconds) ?? 0
      for (const [at, { good, total }] of sums.entries()) {
        bad += Math.max(0, total - good)
        const atSeconds = ends[at] ?? 0
        track.points.push({ atSeconds, bad, percent: burnedPercent(bad, track.allowed) })
      }
    }
    track.points.sort((a, b) => a.atSeconds - b.atSeconds)
  }
}

/** True for a whole day: most steps are stored days, which cost less than finer buckets. */
function isDay(startSeconds: number, endSeconds: number): boolean {
  return startSeconds % day === 0 && endSeconds === startSeconds + day
}

/**
 * Steps in which the budget may be used up, up to the first at whose end it certainly is. No steps for a calendar period with
 * remaining budget, since no failures leave its window.
 */
function possibleSteps({ burning: { usedPercent, rate }, startSeconds, own, points }: Track) {
  const crossings: { from: Burned; to: Burned }[] = []
  for (const [at, to] of points.entries()) {
    const from = points[at - 1]
    if (!from) continue
    if (usedPercent >= 100) {
      if (to.percent >= 100) return [{ from, to }]
      continue
    }
    if (own.nextSeconds !== null) return []
    // once the window begins at `to`, the failures before have left it, and the burn rate has added so many percent
    const added = (100 * (rate ?? 0) * (to.atSeconds - startSeconds)) / own.seconds
    if (usedPercent - from.percent + added >= 100) crossings.push({ from, to })
    if (usedPercent - to.percent + added >= 100) return crossings
  }
  return usedPercent >= 100 ? [] : crossings
}

function exhaustedAtMs({ burning, own, points }: Track): number | null {
  const { usedPercent, rate, measuredAtMs, runningSeconds } = burning
  if (usedPercent >= 100) return measuredAtMs // if the ledger has fewer failures, and none of its points reaches 100 %
  if (rate === null) return null
  const burned = points.slice(1)
  const leftSeconds = secondsToExhaustion({ usedPercent, burnRate: rate, own, burned })
  return leftSeconds === null ? null : measuredAtMs + (runningSeconds + leftSeconds) * 1000
}
