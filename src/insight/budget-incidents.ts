import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { Database, Db } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { IncidentRow, SloRow, StateRow } from '../db/tables/tables.ts'
import { getState } from '../evaluation/state-store.ts'
import { type Bucket, ceilTo, day, floorTo, hour, hoursKeptSeconds, minute } from '../ledger/bucket.ts'
import { knownSamplings } from '../ledger/counters/sampling.ts'
import { listBucketsOf } from '../ledger/composite-buckets.ts'
import { type Masks, masksOf } from '../ledger/excluded/masks.ts'
import { countsEvents, type Measure, measureIsolated, measureLedger } from '../ledger/measure/measure-ledger.ts'
import { knownIntervals } from '../ledger/sample-intervals.ts'
import type { Planner } from '../sli/plan/planner.ts'
import { round10, unknownWindowBudget, windowBudget, type WindowBudget } from '../slos/arithmetic/budget.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'
import type { Source, SourceOpener } from '../sources/source.ts'
import { openSource } from '../sources/store.ts'
import {
  type Cell,
  extendToSamples,
  findIncidents,
  type Incident,
  splitAt,
  type Stretch,
  stretchesOf,
} from './incidents.ts'

export type IncidentDeps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  planner: Planner
  /** Lists the incidents of an SLO's alerts that failed at or after a time, oldest first. */
  listSpans: (sloId: number, startSeconds: number) => Promise<IncidentSpan[]>
}

/** Time of an incident of alerts, in Unix seconds; `ended_at` null: it still fails. */
export type IncidentSpan = Pick<IncidentRow, 'id' | 'severity' | 'began_at'> & { ended_at: number | null }

/**
 * Incidents that used the budget of the SLO's own window. Shares are in percent of the budget: the incidents' shares and
 * `backgroundPercent`, which is all that failed outside of them, add up to `usedPercent`. All null, and no incidents, if
 * nothing was measured.
 */
export type BudgetIncidents = {
  slo: SloRow
  /** False: bad and total are seconds. */
  countsEvents: boolean
  /** Length of the whole own window. */
  windowSeconds: number
  startSeconds: number
  endSeconds: number
  usedPercent: number | null
  windowBudget: WindowBudget
  backgroundPercent: number | null
  incidents: BudgetIncident[]
  /**
   * Incidents computed from the ledger alone, without minutes of the source. Earlier responses may have listed these, so clients may
   * ask for their keys.
   */
  coarse: Incident[]
  /** Incidents of the SLO's alerts since the begin of the window, oldest first. */
  spans: IncidentSpan[]
}

export type BudgetIncident = Incident & { stretches: Stretch[]; sharePercent: number; isOngoing: boolean }

const maxHoursPerQuery = 6 // queried by minutes in one query
const maxHours = 48 // that a request refines; older incidents stay as precise as their hours
const maxWaitMs = 1000 // that a request waits for the source; later answers are in the next response
const ongoingSeconds = 15 * minute
const nearlyAllRatio = 0.9
const retryMs = 600_000 // if the source did not have all minutes, or did not answer

