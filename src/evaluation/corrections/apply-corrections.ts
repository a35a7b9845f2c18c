import type { Clock } from '../../clock.ts'
import { createYielder } from '../../concurrency/yielder.ts'
import type { Database } from '../../db/open.ts'
import type { CorrectionRow, SloRow } from '../../db/tables/tables.ts'
import { minute } from '../../ledger/bucket.ts'
import { masksOf } from '../../ledger/excluded/masks.ts'
import { applyRules, missingMinutes } from '../../ledger/excluded/rewrite.ts'
import type { LedgerBucket } from '../../ledger/ledger-store.ts'
import { measureIsolated, measureLedger } from '../../ledger/measure/measure-ledger.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { listBackfillEnds } from '../../slos/backfills/store.ts'
import { createMatcher, type MatchedSlo, rulesText } from '../../slos/corrections/matching.ts'
import { clipTo, type TimeSpan } from '../../slos/corrections/spans.ts'
import { listAllCorrections } from '../../slos/corrections/store.ts'
import type { Source } from '../../sources/source.ts'

type Deps = { db: Database; clock: Clock }
type Covering = { row: CorrectionRow; covers: (slo: MatchedSlo) => boolean }
type Corrections = Map<number, Covering[]>

const known = new WeakMap<object, Promise<Corrections>>()

/** Corrections by organization; they are read once, and again after `invalidateCorrections`. */
function correctionsOf(db: Pick<Database, 'read' | 'write'>): Promise<Corrections> {
  const loaded = known.get(db)
  if (loaded) return loaded
  const reading = readCorrections(db)
  known.set(db, reading)
  reading.catch(() => known.get(db) === reading && known.delete(db)) // the next call tries again
  return reading
}

async function readCorrections(db: Pick<Database, 'read'>): Promise<Corrections> {
  const rows = await listAllCorrections(db.read)
  const covering = rows.map((row) => ({ row, covers: createMatcher(row) }))
  return Map.groupBy(covering, ({ row }) => row.organization_id)
}

/** Makes the next reader load the corrections again. Call it after each change of a correction. */
export function invalidateCorrections(db: Pick<Database, 'read' | 'write'>): void {
  known.delete(db)
}

/**
 * Exclusion rules of an SLO from its present corrections and service hours, as JSON; null: none. `without`: id of a correction to
 * leave out. `and`: a correction to add.
 */
export async function exclusionRulesOf(
  db: Pick<Database, 'read' | 'write'>,
  slo: MatchedSlo & Pick<SloRow, 'organization_id'>,
  { without, and }: { without?: number | undefined; and?: CorrectionRow | undefined } = {},
): Promise<string | null> {
  const all = (await correctionsOf(db)).get(slo.organization_id) ?? []
  const rows = all.flatMap(({ row, covers }) => (row.id !== without && covers(slo) ? [row] : []))
  return rulesText(slo, and ? [...rows, and] : rows)
}

/**
 * Lists the SLOs whose present rules differ from those that the ledger was written with. `text`: the present rules. Yields to
 * the event loop.
 */
export async function listChangedRules<S extends MatchedSlo & Pick<SloRow, 'organization_id'>>(
  db: Pick<Database, 'read' | 'write'>,
  slos: readonly S[],
): Promise<{ slo: S; text: string | null }[]> {
  const masks = await masksOf(db)
  const all = await correctionsOf(db)
  const candidates = slos.filter((slo) => {
    return all.has(slo.organization_id) || slo.service_hours !== null || masks.textOf(slo.id) !== null
  })
  const changed: { slo: S; text: string | null }[] = []
  const yielder = createYielder(1)
  for (const slo of candidates) {
    if (yielder.isDue()) await yielder.next()
    const text = await exclusionRulesOf(db, slo)
    if (text !== masks.textOf(slo.id)) changed.push({ slo, text })
  }
  return changed
}

const maxQueries = 300 // to the source, in one call of `applyCorrections`
const maxSpanSeconds = 48 * 3600 // of one query, which asks for minutes
const retryMs = 600_000 // after a source did not answer

/**
 * When the source is asked again for the minutes of an SLO's excluded times, by its id; `key`: its revision, the end of its backfill
 * and its rules, for which it was asked.
 */
type Asked = Map<number, { key: string; untilMs: number }>

const askedOf = new WeakMap<object, Asked>()

