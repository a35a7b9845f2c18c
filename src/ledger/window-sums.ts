import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { inChunks } from '../concurrency/chunks.ts'
import type { Db } from '../db/open.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import { burnRateOfWindow, isBeyondChance, sixDigits, type TierWindow } from '../slos/arithmetic/burn-rates.ts'
import { existingShare, type Reach } from '../slos/arithmetic/reach.ts'
import { sliOfSum, type WindowSum } from '../slos/arithmetic/window-sum.ts'
import { ceilTo, day, floorTo, hour, minute } from './bucket.ts'
import type { StoredComposite } from './composite-store.ts'
import { sumWithComposites } from './composite-sums.ts'
import { listStarts, type SloRevision } from './ledger-store.ts'
import { countsEvents } from './measure/measure-ledger.ts'
import { cacheStarts, type CachedSlo, cacheWindow, type LedgerCache } from './memory/ledger-cache.ts'
import { type ReadRanges, sumLists } from './range-sums.ts'
import { listReaches } from './reach-store.ts'
import { type PlacedWindow, type ReadSpans, sumSameBounds } from './shared-sums-store.ts'
import {
  joinedSpans,
  type LedgerWindow,
  spansOf,
  type StoredStarts,
  storedPart,
  sumSpans,
  type Window,
} from './window-spans.ts'

/**
 * Burn rate and failures over a window; `coverage`, 0..1, is the share that was measured. `totalEvents` null: unknown, or no events
 * are counted. `isBeyondChance`: more failed than a service that meets its target exactly explains.
 */
export type WindowRate = TierWindow & { coverage: number; totalEvents: number | null; isBeyondChance: boolean }

/** Windows of an SLO, by their length in seconds. `reach` null: the ledger has nothing in any of them. */
export type SloRates = { rates: Map<number, WindowRate>; reach: Reach | null }

/**
 * Burn rates of SLOs over windows of these lengths (seconds) that end at `endSeconds`, the present time; by SLO id. `composite`: that of
 * the SLO, so that it is not looked up.
 */
export async function sumRates(
  db: Db,
  requests: { planned: PlannedSlo; lengths: number[]; composite?: StoredComposite }[],
  endSeconds: number,
  memory: LedgerCache,
): Promise<Map<number, SloRates>> {
  const windows = requests.flatMap(({ planned, lengths, composite }) => {
    const { id: sloId, revision } = planned.slo
    const slo = { sloId, revision, isPlain: planned.slo.composite === null, ...(composite && { composite }) }
    return lengths.map((seconds) => {
      return { ...slo, slo, startSeconds: endSeconds - seconds, endSeconds, planned, seconds }
    })
  })
  const sums = await sumWindows(db, windows, endSeconds, createReadSums(), memory)
  const measured = windows.filter((_, n) => (sums[n]?.coveredSeconds ?? 0) > 0)
  const known = [...new Map(measured.map(({ sloId, slo }) => [sloId, slo])).values()]
  const reaches = await listReaches(db, known, endSeconds, memory)
  const reachOf = new Map(known.map(({ sloId }, place) => [sloId, reaches[place] ?? null]))
  const bySlo = new Map(
    requests.map(({ planned: { slo } }): [number, SloRates] => {
      return [slo.id, { rates: new Map(), reach: reachOf.get(slo.id) ?? null }]
    }),
  )
  windows.forEach(({ sloId, planned, seconds }, n) => {
    const [sum, slo] = [sums[n], bySlo.get(sloId)]
    if (sum && slo) slo.rates.set(seconds, tierRateOfSum(planned, sum, { seconds, endSeconds, reach: slo.reach }))
  })
  return bySlo
}

/**
 * Burn rate of a sum as tiers read it: time before the first sample burns nothing, so that the rate over what exists counts by
 * its share of the window. Unknown while a backfill may add to the window.
 */
