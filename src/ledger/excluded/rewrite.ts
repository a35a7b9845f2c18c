import { sql } from 'kysely'
import type { Database, Db } from '../../db/open.ts'
import { clipTo, gapsIn, secondsOf, type TimeSpan, unionOf } from '../../slos/corrections/spans.ts'
import { ceilTo, day, floorTo, minute } from '../bucket.ts'
import { type LedgerBucket, putBuckets, type SloRevision } from '../ledger-store.ts'
import { ledgerCacheOf } from '../memory/ledger-cache.ts'
import { deleteExcluded, listMeasuredOf } from './excluded-store.ts'
import { exclude } from './put-measured.ts'
import { forgetMasks, type Masks, masksOf } from './masks.ts'

type Deps = { db: Database; nowMs: number }

/** Rules of an SLO that are to apply from now on; null: none. `minutes`: what its source said of minutes that the ledger does not keep. */
export type NewRules = { sloId: number; text: string | null; minutes?: readonly LedgerBucket[] }

/**
 * Applies other rules to the ledger of an SLO: buckets of times that no longer count, or count again, are written as they follow from what was
 * measured, so that undoing a rule restores every one of them. Returns false if the rules are those that apply already.
 */
export async function applyRules({ db, nowMs }: Deps, { sloId, text, minutes = [] }: NewRules): Promise<boolean> {
  const masks = await masksOf(db)
  if (masks.textOf(sloId) === text) return false
  try {
    await db.write.transaction().execute(async (trx) => {
      const before = masks.textOf(sloId)
      const bounds = await boundsOf(trx, sloId, nowMs)
      const days = bounds ? changedDays(masks.spansBy(before, bounds), masks.spansBy(text, bounds)) : []
      masks.set(sloId, text, nowMs)
      if (text === null) await trx.deleteFrom('slo_exclusions').where('slo_id', '=', sloId).execute()
      else await storeRules(trx, sloId, text, nowMs)
      for (const span of days) {
        const fetched = minutes.filter(({ startSeconds }) => clipTo([span], ofMinute(startSeconds)).length > 0)
        await rewrite(trx, masks, sloId, span, fetched)
      }
    })
  } catch (error) {
    forgetMasks(db)
    throw error
  } finally {
    ledgerCacheOf(db).invalidate([sloId])
  }
  return true
}

function storeRules(trx: Db, slo_id: number, rules: string, applied_at: number) {
  return trx
    .insertInto('slo_exclusions')
    .values({ slo_id, rules, applied_at })
    .onConflict((conflict) => conflict.column('slo_id').doUpdateSet({ rules, applied_at }))
    .execute()
}

/** Times that differ between two unions, as whole days of UTC. */
function changedDays(before: TimeSpan[], after: TimeSpan[]): TimeSpan[] {
  const all = { startSeconds: -Infinity, endSeconds: Infinity }
  const changed = [...after.flatMap((span) => gapsIn(before, span)), ...before.flatMap((span) => gapsIn(after, span))]
  const days = changed.map(({ startSeconds, endSeconds }) => {
    return { startSeconds: floorTo(startSeconds, day), endSeconds: ceilTo(endSeconds, day) }
  })
  return clipTo(unionOf(days), all)
}

const ofMinute = (startSeconds: number) => ({ startSeconds, endSeconds: startSeconds + minute })

/** Time of which the ledger has buckets of an SLO, or had them; null: there are none. */
async function boundsOf(trx: Db, sloId: number, nowMs: number): Promise<TimeSpan | null> {
  const { rows } = await sql<{ first: number | null; last: number | null }>`
    select min(start) as first, max(start) as last from (
      select min(start) as start from buckets where slo_id = ${sloId} group by revision, resolution
      union all select max(start) from buckets where slo_id = ${sloId} group by revision, resolution
      union all select min(start) from excluded_buckets where slo_id = ${sloId} group by revision, resolution
    )`.execute(trx)
  const [{ first, last } = { first: null, last: null }] = rows
  if (first === null || last === null) return null
  const endSeconds = Math.max(last + day, ceilTo(nowMs / 1000, minute))
  return { startSeconds: floorTo(first, day), endSeconds: ceilTo(endSeconds, day) }
}

/** Writes the buckets of whole days by the rules of now, from what was measured. */
async function rewrite(trx: Db, masks: Masks, sloId: number, span: TimeSpan, fetched: readonly LedgerBucket[]) {
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
 * Times that some rules exclude and of which the ledger has hours or days alone, oldest first: `edges` within hours in which a rule begins or
 * ends, or within such days, `whole` of others.
 */
export async function lackingMinutes(
  db: Database,
  { sloId, revision }: SloRevision,
  text: string | null,
): Promise<Record<'edges' | 'whole', TimeSpan[]>> {
  const masks = await masksOf(db)
  const { rows } = await sql<{ resolution: number; start: number }>`
    select resolution, start from buckets as b
    where slo_id = ${sloId} and revision = ${revision} and resolution > 60 and covered_seconds > 0 and not exists (
      select 1 from buckets as finer
      where finer.slo_id = b.slo_id and finer.revision = b.revision and finer.resolution = iif(b.resolution = 86400, 3600, 60)
        and finer.start >= b.start and finer.start < b.start + b.resolution
    ) and not exists (
      select 1 from excluded_buckets as known
      where known.slo_id = b.slo_id and known.revision = b.revision and known.resolution = 60
        and known.start >= b.start and known.start < b.start + b.resolution
    ) order by start`.execute(db.read)
  const lacking: Record<'edges' | 'whole', TimeSpan[]> = { edges: [], whole: [] }
  for (const { resolution, start } of rows) {
    const spans = masks.spansBy(text, { startSeconds: start, endSeconds: start + resolution })
    lacking[secondsOf(spans) < resolution ? 'edges' : 'whole'].push(...spans)
  }
  return { edges: unionOf(lacking.edges), whole: unionOf(lacking.whole) }
}