/**
 * Applies the present corrections and service hours of these SLOs, all of one source, to the ledger. If the ledger does not keep the
 * minutes at the start and end of an excluded time, queries the source for them, newest first; also if a backfill has brought that time
 * since the rules were applied. Returns the ids of the SLOs whose rules changed.
 */
export async function applyCorrections(
  { db, clock }: Deps,
  source: Source | null,
  planned: PlannedSlo[],
): Promise<number[]> {
  const bySlo = new Map(planned.map((one) => [one.slo.id, one]))
  const changed = await listChangedRules(
    db,
    planned.map(({ slo }) => slo),
  )
  const applied: number[] = []
  const queries = { left: maxQueries }
  for (const { slo, text } of changed) {
    const one = bySlo.get(slo.id)
    const { minutes } = source && one ? await fetchMinutes(db, source, one, text, queries) : { minutes: [] }
    if (await applyRules({ db, nowMs: clock.now() }, { sloId: slo.id, text, minutes })) applied.push(slo.id)
  }
  if (source) await addMinutes({ db, clock }, source, planned, queries)
  return applied
}

/**
 * Adds the excluded minutes of SLOs whose backfill has ended, once for each backfill and each change of the rules. What `queries` do
 * not suffice for is left to the next call.
 */
async function addMinutes(
  { db, clock }: Deps,
  source: Source,
  planned: PlannedSlo[],
  queries: { left: number },
): Promise<void> {
  const masks = await masksOf(db)
  const ruled = planned.filter(({ slo }) => masks.textOf(slo.id) !== null)
  if (ruled.length === 0) return
  const asked = askedOf.getOrInsertComputed(db, () => new Map())
  const endsMs = await listBackfillEnds(
    db.read,
    ruled.map(({ slo }) => slo),
  )
  for (const one of ruled) {
    if (queries.left <= 0) break
    const { id: sloId, revision } = one.slo
    const [text, endMs, last] = [masks.textOf(sloId), endsMs.get(sloId), asked.get(sloId)]
    const key = `${revision} ${endMs} ${text}`
    if (endMs === undefined || (last?.key === key && clock.now() < last.untilMs)) continue
    const { minutes, isAnswered } = await fetchMinutes(db, source, one, text, queries)
    if ((await masksOf(db)).textOf(sloId) !== text) continue // changed in the meantime
    await applyRules({ db, nowMs: clock.now() }, { sloId, text, minutes })
    const isUnfinished = queries.left <= 0 && minutes.length > 0
    if (!isUnfinished) asked.set(sloId, { key, untilMs: isAnswered ? Infinity : clock.now() + retryMs })
    if (!isAnswered) break
  }
}

/**
 * Queries the source for minutes that the ledger does not keep, first for hours that are excluded in part. Hours that are excluded as
 * a whole need them only for counters, since a backfilled hour is an estimate. Leaves out minutes that the source does not return.
 * `isAnswered` false: it did not answer, and was not asked for the rest.
 */
async function fetchMinutes(
  db: Database,
  source: Source,
  one: PlannedSlo,
  text: string | null,
  queries: { left: number },
): Promise<{ minutes: LedgerBucket[]; isAnswered: boolean }> {
  const { id: sloId, revision } = one.slo
  const { edges, whole } = await missingMinutes(db, { sloId, revision }, text)
  const spans = [...inParts(edges).toReversed(), ...(one.plan.counters ? inParts(whole).toReversed() : [])]
  const minutes: LedgerBucket[] = []
  for (const span of spans) {
    if (queries.left-- <= 0) break
    const measured = (await measureIsolated(measureLedger, source, [one], { ...span, resolution: minute })).get(sloId)
    if (!measured || 'error' in measured) return { minutes, isAnswered: false }
    const covered = measured.buckets.filter(({ coveredSeconds }) => coveredSeconds > 0)
    if (covered.length * minute < (span.endSeconds - span.startSeconds) / 2) continue // the source has lost most of it
    minutes.push(...covered.map((bucket) => ({ ...bucket, sloId, revision, resolution: minute })))
  }
  return { minutes, isAnswered: true }
}

function inParts(spans: readonly TimeSpan[]): TimeSpan[] {
  return spans.flatMap((span) => {
    const count = Math.ceil((span.endSeconds - span.startSeconds) / maxSpanSeconds)
    return Array.from({ length: count }, (_, at) => at).flatMap((at) =>
      clipTo([span], {
        startSeconds: span.startSeconds + at * maxSpanSeconds,
        endSeconds: span.startSeconds + (at + 1) * maxSpanSeconds,
      }),
    )
  })
}
