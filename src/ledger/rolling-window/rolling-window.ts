import { inChunks } from '../../concurrency/chunks.ts'
import type { Database, Db } from '../../db/open.ts'
import type { CheckpointRow } from '../../db/tables/tables.ts'
import type { AppError } from '../../errors.ts'
import type { Source } from '../../sources/source.ts'
import { minute } from '../bucket.ts'
import { goodOf, queryOwnIncreases } from '../counters/query-counters.ts'
import { listCheckpoints, putCheckpoints } from '../checkpoint-store.ts'
import { type MinuteSum, sumMinutes } from '../ledger-store.ts'
import { sumExcluded } from '../excluded/excluded-store.ts'
import { masksOf } from '../excluded/masks.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { type WindowCheckpoint, type RollingWindow, type StartMinutes, subtractLeftEvents } from './window-start.ts'

/** Events over the SLO's own window. `counted`: good or bad ones, whichever the SLO counts. `total` 0: no traffic or no data. */
type WindowEvents = { counted: number; total: number }

/** Results by SLO id. */
type Results = Map<number, WindowEvents | { error: AppError }>

type Deps = {
  db: Pick<Database, 'read' | 'write'>
  source: Source
  minutes: StartMinutes
  atSeconds: number
  /** True while there is time to renew checkpoints that are only aged or invalidated. */
  hasTime: () => boolean
}

const openSeconds = 120 // late samples may still change the last minutes; a checkpoint that is missing or aged is queried without them
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
    for (const [sloId, result] of await queryOwnIncreases(source, group, seconds, atSeconds)) {
      sums.set(sloId, 'error' in result ? result : { counted: result.counted, total: result.total ?? 0 })
    }
  }
  return sums
}

async function sumFromCheckpoints(deps: Deps, windows: RollingWindow[]): Promise<Results> {
  const { db, source, minutes, atSeconds } = deps
  const checkpoints = await readUsableCheckpoints(db.read, windows, atSeconds)
  await subtractLeftEvents(source, minutes, [...checkpoints.values()], atSeconds)
  const gained = await gainedSince(db, [...checkpoints.values()], atSeconds)
  invalidateWhereMinutesAreMissing(gained, atSeconds)
  const failed = await renew(deps, windows, checkpoints)
  const all = [...checkpoints.values()]
  const rows = all.map(({ checkpoint }) => checkpoint)
  await db.write.transaction().execute((trx) => putCheckpoints(trx, rows))
  const renewed = all.filter((one) => !gained.has(one))
  for (const [one, sum] of await gainedSince(db, renewed, atSeconds)) gained.set(one, sum)
  const sums = all.map((one) => [one.window.sloId, eventsOf(one, gained.get(one))] as const)
  return new Map<number, WindowEvents | { error: AppError }>([...sums, ...failed])
}

/** Stored checkpoints from which the windows can be summed, by SLO id. */
async function readUsableCheckpoints(
  db: Db,
  windows: RollingWindow[],
  atSeconds: number,
): Promise<Map<number, WindowCheckpoint>> {
  const ids = windows.map(({ sloId }) => sloId)
  const stored = await listCheckpoints(db, ids)
  return new Map(
    windows.flatMap((window) => {
      const checkpoint = stored.get(window.sloId)
      return checkpoint && isUsable(window, checkpoint, atSeconds) ? [[window.sloId, { window, checkpoint }]] : []
    }),
  )
}

/** True if the checkpoint is of this window and source, at most two hours old, and its start is not after the window's. */
function isUsable(window: RollingWindow, checkpoint: CheckpointRow, atSeconds: number): boolean {
  const isRecent = checkpoint.end_at <= atSeconds && atSeconds - checkpoint.end_at <= maxAgeSeconds
  return isRecent && checkpoint.origin === originOf(window) && checkpoint.left_until <= atSeconds - window.windowSeconds
}

function originOf({ origin, windowSeconds, fixedStartSeconds }: RollingWindow): string {
  return fixedStartSeconds === null ? `${origin} ${windowSeconds}s` : `${origin} from ${fixedStartSeconds}`
}

/** Start of a window if it ended at `endSeconds`. */
function startOf({ windowSeconds, fixedStartSeconds }: RollingWindow, endSeconds: number): number {
  return fixedStartSeconds ?? endSeconds - windowSeconds
}

/** Invalidates checkpoints since whose end the ledger lacks minutes. */
function invalidateWhereMinutesAreMissing(gained: Map<WindowCheckpoint, MinuteSum>, atSeconds: number): void {
  for (const [{ checkpoint }, { minutes }] of gained) {
    const isMissing = minutes * minute < atSeconds - checkpoint.end_at
    if (isMissing) checkpoint.invalidated_by ??= 'minutes are missing'
  }
}

/**
 * Replaces the invalidated and aged ones of `checkpoints`, and adds missing ones. Returns the errors of SLOs that still have none,
 * by SLO id.
 */