export function createBudgetIncidents(deps: IncidentDeps) {
  const { db, clock, planner } = deps
  /** Minutes of hours that the ledger has only as hours; empty if the source does not have them either. */
  const minutesOf = new LRUCache<string, Bucket[]>({ max: 5000, perf: clock, ttlResolution: 0 })

  const minuteQueries = createSingleFlight<void>()
  /** Contains the excluded times of the SLO: they change the counts of an hour, with which its minutes are compared. */
  const keyOf = (slo: SloRow, startSeconds: number) =>
    `${slo.id} ${slo.revision} ${startSeconds} ${masks?.textOf(slo.id) ?? ''}`
  /** Excluded times of all SLOs, as the last request has read them. */
  let masks: Masks | undefined

  /** Gets the minutes of hours; an empty list for an hour that the source does not have completely, or has not answered for yet. */
  async function refine(slo: SloRow, hours: readonly Cell[]): Promise<Map<number, Bucket[]>> {
    const missing = hours.filter(({ startSeconds }) => !minutesOf.has(keyOf(slo, startSeconds))).slice(-maxHours)
    if (missing.length > 0)
      await waitAtMost(
        maxWaitMs,
        minuteQueries.join(slo.id, () => queryMinutes(slo, missing)),
      )
    return new Map(hours.map(({ startSeconds }) => [startSeconds, minutesOf.get(keyOf(slo, startSeconds)) ?? []]))
  }

  /** Minute of the source, without events if it overlaps an excluded time. */
  function zeroIfExcluded(slo: SloRow, bucket: Bucket): Bucket {
    const span = { startSeconds: bucket.startSeconds, endSeconds: bucket.startSeconds + minute }
    return masks && masks.spansOf(slo.id, span).length > 0 ? { ...bucket, good: 0, total: 0 } : bucket
  }

  /** Queries minutes, the latest first, up to the first query that the source does not answer. */
  async function queryMinutes(slo: SloRow, hours: readonly Cell[]): Promise<void> {
    const source = await openSource(deps, slo.organization_id, slo.source_id).catch(() => undefined)
    let isAnswered = source !== undefined
    for (const run of runsOf(hours, maxHoursPerQuery).toReversed()) {
      const minutes = source && isAnswered ? await measureRun(source, slo, run) : null
      isAnswered = minutes !== null
      for (const one of run) {
        const own = minutes?.filter(within(one)) ?? []
        if (isAllOf(own, one)) minutesOf.set(keyOf(slo, one.startSeconds), own)
        else minutesOf.set(keyOf(slo, one.startSeconds), [], { ttl: retryMs })
      }
    }
  }

  /**
   * Measures the minutes of consecutive hours: first with the present sample interval, which is known; if that misses something,
   * with the interval at that time, which has to be queried. Null if the source does not answer.
   */
  async function measureRun(source: Source, slo: SloRow, run: readonly Cell[]): Promise<Bucket[] | null> {
    const [startSeconds, endSeconds] = [run[0]?.startSeconds ?? 0, run.at(-1)?.endSeconds ?? 0]
    const span = { resolution: minute, startSeconds, endSeconds } as const
    const nowSeconds = floorTo(clock.now() / 1000, minute)
    const withIntervalOfNow: Measure = (...asked) => measureLedger(...asked, nowSeconds)
    let buckets: Bucket[] | null = null
    for (const measure of [withIntervalOfNow, measureLedger]) {
      const measured = (await measureIsolated(measure, source, [planner.plan(slo)], span)).get(slo.id)
      if (!measured || 'error' in measured) return buckets
      ;({ buckets } = measured)
      if (run.every((one) => isAllOf(measured.buckets.filter(within(one)), one))) break
    }
    return buckets
  }

  /** Seconds between the samples of an SLO's counters, or of its gauge; 0: not known, or it has neither. */
  async function intervalOf(slo: SloRow): Promise<number> {
    const { counters, samples } = planner.plan(slo).plan
    const source = await openSource(deps, slo.organization_id, slo.source_id).catch(() => undefined)
    if (!source) return 0
    if (samples) return knownIntervals(source, samples.selector)?.longestSeconds ?? 0
    return counters ? (knownSamplings(source, [{ sloId: slo.id, counters }]).get(slo.id)?.intervalSeconds ?? 0) : 0
  }

  return async function budgetIncidents(organizationId: number, sloId: number): Promise<BudgetIncidents> {
    masks = await masksOf(db)
    const { slo, state } = await getState(db.read, organizationId, sloId)
    const endSeconds = Math.floor((state?.measured_at ?? clock.now()) / 1000)
    const { startSeconds, wholeSeconds: windowSeconds } = ownWindow(slo, endSeconds)
    const base = {
      slo,
      countsEvents: countsEvents(planner.plan(slo).plan),
      windowSeconds,
      startSeconds,
      endSeconds,
      usedPercent: null,
      windowBudget: unknownWindowBudget,
      backgroundPercent: null,
      incidents: [],
      coarse: [],
      spans: await deps.listSpans(sloId, startSeconds),
    }
    if (!state || state.budget_used === null) return base
    const stored = [...(await cellsOf(db.read, slo, startSeconds, endSeconds)), ...runningCells(state, endSeconds)]
    const coarse = findIncidents(stored, slo.target)
    const hoursToRefine = slo.composite === null ? hoursAround(coarse, stored) : [] // a composite has no source to ask
    const finer = hoursToRefine.length > 0 ? await refine(slo, hoursToRefine) : new Map<number, Bucket[]>()
    const fine = stored.flatMap((cell) => {
      const minutes = finer.get(cell.startSeconds)
      return minutes && minutes.length > 0
        ? minutes.map((bucket) => cellOf(zeroIfExcluded(slo, bucket), minute))
        : [cell]
    })
    const sampledSeconds = ceilTo(await intervalOf(slo), minute)
    const cells = sampledSeconds > minute && base.countsEvents ? extendToSamples(fine, sampledSeconds) : fine
    const allBad = sumOf(cells, 'bad')
    const used = state.budget_used
    const found = findIncidents(cells, slo.target)
    // if seconds are counted, one good minute shows that the SLO was up; a minute with few events may be good by chance
    const calmSeconds = base.countsEvents ? 5 * minute : minute
    const split = found.flatMap((one) => splitAt(one, splitsOf(one, base.spans), cells, slo.target))
    const incidents = split.map((incident, place) => ({
      ...incident,
      stretches: stretchesOf(incident, cells, { targetPercent: slo.target, calmSeconds }),
      resolutionSeconds: Math.max(incident.resolutionSeconds, sampledSeconds, minute),
      sharePercent: allBad > 0 ? (used * incident.bad) / allBad : 0,
      isOngoing: place === split.length - 1 && endSeconds - incident.endSeconds < ongoingSeconds,
    }))
    const explained = incidents.reduce((sum, { sharePercent }) => sum + sharePercent, 0)
    return {
      ...base,
      usedPercent: used,
      windowBudget: windowBudget(used, slo.target, {
        windowShare: state.window_share,
        countsEvents: state.total_events !== null,
      }),
      backgroundPercent: Math.max(0, round10(used - explained)),
      incidents,
      coarse,
    }
  }
}