export function tierRateOfSum(
  planned: PlannedSlo,
  sum: WindowSum,
  { seconds, endSeconds, reach }: { seconds: number; endSeconds: number; reach: Reach | null },
): WindowRate {
  const whole = rateOfSum(planned, sum, seconds)
  const share = reach ? existingShare(reach, endSeconds - seconds, endSeconds) : 1
  if (share === 1) return whole
  if (share === null) return { ...whole, rate: null, badEvents: null }
  const existing = rateOfSum(planned, sum, seconds * share)
  const { target } = planned.slo
  return {
    ...existing,
    rate: existing.rate === null ? null : sixDigits(existing.rate * share),
    coverage: whole.coverage,
    partial: {
      existingRate: existing.rate,
      isBeyondChance: isBeyondChance(sum.total - sum.good, (sum.total * (100 - target)) / 100),
    },
  }
}

/** Burn rate of a sum over so many seconds. */
export function rateOfSum({ slo, plan }: PlannedSlo, sum: WindowSum, seconds: number): WindowRate {
  const sli = sliOfSum(sum, seconds)
  const isKnown = sli.reason !== 'no_data' && countsEvents(plan)
  return {
    rate: burnRateOfWindow(sli, slo.target),
    badEvents: isKnown ? Math.max(0, Math.round(sum.total - sum.good)) : null,
    totalEvents: isKnown ? sum.total : null,
    isBeyondChance: isBeyondChance(sum.total - sum.good, (sum.total * (100 - slo.target)) / 100),
    coverage: sli.coverage,
  }
}

/**
 * Sums that were read for one answer, which has one revision of each SLO. Calls that share it read nothing twice: most windows
 * include the minutes that are in no hour yet. `minShared`: number of SLOs from which a window is read jointly; few SLOs take
 * fewer statements when each window is read by itself.
 */
export type ReadSums = { ranges: ReadRanges; spans: ReadSpans; minShared: number }

export function createReadSums(minShared = 200): ReadSums {
  return { ranges: new Map(), spans: new Map(), minShared }
}

const batchSize = 1000 // SQLite is synchronous: nothing else runs during a read
const sharedBatchSize = 500

/**
 * Sums each window, in order. From 200 windows on they are read in batches, between which other work runs. A window that many SLOs
 * have is read jointly: for 500 SLOs at a time, with one statement for each of its parts. Other windows are read 1,000 at a time,
 * with at most four statements. Windows of a composite are sums over those of its members. `memory`: cache of evaluated SLOs; all
 * windows are then read in one batch, none jointly.
 */
export async function sumWindows(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  readSums = createReadSums(),
  memory?: LedgerCache,
): Promise<WindowSum[]> {
  return sumWithComposites(db, windows, (some) => sumStored(db, some, nowSeconds, readSums, memory))
}

async function sumStored(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  readSums: ReadSums,
  memory?: LedgerCache,
): Promise<WindowSum[]> {
  if (memory) return sumCached(db, windows, nowSeconds, readSums, memory)
  if (windows.length < readSums.minShared) return sumSingly(db, windows, nowSeconds, readSums.ranges)
  const sums: WindowSum[] = []
  const placed = windows.map((window, place): PlacedWindow => ({ ...window, place }))
  const single: PlacedWindow[] = []
  for (const same of Map.groupBy(placed, boundsOf).values()) {
    const isShared = same.length >= readSums.minShared
    if (!isShared) single.push(...same)
    for (const chunk of isShared ? inChunks(same, sharedBatchSize) : []) {
      single.push(...(await sumSameBounds(db, chunk, nowSeconds, readSums.spans, sums)))
      await yieldToEventLoop()
    }
  }
  for (const chunk of inChunks(single, batchSize)) {
    const chunkSums = await sumSingly(db, chunk, nowSeconds, readSums.ranges)
    for (const [at, sum] of chunkSums.entries()) {
      const { place } = chunk[at] ?? {}
      if (place !== undefined) sums[place] = sum
    }
    await yieldToEventLoop()
  }
  return sums
}

