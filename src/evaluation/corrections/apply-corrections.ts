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
  const before = known.get(db)
  if (before) return before
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

/**
 * Applies the present corrections and service hours of these SLOs, all of one source, to the ledger. If the ledger no longer keeps the
 * minutes at the start and end of an excluded time, queries the source for them, newest first. Returns the ids of the SLOs whose rules
 * changed.
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
    const minutes = source && one ? await fetchMinutes(db, source, one, text, queries) : []
    if (await applyRules({ db, nowMs: clock.now() }, { sloId: slo.id, text, minutes })) applied.push(slo.id)
  }
  return applied
}

/**
 * Queries the source for minutes that the ledger does not keep, first for hours that are excluded in part. Hours that are excluded as
 * a whole need them only for counters, since a backfilled hour is an estimate. Leaves out minutes that the source does not return.
 */
async function fetchMinutes(
  db: Database,
  source: Source,
  one: PlannedSlo,
  text: string | null,
  queries: { left: number },
): Promise<LedgerBucket[]> {
  const { id: sloId, revision } = one.slo
  const { edges, whole } = await missingMinutes(db, { sloId, revision }, text)
  const spans = [...inParts(edges).toReversed(), ...(one.plan.counters ? inParts(whole).toReversed() : [])]
  const buckets: LedgerBucket[] = []
  for (const span of spans) {
    if (queries.left-- <= 0) break
    const measured = (await measureIsolated(measureLedger, source, [one], { ...span, resolution: minute })).get(sloId)
    if (!measured || 'error' in measured) break
    const covered = measured.buckets.filter(({ coveredSeconds }) => coveredSeconds > 0)
    if (covered.length * minute < (span.endSeconds - span.startSeconds) / 2) continue // the source has lost most of it
    buckets.push(...covered.map((bucket) => ({ ...bucket, sloId, revision, resolution: minute })))
  }
  return buckets
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
