import { inChunks } from '../../concurrency/chunks.ts'
import type { Db } from '../../db/open.ts'
import type { AppError } from '../../errors.ts'
import type { CheckpointRow } from '../../db/tables/tables.ts'
import type { Counters } from '../measure/counted.ts'
import { increasesOf } from '../measure/measure-counters.ts'
import type { Source } from '../../sources/source.ts'
import { type Gained, listCheckpoints, putCheckpoints, sumGained } from './checkpoint-store.ts'
import { type Held, type StandingSlo, type StartMinutes, subtractWhatLeft } from './window-start.ts'

/** Events over the SLO's own window; a total of 0 is no traffic or no data. */
export type StandingSums = { counted: number; total: number }

const minute = 60
const openSeconds = 120 // minutes that late samples may still change are not yet part of a checkpoint
const youngestSeconds = 600
const oldestSeconds = 7200
const membersAtOnce = 50

/** Shorter windows are asked for directly: they cost no more than what would be added to and taken from a checkpoint. */
const shortestSeconds = 3600

type Deps = {
  db: { read: Db; write: Db }
  source: Source
  minutes: StartMinutes
  atSeconds: number
  hasTime: () => boolean
}

/**
 * The events of each SLO's own window that ends at `atSeconds`, by SLO id, or why the source would not say. A checkpoint is
 * what the source said over the whole window; since then the counters' gain is added at its end, and what has left is
 * subtracted at its start, minute by minute and without any estimate, as `increase` over the window itself would count.
 * A checkpoint is renewed every hour, and at once where series came, went or began again, or minutes are missing, while
 * `hasTime`; one that does not fit the SLO is always renewed. Rule: docs/slo-math.md, "Rolling window".
 */
export async function standingSums(
  deps: Deps,
  standing: StandingSlo[],
): Promise<Map<number, StandingSums | { error: AppError }>> {
  const sums = new Map<number, StandingSums | { error: AppError }>()
  const short = standing.filter((one) => one.windowSeconds <= shortestSeconds)
  for (const [seconds, group] of Map.groupBy(short, (one) => one.windowSeconds)) {
    for (const [sloId, result] of await increasesOf(deps.source, group, seconds, deps.atSeconds)) {
      sums.set(sloId, 'error' in result ? result : { counted: result.counted, total: result.total ?? 0 })
    }
  }
  const long = standing.filter((one) => one.windowSeconds > shortestSeconds)
  for (const [sloId, result] of await checkpointSums(deps, long)) sums.set(sloId, result)
  return sums
}

async function checkpointSums(
  deps: Deps,
  standing: StandingSlo[],
): Promise<Map<number, StandingSums | { error: AppError }>> {
  const { db, source, minutes, atSeconds, hasTime } = deps
  const stored = await listCheckpoints(
    db.read,
    standing.map(({ sloId }) => sloId),
  )
  const held = new Map<number, Held>()
  for (const one of standing) {
    const checkpoint = stored.get(one.sloId)
    if (checkpoint && fits(one, checkpoint, atSeconds)) held.set(one.sloId, { one, checkpoint })
  }
  await subtractWhatLeft(source, minutes, [...held.values()], atSeconds)
  await noteMissingMinutes(db.read, [...held.values()], atSeconds)
  const invalidated = [...held.values()].filter(
    ({ one, checkpoint }) => (checkpoint.invalidated_by ??= invalidationOf(one, checkpoint)) !== null,
  )
  const aged = [...held.values()].filter(
    ({ one, checkpoint }) => checkpoint.invalidated_by === null && isAged(one, checkpoint, atSeconds),
  )

  const errors = new Map<number, { error: AppError }>()
  const renewed: Held[] = []
  const renew = async (wanted: StandingSlo[], endSeconds: number) => {
    for (const batch of inChunks(wanted, membersAtOnce)) {
      for (const [sloId, result] of await newCheckpoints(source, batch, endSeconds)) {
        if (!('error' in result)) {
          held.set(sloId, result)
          renewed.push(result)
        } else if (!held.has(sloId)) errors.set(sloId, result)
      }
    }
  }
  const calmSeconds = atSeconds - openSeconds
  const missing = standing.filter(({ sloId }) => !held.has(sloId))
  await renew(missing, calmSeconds)
  const renewInTime = async (wanted: Held[], endSeconds: number) => {
    for (const batch of inChunks(
      wanted.map(({ one }) => one),
      membersAtOnce,
    ))
      if (hasTime()) await renew(batch, endSeconds)
  }
  await renewInTime(invalidated, atSeconds)
  await renewInTime(aged, calmSeconds)
  await subtractWhatLeft(source, minutes, renewed, atSeconds)
  const isUnsettled = ({ one, checkpoint }: Held) =>
    (checkpoint.invalidated_by ??= invalidationOf(one, checkpoint)) !== null
  await renewInTime(renewed.filter(isUnsettled), atSeconds) // something happened in the minutes that are not part of it

  const all = [...held.values()]
  await db.write.transaction().execute((trx) =>
    putCheckpoints(
      trx,
      all.map(({ checkpoint }) => checkpoint),
    ),
  )
  const gained = await gainedSince(db.read, all, atSeconds)
  const sums = all.map(({ one, checkpoint }): [number, StandingSums] => [
    one.sloId,
    sumOf(one, checkpoint, gained.get(one.sloId)),
  ])
  return new Map<number, StandingSums | { error: AppError }>([...sums, ...errors])
}

