import { runCooperatively } from '../../concurrency/cooperative.ts'
import { createYielder } from '../../concurrency/yielder.ts'
import type { Database, Db } from '../../db/open.ts'
import { clipTo, gapsIn, secondsOf, type TimeSpan, unionOf } from '../../slos/corrections/spans.ts'
import { ceilTo, day, floorTo, minute } from '../bucket.ts'
import { type LedgerBucket, putBuckets, type SloRevision } from '../ledger-store.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { deleteExcluded, findBounds, listMeasuredOf, listWithoutMinutes } from './excluded-store.ts'
import { exclude } from './put-measured.ts'
import { invalidateMasks, masksOf } from './masks.ts'

type Deps = { db: Database; nowMs: number }

/** Rules of an SLO from now on. `text`: as JSON; null: none. `minutes`: buckets from the source that the ledger does not have. */
export type NewRules = { sloId: number; text: string | null; minutes?: readonly LedgerBucket[] }

/**
 * Applies rules to the ledger of an SLO: computes the buckets of times that are excluded now, or no longer, from the measured
 * buckets, which are kept, so that removing a rule restores all of them; and those of the days that `minutes` are of. Yields to the
 * event loop. Returns false if the rules have not changed.
 */
export async function applyRules({ db, nowMs }: Deps, { sloId, text, minutes = [] }: NewRules): Promise<boolean> {
  const masks = await masksOf(db)
  const isChanged = masks.textOf(sloId) !== text
  if (!isChanged && minutes.length === 0) return false
  const known = await boundsOf(db.read, sloId, nowMs)
  if (known) {
    for (const rules of [masks.textOf(sloId), text]) {
      await runCooperatively('corrections', masks.warming(rules, known))
    }
  }
  try {
    await db.write.transaction().execute(async (trx) => {
      const previousText = masks.textOf(sloId)
      const bounds = await boundsOf(trx, sloId, nowMs)
      const fetched = Map.groupBy(minutes, ({ startSeconds }) => floorTo(startSeconds, day))
      const fetchedDays = [...fetched.keys()].map((startSeconds) => ({ startSeconds, endSeconds: startSeconds + day }))
      const changed = bounds ? changedDays(masks.spansBy(previousText, bounds), masks.spansBy(text, bounds)) : []
      const days = unionOf([...changed, ...fetchedDays])
      if (isChanged) await (text === null ? deleteRules(trx, sloId) : storeRules(trx, sloId, text, nowMs))
      const ruled = { isEmpty: false, spansOf: (_: number, window: TimeSpan) => masks.spansBy(text, window) }
      const yielder = createYielder(1)
      for (const span of days) {
        for (let startSeconds = span.startSeconds; startSeconds < span.endSeconds; startSeconds += day) {
          if (yielder.isDue()) await yielder.next()
          const ofDay = { startSeconds, endSeconds: startSeconds + day }
          await rewrite(trx, ruled, sloId, ofDay, fetched.get(startSeconds) ?? [])
        }
      }
      if (isChanged) masks.set(sloId, text, nowMs)
    })
  } catch (error) {
    invalidateMasks(db)
    throw error
  } finally {
    ledgerCacheOf(db).invalidate([sloId])
  }
  return isChanged
}

function deleteRules(trx: Db, sloId: number) {
  return trx.deleteFrom('slo_exclusions').where('slo_id', '=', sloId).execute()
}

function storeRules(trx: Db, slo_id: number, rules: string, applied_at: number) {
  return trx
    .insertInto('slo_exclusions')
    .values({ slo_id, rules, applied_at })
    .onConflict((conflict) => conflict.column('slo_id').doUpdateSet({ rules, applied_at }))
    .execute()
}

/** Times that differ between two unions, as whole days of UTC. */
function changedDays(oldSpans: TimeSpan[], newSpans: TimeSpan[]): TimeSpan[] {
  const all = { startSeconds: -Infinity, endSeconds: Infinity }
  const changed = [
    ...newSpans.flatMap((span) => gapsIn(oldSpans, span)),
    ...oldSpans.flatMap((span) => gapsIn(newSpans, span)),
  ]
  const days = changed.map(({ startSeconds, endSeconds }) => {
    return { startSeconds: floorTo(startSeconds, day), endSeconds: ceilTo(endSeconds, day) }
  })
  return clipTo(unionOf(days), all)
}

/** Period for which the ledger has or had buckets of an SLO, in whole days; null: there are none. */
async function boundsOf(trx: Db, sloId: number, nowMs: number): Promise<TimeSpan | null> {
  const { first, last } = await findBounds(trx, sloId)
  if (first === null || last === null) return null
  const endSeconds = Math.max(last + day, ceilTo(nowMs / 1000, minute))
  return { startSeconds: floorTo(first, day), endSeconds: ceilTo(endSeconds, day) }
}

/** Computes the buckets of whole days from the measured ones and the rules in `masks`, and stores them. */
async function rewrite(
  trx: Db,
  masks: Parameters<typeof exclude>[2],
  sloId: number,
  span: TimeSpan,
  fetched: readonly LedgerBucket[],
) {
  const measured = await listMeasuredOf(trx, sloId, span)
  await deleteExcluded(trx, sloId, span)
  const known = new Set(measured.map(keyOf))
  const added = fetched.filter((bucket) => !known.has(keyOf(bucket))).map((bucket) => ({ ...bucket, isStored: false }))
  const all = [...added, ...measured]
  const counted = await exclude(trx, all, masks)
  await putBuckets(
    trx,
    counted.filter((_, at) => all[at]?.isStored),
  )
}

function keyOf({ revision, resolution, startSeconds }: LedgerBucket): string {
  return `${revision} ${resolution} ${startSeconds}`
}

/**
 * Excluded times for which the ledger has only hours or days, no minutes; oldest first. `edges`: times in hours or days that are
 * excluded in part. `whole`: hours or days that are excluded as a whole. `text`: the rules, as JSON.
 */
export async function missingMinutes(
  db: Database,
  { sloId, revision }: SloRevision,
  text: string | null,
): Promise<Record<'edges' | 'whole', TimeSpan[]>> {
  const masks = await masksOf(db)
  const rows = await listWithoutMinutes(db.read, { sloId, revision })
  const missing: Record<'edges' | 'whole', TimeSpan[]> = { edges: [], whole: [] }
  for (const { resolution, start } of rows) {
    const spans = masks.spansBy(text, { startSeconds: start, endSeconds: start + resolution })
    missing[secondsOf(spans) < resolution ? 'edges' : 'whole'].push(...spans)
  }
  return { edges: unionOf(missing.edges), whole: unionOf(missing.whole) }
}