async function renew(
  { source, minutes, atSeconds, hasTime }: Deps,
  windows: RollingWindow[],
  checkpoints: Map<number, WindowCheckpoint>,
): Promise<Map<number, { error: AppError }>> {
  const failed = new Map<number, { error: AppError }>()
  const renewed: WindowCheckpoint[] = []
  const renewAll = async (due: RollingWindow[], endSeconds: number, mayContinue = hasTime) => {
    for (const chunk of inChunks(due, renewBatchSize)) {
      if (!mayContinue()) return
      for (const [sloId, result] of await queryCheckpoints(source, chunk, endSeconds)) {
        if (!('error' in result)) {
          checkpoints.set(sloId, result)
          renewed.push(result)
        } else if (!checkpoints.has(sloId)) failed.set(sloId, result)
      }
    }
  }
  const missing = windows.filter(({ sloId }) => !checkpoints.has(sloId))
  const invalidated = [...checkpoints.values()].filter(isInvalidated).map(windowOf)
  const aged = [...checkpoints.values()].filter((one) => !isInvalidated(one) && isAged(one, atSeconds)).map(windowOf)
  const finalUntilSeconds = atSeconds - openSeconds
  await renewAll(missing, finalUntilSeconds, () => true)
  await renewAll(invalidated, atSeconds)
  await renewAll(aged, finalUntilSeconds)
  await subtractLeftEvents(source, minutes, renewed, atSeconds)
  // even a renewed one is invalidated by a break after its end, or by a break or unknown minutes where its window starts
  await renewAll(renewed.filter(isInvalidated).map(windowOf), atSeconds)
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

/** Checkpoints that end at `endSeconds`, as the source answers over the whole window, or the error; by SLO id. */
async function queryCheckpoints(
  source: Source,
  windows: RollingWindow[],
  endSeconds: number,
): Promise<Map<number, WindowCheckpoint | { error: AppError }>> {
  const results = new Map<number, WindowCheckpoint | { error: AppError }>()
  for (const [startSeconds, group] of Map.groupBy(windows, (one) => startOf(one, endSeconds))) {
    const answers = await queryOwnIncreases(source, group, endSeconds - startSeconds, endSeconds)
    for (const window of group) {
      const answer = answers.get(window.sloId)
      if (!answer) continue
      if ('error' in answer) results.set(window.sloId, answer)
      else results.set(window.sloId, { window, checkpoint: checkpointOf(window, answer, endSeconds) })
    }
  }
  return results
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
    left_until: startOf(window, endSeconds),
    left_counted: 0,
    left_total: 0,
    invalidated_by: null,
  }
}

/**
 * Sums of the ledger's minutes since the end of each checkpoint, from the ledger cache or the database; as measured, because a checkpoint
 * is what the source has.
 */
async function gainedSince(
  db: Deps['db'],
  all: WindowCheckpoint[],
  atSeconds: number,
): Promise<Map<WindowCheckpoint, MinuteSum>> {
  const cache = ledgerCacheOf(db)
  const gained = new Map<WindowCheckpoint, MinuteSum>()
  const uncached = all.filter((one) => {
    const sum = cache.find(one.window, atSeconds)?.minutes.minuteSum(one.checkpoint.end_at, atSeconds)
    if (sum) gained.set(one, sum)
    return !sum
  })
  const starts = uncached.map(({ window: { sloId, revision }, checkpoint }) => {
    return { sloId, revision, startSeconds: checkpoint.end_at }
  })
  const sums = await sumMinutes(db.read, starts, atSeconds)
  uncached.forEach((one, place) => {
    const sum = sums[place]
    if (sum) gained.set(one, sum)
  })
  await addExcluded(db, gained, atSeconds)
  return gained
}

/** Adds what corrections have taken out of the minutes. */
async function addExcluded(db: Deps['db'], gained: Map<WindowCheckpoint, MinuteSum>, atSeconds: number): Promise<void> {
  const masks = await masksOf(db)
  if (masks.isEmpty) return
  const masked = [...gained].flatMap(
    ([
      {
        window: { sloId, revision },
        checkpoint,
      },
      sum,
    ]) => {
      const span = { startSeconds: checkpoint.end_at, endSeconds: atSeconds }
      return masks.spansOf(sloId, span).length > 0 ? [{ sum, range: { sloId, revision, ...span } }] : []
    },
  )
  const excluded = await sumExcluded(
    db.read,
    masked.map(({ range }) => range),
  )
  masked.forEach(({ sum }, at) => {
    sum.good += excluded[at]?.good ?? 0
    sum.total += excluded[at]?.total ?? 0
  })
}

function eventsOf({ window, checkpoint }: WindowCheckpoint, gained: MinuteSum | undefined): WindowEvents {
  const { good, total } = gained ?? { good: 0, total: 0 }
  // `goodOf` is its own inverse: here it turns good events into counted ones
  const counted = checkpoint.counted + goodOf(window.counters, good, total) - checkpoint.left_counted
  return { counted: Math.max(0, counted), total: Math.max(0, checkpoint.total + total - checkpoint.left_total) }
}