function fits(one: StandingSlo, checkpoint: CheckpointRow, atSeconds: number): boolean {
  const isRecent = checkpoint.end_at <= atSeconds && atSeconds - checkpoint.end_at <= oldestSeconds
  return isRecent && checkpoint.origin === originOf(one) && checkpoint.left_until <= atSeconds - one.windowSeconds
}

function originOf({ origin, windowSeconds }: StandingSlo): string {
  return `${origin} ${windowSeconds}s`
}

function invalidationOf({ unsureUntil }: StandingSlo, checkpoint: CheckpointRow): string | null {
  const isSince = unsureUntil !== null && unsureUntil > checkpoint.end_at
  return isSince ? 'series came, went or began again' : null
}

/** Each SLO has its own minute of the hour, so that checkpoints that were made together are not all renewed together. */
function isAged({ sloId }: StandingSlo, { end_at }: CheckpointRow, atSeconds: number): boolean {
  const earliest = Math.ceil((end_at + youngestSeconds) / minute)
  const ownMinute = earliest + ((((sloId - earliest) % 60) + 60) % 60)
  return atSeconds >= ownMinute * minute
}

async function noteMissingMinutes(db: Db, held: Held[], atSeconds: number): Promise<void> {
  const gained = await gainedSince(db, held, atSeconds)
  for (const { one, checkpoint } of held) {
    const buckets = gained.get(one.sloId)?.buckets ?? 0
    if (buckets * minute < atSeconds - checkpoint.end_at) checkpoint.invalidated_by ??= 'minutes are missing'
  }
}

async function gainedSince(db: Db, held: Held[], atSeconds: number): Promise<Map<number, Gained>> {
  const wanted = held.map(({ one, checkpoint }) => ({
    sloId: one.sloId,
    revision: one.revision,
    startSeconds: checkpoint.end_at,
  }))
  return sumGained(db, wanted, atSeconds)
}

async function newCheckpoints(
  source: Source,
  standing: StandingSlo[],
  endSeconds: number,
): Promise<[number, Held | { error: AppError }][]> {
  const made: [number, Held | { error: AppError }][] = []
  for (const [windowSeconds, group] of Map.groupBy(standing, (one) => one.windowSeconds)) {
    const answers = await increasesOf(source, group, windowSeconds, endSeconds)
    for (const one of group) {
      const answer = answers.get(one.sloId)
      if (!answer) continue
      if ('error' in answer) {
        made.push([one.sloId, answer])
        continue
      }
      const checkpoint: CheckpointRow = {
        slo_id: one.sloId,
        origin: originOf(one),
        end_at: endSeconds,
        counted: answer.counted,
        total: answer.total ?? 0,
        left_until: endSeconds - windowSeconds,
        left_counted: 0,
        left_total: 0,
        invalidated_by: null,
      }
      made.push([one.sloId, { one, checkpoint }])
    }
  }
  return made
}

function sumOf({ counters }: StandingSlo, checkpoint: CheckpointRow, gained: Gained | undefined): StandingSums {
  const total = checkpoint.total + (gained?.total ?? 0) - checkpoint.left_total
  const counted = checkpoint.counted + countedOf(counters, gained) - checkpoint.left_counted
  return { counted: Math.max(0, counted), total: Math.max(0, total) }
}

function countedOf({ counts }: Counters, gained: Gained | undefined): number {
  if (!gained) return 0
  return counts === 'good' ? gained.good : gained.total - gained.good
}
