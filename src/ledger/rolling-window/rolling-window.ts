import { inChunks } from '../../concurrency/chunks.ts'
import type { Database, Db } from '../../db/open.ts'
import type { CheckpointRow } from '../../db/tables/tables.ts'
import type { AppError } from '../../errors.ts'
import type { Source } from '../../sources/source.ts'
import { minute } from '../bucket.ts'
import { goodOf, queryIncreases } from '../counters/ask-counters.ts'
import { listCheckpoints, putCheckpoints } from '../checkpoint-store.ts'
import { type GainedSum, sumMinutes } from '../ledger-store.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { type WindowCheckpoint, type RollingWindow, type StartMinutes, subtractLeftEvents } from './window-start.ts'

/** Events over the SLO's own window; a total of 0: no traffic or no data. */
export type WindowEvents = { counted: number; total: number }

type Results = Map<number, WindowEvents | { error: AppError }>

type Deps = {
  db: Pick<Database, 'read' | 'write'>
  source: Source
  minutes: StartMinutes
  atSeconds: number
  /** True while there is time to renew checkpoints that are only aged or invalidated. */
  hasTime: () => boolean
}

const openSeconds = 120 // minutes that late samples may still change are not part of a checkpoint
const minAgeSeconds = 600
const maxAgeSeconds = 7200
const renewBatchSize = 50

/** Longest window that is queried directly, at no more cost than updating a checkpoint. */
const maxDirectSeconds = 3600

/**
 * Events of each SLO's own window that ends at `atSeconds`, or the error; by SLO id. A checkpoint is the source's answer over
 * the whole window. Since then the counters' gain is added at its end, and events that left are subtracted at its start, minute
 * by minute and without extrapolation, as `increase` over the window itself would count. A checkpoint is renewed every hour,
 * and immediately if series appeared, disappeared or were reset, or minutes are missing, while `hasTime`. One that does not fit
 * the SLO is always renewed. Rule: docs/slo-math.md, "Rolling window".
 */
export async function sumRollingWindows(deps: Deps, windows: RollingWindow[]): Promise<Results> {
  const { short = [], long = [] } = Object.groupBy(windows, ({ windowSeconds }) =>
    windowSeconds <= maxDirectSeconds ? 'short' : 'long',
  )
  return new Map([...(await sumDirectly(deps, short)), ...(await sumFromCheckpoints(deps, long))])
}

async function sumDirectly({ source, atSeconds }: Deps, windows: RollingWindow[]): Promise<Results> {
  const sums: Results = new Map()
  for (const [seconds, group] of Map.groupBy(windows, ({ windowSeconds }) => windowSeconds)) {
    for (const [sloId, result] of await queryIncreases(source, group, seconds, atSeconds)) {
      sums.set(sloId, 'error' in result ? result : { counted: result.counted, total: result.total ?? 0 })
    }
  }
  return sums
}

async function sumFromCheckpoints(deps: Deps, windows: RollingWindow[]): Promise<Results> {
  const { db, source, minutes, atSeconds } = deps
  const held = await readFitting(db.read, windows, atSeconds)
  await subtractLeftEvents(source, minutes, [...held.values()], atSeconds)
  const gained = await gainedSince(db, [...held.values()], atSeconds)
  invalidateWhereMinutesMiss(gained, atSeconds)
  const failed = await renew(deps, windows, held)
  const all = [...held.values()]
  const checkpoints = all.map(({ checkpoint }) => checkpoint)
  await db.write.transaction().execute((trx) => putCheckpoints(trx, checkpoints))
  const renewed = all.filter((one) => !gained.has(one))
  for (const [one, sum] of await gainedSince(db, renewed, atSeconds)) gained.set(one, sum)
  const sums = all.map((one) => [one.window.sloId, eventsOf(one, gained.get(one))] as const)
  return new Map<number, WindowEvents | { error: AppError }>([...sums, ...failed])
}

async function readFitting(
  db: Db,
  windows: RollingWindow[],
  atSeconds: number,
): Promise<Map<number, WindowCheckpoint>> {
  const ids = windows.map(({ sloId }) => sloId)
  const stored = await listCheckpoints(db, ids)
  return new Map(
    windows.flatMap((window) => {
      const checkpoint = stored.get(window.sloId)
      return checkpoint && fits(window, checkpoint, atSeconds) ? [[window.sloId, { window, checkpoint }]] : []
    }),
  )
}

function fits(window: RollingWindow, checkpoint: CheckpointRow, atSeconds: number): boolean {
  const isRecent = checkpoint.end_at <= atSeconds && atSeconds - checkpoint.end_at <= maxAgeSeconds
  return isRecent && checkpoint.origin === originOf(window) && checkpoint.left_until <= atSeconds - window.windowSeconds
}

function originOf({ origin, windowSeconds }: RollingWindow): string {
  return `${origin} ${windowSeconds}s`
}

function invalidateWhereMinutesMiss(gained: Map<WindowCheckpoint, GainedSum>, atSeconds: number): void {
  for (const [{ checkpoint }, { minutes }] of gained) {
    const isMissing = minutes * minute < atSeconds - checkpoint.end_at
    if (isMissing) checkpoint.invalidated_by ??= 'minutes are missing'
  }
}

