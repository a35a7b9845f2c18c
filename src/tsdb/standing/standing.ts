import { inBatches } from '../../batches.ts'
import type { Db } from '../../db/open.ts'
import type { AppError } from '../../errors.ts'
import type { AnchorRow } from '../../db/tables.ts'
import type { Counters } from '../ledger/counted.ts'
import { increasesOf } from '../ledger/measure-counters.ts'
import type { Source } from '../source.ts'
import { type Gained, listAnchors, putAnchors, sumGained } from './anchor-store.ts'
import { type Held, type StandingSlo, type StartMinutes, subtractWhatLeft } from './window-start.ts'

/** Events over the SLO's own window; a total of 0 is no traffic or no data. */
export type StandingSums = { counted: number; total: number }

const minute = 60
const openSeconds = 120 // minutes that late samples may still change are not yet part of an anchor
const youngestSeconds = 600
const oldestSeconds = 7200
const membersAtOnce = 50

/** Shorter windows are asked for directly: they cost no more than what would be added to and taken from an anchor. */
const shortestSeconds = 3600

type Deps = {
  db: { read: Db; write: Db }
  source: Source
  minutes: StartMinutes
  atSeconds: number
  hasTime: () => boolean
}

/**
 * The events of each SLO's own window that ends at `atSeconds`, by SLO id, or why the source would not say. An anchor is
 * what the source said over the whole window; since then the counters' gain is added at its end, and what has left is
 * subtracted at its start, minute by minute and without any estimate, as `increase` over the window itself would count.
 * An anchor is renewed every hour, and at once where series came, went or began anew, or minutes are missing, while
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
  for (const [sloId, result] of await anchoredSums(deps, long)) sums.set(sloId, result)
  return sums
}

async function anchoredSums(
  deps: Deps,
  standing: StandingSlo[],
): Promise<Map<number, StandingSums | { error: AppError }>> {
  const { db, source, minutes, atSeconds, hasTime } = deps
  const stored = await listAnchors(
    db.read,
    standing.map(({ sloId }) => sloId),
  )
  const held = new Map<number, Held>()
  for (const one of standing) {
    const anchor = stored.get(one.sloId)
    if (anchor && fits(one, anchor, atSeconds)) held.set(one.sloId, { one, anchor })
  }
  await subtractWhatLeft(source, minutes, [...held.values()], atSeconds)
  await noteMissingMinutes(db.read, [...held.values()], atSeconds)
  const doubtful = [...held.values()].filter(({ one, anchor }) => (anchor.doubt ??= doubtOf(one, anchor)) !== null)
  const aged = [...held.values()].filter(({ one, anchor }) => anchor.doubt === null && isAged(one, anchor, atSeconds))

  const errors = new Map<number, { error: AppError }>()
  const renewed: Held[] = []
  const renew = async (wanted: StandingSlo[], endSeconds: number) => {
    for (const batch of inBatches(wanted, membersAtOnce)) {
      for (const [sloId, result] of await newAnchors(source, batch, endSeconds)) {
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
    for (const batch of inBatches(
      wanted.map(({ one }) => one),
      membersAtOnce,
    ))
      if (hasTime()) await renew(batch, endSeconds)
  }
  await renewInTime(doubtful, atSeconds)
  await renewInTime(aged, calmSeconds)
  await subtractWhatLeft(source, minutes, renewed, atSeconds)
  const isUnsettled = ({ one, anchor }: Held) => (anchor.doubt ??= doubtOf(one, anchor)) !== null
  await renewInTime(renewed.filter(isUnsettled), atSeconds) // something happened in the minutes that are not part of it

  const all = [...held.values()]
  await db.write.transaction().execute((trx) =>
    putAnchors(
      trx,
      all.map(({ anchor }) => anchor),
    ),
  )
  const gained = await gainedSince(db.read, all, atSeconds)
  const sums = all.map(({ one, anchor }): [number, StandingSums] => [
    one.sloId,
    sumOf(one, anchor, gained.get(one.sloId)),
  ])
  return new Map<number, StandingSums | { error: AppError }>([...sums, ...errors])
}

function fits(one: StandingSlo, anchor: AnchorRow, atSeconds: number): boolean {
  const isRecent = anchor.end_at <= atSeconds && atSeconds - anchor.end_at <= oldestSeconds
  return isRecent && anchor.origin === originOf(one) && anchor.left_until <= atSeconds - one.windowSeconds
}

function originOf({ origin, windowSeconds }: StandingSlo): string {
  return `${origin} ${windowSeconds}s`
}

function doubtOf({ unsureUntil }: StandingSlo, anchor: AnchorRow): string | null {
  const isSince = unsureUntil !== null && unsureUntil > anchor.end_at
  return isSince ? 'series came, went or began anew' : null
}

/** Each SLO has its own minute of the hour, so that anchors that were made together are not all renewed together. */
function isAged({ sloId }: StandingSlo, { end_at }: AnchorRow, atSeconds: number): boolean {
  const earliest = Math.ceil((end_at + youngestSeconds) / minute)
  const ownMinute = earliest + ((((sloId - earliest) % 60) + 60) % 60)
  return atSeconds >= ownMinute * minute
}

async function noteMissingMinutes(db: Db, held: Held[], atSeconds: number): Promise<void> {
  const gained = await gainedSince(db, held, atSeconds)
  for (const { one, anchor } of held) {
    const slices = gained.get(one.sloId)?.slices ?? 0
    if (slices * minute < atSeconds - anchor.end_at) anchor.doubt ??= 'minutes are missing'
  }
}

async function gainedSince(db: Db, held: Held[], atSeconds: number): Promise<Map<number, Gained>> {
  const wanted = held.map(({ one, anchor }) => ({
    sloId: one.sloId,
    revision: one.revision,
    startSeconds: anchor.end_at,
  }))
  return sumGained(db, wanted, atSeconds)
}

async function newAnchors(
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
      const anchor: AnchorRow = {
        slo_id: one.sloId,
        origin: originOf(one),
        end_at: endSeconds,
        counted: answer.counted,
        total: answer.total ?? 0,
        left_until: endSeconds - windowSeconds,
        left_counted: 0,
        left_total: 0,
        doubt: null,
      }
      made.push([one.sloId, { one, anchor }])
    }
  }
  return made
}

function sumOf({ counters }: StandingSlo, anchor: AnchorRow, gained: Gained | undefined): StandingSums {
  const total = anchor.total + (gained?.total ?? 0) - anchor.left_total
  const counted = anchor.counted + countedOf(counters, gained) - anchor.left_counted
  return { counted: Math.max(0, counted), total: Math.max(0, total) }
}

function countedOf({ counts }: Counters, gained: Gained | undefined): number {
  if (!gained) return 0
  return counts === 'good' ? gained.good : gained.total - gained.good
}