/** Sums each window, in order, and keeps the sums in `memory`. */
async function sumCached(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  readSums: ReadSums,
  memory: LedgerCache,
): Promise<WindowSum[]> {
  const known = windows.map((window) => {
    const cached = memory.find(window, nowSeconds)?.windows
    const key = `${boundsOf(window)} ${nowSeconds} ${window.keepsLead ?? false}`
    return { cached, key, sum: cached?.get(key) }
  })
  const unknown = windows.filter((_, n) => !known[n]?.sum)
  const sums = (await sumSingly(db, unknown, nowSeconds, readSums.ranges, memory)).values()
  return known.flatMap(({ cached, key, sum }) => {
    if (sum) return sum
    const { value } = sums.next()
    if (value && cached) cacheWindow(cached, key, value)
    return value ?? []
  })
}

const boundsOf = ({ startSeconds, endSeconds }: Window) => `${startSeconds} ${endSeconds}`

/** Sums each window, in order, in four statements at most. */
async function sumSingly(
  db: Db,
  windows: LedgerWindow[],
  nowSeconds: number,
  readRanges: ReadRanges,
  memory?: LedgerCache,
): Promise<WindowSum[]> {
  const windowParts = windows.map((window) => ({ window, part: storedPart(window, nowSeconds) }))
  const measured = new Map<string, Measured>()
  const placed = windowParts.map(({ window: { sloId, revision }, part }) => {
    const make = () => {
      const cached = memory?.find({ sloId, revision }, nowSeconds)
      return { sloId, revision, parts: [], stored: { days: noStarts, hours: noStarts }, cached }
    }
    const slo = measured.getOrInsertComputed(`${sloId} ${revision}`, make)
    slo.parts.push(part)
    return { slo, part }
  })
  const all = [...measured.values()]
  await addStored(db, day, all, ({ parts }) => parts)
  await addStored(db, hour, all, uncoveredByDays)
  const lists = placed.map(({ slo, part }) => ({ slo, spans: spansOf(part, slo.stored) }))
  const sums = await sumLists(db, lists, readRanges)
  return sums.map((windowSums, n) => sumSpans(windowSums, windows[n]?.keepsLead ?? false))
}

const noStarts: ReadonlySet<number> = new Set()

type Measured = SloRevision & { parts: Window[]; stored: StoredStarts; cached: CachedSlo | undefined }

/** Adds the start times of stored buckets of one length in these parts of each measurement. Overlapping parts are read once. */
async function addStored(
  db: Db,
  resolution: 3600 | 86_400,
  measured: Measured[],
  partsOf: (slo: Measured) => Window[],
): Promise<void> {
  const name = resolution === day ? 'days' : 'hours'
  const sought = measured.flatMap((slo) => {
    const spans = joinedSpans(partsOf(slo), resolution)
    const coarse = slo.cached?.coarse
    const key = coarse ? `${name} ${spans.map(boundsOf).join()}` : ''
    const cachedStarts = coarse?.starts.get(key)
    if (cachedStarts) slo.stored = { ...slo.stored, [name]: cachedStarts }
    return cachedStarts ? [] : [{ slo, spans, coarse, key }]
  })
  const ranges = sought.flatMap(({ slo: { sloId, revision }, spans }) =>
    spans.map((span) => ({ ...span, sloId, revision })),
  )
  const startsBySpan = await listStarts(db, ranges)
  let place = 0
  for (const { slo, spans, coarse, key } of sought) {
    const starts = new Set(startsBySpan.slice(place, (place += spans.length)).flat())
    slo.stored = { ...slo.stored, [name]: starts }
    if (coarse) cacheStarts(coarse, key, starts)
  }
}

/** Parts that no stored day covers: days that are not stored, and days in which a window begins or ends. */
function uncoveredByDays({ parts, stored: { days } }: Measured): Window[] {
  const cut = parts.flatMap(({ startSeconds, endSeconds }) => [
    { startSeconds, endSeconds: Math.min(endSeconds, ceilTo(startSeconds, day)) },
    { startSeconds: Math.max(startSeconds, floorTo(endSeconds, day)), endSeconds },
  ])
  const missing = joinedSpans(parts, day).flatMap((span) => spansOf(span, { days, hours: new Set() }))
  return [...cut, ...missing.filter(({ resolution }) => resolution === minute)]
}