/** Renews checkpoints of `held` that are invalidated or aged, and adds missing ones. Returns the failures of missing ones. */
async function renew(
  { source, minutes, atSeconds, hasTime }: Deps,
  windows: RollingWindow[],
  held: Map<number, WindowCheckpoint>,
): Promise<Map<number, { error: AppError }>> {
  const failed = new Map<number, { error: AppError }>()
  const renewed: WindowCheckpoint[] = []
  const renewAll = async (some: RollingWindow[], endSeconds: number, isDue = hasTime) => {
    for (const chunk of inChunks(some, renewBatchSize)) {
      if (!isDue()) return
      for (const [sloId, result] of await newCheckpoints(source, chunk, endSeconds)) {
        if (!('error' in result)) {
          held.set(sloId, result)
          renewed.push(result)
        } else if (!held.has(sloId)) failed.set(sloId, result)
      }
    }
  }
  const missing = windows.filter(({ sloId }) => !held.has(sloId))
  const invalidated = [...held.values()].filter(isInvalidated).map(windowOf)
  const aged = [...held.values()].filter((one) => !isInvalidated(one) && isAged(one, atSeconds)).map(windowOf)
  const calmSeconds = atSeconds - openSeconds
  await renewAll(missing, calmSeconds, () => true)
  await renewAll(invalidated, atSeconds)
  await renewAll(aged, calmSeconds)
  await subtractLeftEvents(source, minutes, renewed, atSeconds)
  await renewAll(renewed.filter(isInvalidated).map(windowOf), atSeconds) // invalidated by minutes that are not part of it
  return failed
}

function windowOf({ window }: WindowCheckpoint): RollingWindow {
  return window
}

/** True if invalidated; notes it first if series appeared, disappeared or were reset since the checkpoint. */
function isInvalidated({ window: { lastBreakEnd }, checkpoint }: WindowCheckpoint): boolean {
  if (lastBreakEnd !== null && lastBreakEnd > checkpoint.end_at) {
    checkpoint.invalidated_by ??= 'series came, went or began again'
  }
  return checkpoint.invalidated_by !== null
}

/**
 * True if due for renewal, at each SLO's own minute of the hour, so that checkpoints made together are not all renewed
 * together.
 */
function isAged({ window: { sloId }, checkpoint }: WindowCheckpoint, atSeconds: number): boolean {
  const earliest = Math.ceil((checkpoint.end_at + minAgeSeconds) / minute)
  const ownMinute = earliest + ((((sloId - earliest) % 60) + 60) % 60)
  return atSeconds >= ownMinute * minute
}

async function newCheckpoints(
  source: Source,
  windows: RollingWindow[],
  endSeconds: number,
): Promise<Map<number, WindowCheckpoint | { error: AppError }>> {
  const made = new Map<number, WindowCheckpoint | { error: AppError }>()
  for (const [windowSeconds, group] of Map.groupBy(windows, (one) => one.windowSeconds)) {
    const answers = await queryIncreases(source, group, windowSeconds, endSeconds)
    for (const window of group) {
      const answer = answers.get(window.sloId)
      if (!answer) continue
      if ('error' in answer) made.set(window.sloId, answer)
      else made.set(window.sloId, { window, checkpoint: checkpointOf(window, answer, endSeconds) })
    }
  }
  return made
}

function checkpointOf(
  window: RollingWindow,
  { counted, total }: { counted: number; total: number | null },
  endSeconds: number,
): CheckpointRow {
  return {
    slo_id: window.sloId,
    origin: originOf(window),
    end_at: endSeconds,
    counted,
    total: total ?? 0,
    left_until: endSeconds - window.windowSeconds,
    left_counted: 0,
    left_total: 0,
    invalidated_by: null,
  }
}

/** Sums of the ledger's minutes since each checkpoint. */
async function gainedSince(
  db: Deps['db'],
  all: WindowCheckpoint[],
  atSeconds: number,
): Promise<Map<WindowCheckpoint, GainedSum>> {
  const memory = ledgerCacheOf(db)
  const gained = new Map<WindowCheckpoint, GainedSum>()
  const unknown = all.filter((one) => {
    const sum = memory.find(one.window, atSeconds)?.minutes.gained(one.checkpoint.end_at, atSeconds)
    if (sum) gained.set(one, sum)
    return !sum
  })
  const from = unknown.map(({ window: { sloId, revision }, checkpoint }) => {
    return { sloId, revision, startSeconds: checkpoint.end_at }
  })
  const sums = await sumMinutes(db.read, from, atSeconds)
  unknown.forEach((one, n) => {
    const sum = sums[n]
    if (sum) gained.set(one, sum)
  })
  return gained
}

function eventsOf({ window, checkpoint }: WindowCheckpoint, gained: GainedSum | undefined): WindowEvents {
  const { good, total } = gained ?? { good: 0, total: 0 }
  const counted = checkpoint.counted + goodOf(window.counters, good, total) - checkpoint.left_counted
  return { counted: Math.max(0, counted), total: Math.max(0, checkpoint.total + total - checkpoint.left_total) }
}