/** Times at which an incident is split: where the second and each later incident of alerts within it begins, and the one before it ends. */
function splitsOf({ startSeconds, endSeconds }: Incident, spans: readonly IncidentSpan[]): number[] {
  const overlapping = spans.filter((span) => span.began_at < endSeconds && (span.ended_at ?? Infinity) > startSeconds)
  return overlapping.flatMap(({ ended_at }, place) => {
    const next = overlapping[place + 1]
    if (!next) return []
    const nextSeconds = floorTo(next.began_at, minute)
    return [Math.min(ceilTo(ended_at ?? nextSeconds, minute), nextSeconds), nextSeconds]
  })
}

/**
 * Ledger cells of a window, oldest first: days where hours are no longer kept, then hours, each replaced by its minutes if these cover
 * as much.
 */
async function cellsOf(db: Db, slo: SloRow, startSeconds: number, endSeconds: number): Promise<Cell[]> {
  const list = (resolution: 60 | 3600 | 86_400, from: number, to: number) =>
    listBucketsOf(db, { sloId: slo.id, revision: slo.revision, resolution, startSeconds: from, endSeconds: to })
  const firstHour = Math.max(startSeconds, Math.ceil((endSeconds - hoursKeptSeconds) / day) * day)
  const days = startSeconds < firstHour ? await list(day, startSeconds, firstHour) : []
  const hours = await list(hour, firstHour, endSeconds)
  const minutes = Map.groupBy(await list(minute, firstHour, endSeconds), (bucket) => floorTo(bucket.startSeconds, hour))
  const cells = days.map((bucket) => cellOf(bucket, day))
  const hourly = new Map(hours.map((bucket) => [bucket.startSeconds, bucket]))
  for (const start of new Set([...hourly.keys(), ...minutes.keys()].toSorted((a, b) => a - b))) {
    const fine = minutes.get(start) ?? []
    const hourBucket = hourly.get(start)
    const covered = fine.reduce((sum, { coveredSeconds }) => sum + coveredSeconds, 0)
    if (hourBucket && hourBucket.coveredSeconds > covered) cells.push(cellOf(hourBucket, hour))
    else for (const bucket of fine) cells.push(cellOf(bucket, minute))
  }
  return cells
}

/** Checks since the last whole minute, if the budget used includes them. */
function runningCells({ running_seconds, running_good, running_total }: StateRow, startSeconds: number): Cell[] {
  if (running_total === 0) return []
  const bad = Math.max(0, running_total - running_good)
  return [{ startSeconds, endSeconds: startSeconds + running_seconds, bad, total: running_total }]
}

function cellOf({ startSeconds, good, total }: Bucket, seconds: number): Cell {
  return { startSeconds, endSeconds: startSeconds + seconds, bad: Math.max(0, total - good), total }
}

/** Hours of incidents that are known by hours only, and the hours next to them; latest last. */
function hoursAround(incidents: readonly Incident[], cells: readonly Cell[]): Cell[] {
  const isHour = ({ startSeconds, endSeconds }: Cell) => endSeconds - startSeconds === hour
  const isNear = (cell: Cell) => (one: Incident) =>
    cell.startSeconds <= one.endSeconds && cell.endSeconds >= one.startSeconds
  return cells.filter((cell) => isHour(cell) && incidents.some(isNear(cell)))
}

/** True if minutes hold nearly all that an hour does; otherwise the source has lost some of them. */
function isAllOf(minutes: readonly Bucket[], { bad, total }: Cell): boolean {
  const cells = minutes.map((bucket) => cellOf(bucket, minute))
  const isNearly = (part: number, all: number) => part >= nearlyAllRatio * all - 1
  return isNearly(sumOf(cells, 'total'), total) && isNearly(sumOf(cells, 'bad'), bad)
}

/** Groups consecutive hours, at most `length` of them. */
function runsOf(hours: readonly Cell[], length: number): Cell[][] {
  const runs: Cell[][] = []
  for (const one of hours) {
    const run = runs.at(-1)
    if (run && run.length < length && run.at(-1)?.endSeconds === one.startSeconds) run.push(one)
    else runs.push([one])
  }
  return runs
}

/** Resolves once the work has ended, or after `maxMs`; the work goes on. */
async function waitAtMost(maxMs: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, maxMs)
  await Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

const sumOf = (cells: readonly Cell[], field: 'bad' | 'total') => cells.reduce((sum, cell) => sum + cell[field], 0)

function within({ startSeconds, endSeconds }: Cell) {
  return (bucket: Bucket) => bucket.startSeconds >= startSeconds && bucket.startSeconds < endSeconds
}
