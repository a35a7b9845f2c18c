import { minuteStartSeconds } from '../../clock.ts'
import { sql } from 'kysely'
import { insertRow } from '../../db/statements/insert-row.ts'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import { type BackfillRow, flag, type SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

/**
 * SLO with a pending backfill of its revision, which begins with each change of its queries: when the backfill was started (`begun_at`),
 * and its progress.
 */
export type BackfillToDo = SloRow &
  Pick<BackfillRow, 'status' | 'ends_at' | 'chunks' | 'chunks_done' | 'buckets'> & {
    begun_at: BackfillRow['created_at']
  }

type Progress = Partial<Pick<BackfillRow, 'status' | 'chunks' | 'chunks_done' | 'buckets' | 'error'>>

const toDo = ['waiting', 'running'] as const

export function isToDo({ status }: BackfillRow): boolean {
  return toDo.some((one) => one === status)
}

export async function getBackfill(db: Db, organizationId: number, sloId: number): Promise<BackfillRow> {
  const row = await findBackfill(db, organizationId, sloId)
  if (!row) throw notFound('Backfill')
  return row
}

export async function findBackfill(db: Db, organizationId: number, sloId: number): Promise<BackfillRow | undefined> {
  return db
    .selectFrom('backfills')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slo_id', '=', sloId)
    .executeTakeFirst()
}

function initialColumns({ revision }: SloRow, nowMs: number) {
  return {
    revision,
    status: 'waiting' as const,
    ends_at: minuteStartSeconds(nowMs),
    chunks: 0,
    chunks_done: 0,
    buckets: 0,
    error: null,
    is_past_known: flag(false),
    created_at: nowMs,
    updated_at: nowMs,
  }
}

/** Starts the backfill of a new SLO. */
export async function startFirstBackfill(trx: Db, slo: SloRow, nowMs: number): Promise<void> {
  await insertRow(trx, 'backfills', {
    slo_id: slo.id,
    organization_id: slo.organization_id,
    ...initialColumns(slo, nowMs),
  })
}

/**
 * Starts a backfill of an SLO that was paused or deleted: it fills the gap. Where the past of its revision was filled in before, the first
 * sample stays known.
 */
export async function resumeBackfill(trx: Db, slo: SloRow, nowMs: number): Promise<void> {
  const { rows } = await sql`
    select 1 from backfills where slo_id = ${slo.id} and revision = ${slo.revision} and (status = 'done' or is_past_known = 1)
      and exists (
        select 1 from buckets where slo_id = ${slo.id} and revision = ${slo.revision} and covered_seconds > 0
      )`.execute(trx)
  await startBackfill(trx, slo, nowMs, flag(rows.length > 0))
}

/** Starts a backfill of the SLO's current revision, from the beginning up to now. */
export async function startBackfill(trx: Db, slo: SloRow, nowMs: number, is_past_known = flag(false)): Promise<void> {
  const changes = { ...initialColumns(slo, nowMs), is_past_known }
  await trx
    .insertInto('backfills')
    .values({ slo_id: slo.id, organization_id: slo.organization_id, ...changes })
    .onConflict((conflict) =>
      conflict.column('slo_id').doUpdateSet({
        ...changes,
        created_at: sql<number>`max(excluded.created_at, backfills.created_at + 1)`, // grows, since it identifies this run of the backfill
      }),
    )
    .execute()
}

/** Waiting and running backfills of active SLOs that are not paused, oldest first, except those of the SLOs `exceptIds`; at most `limit` of each source. */
export async function listBackfillsToDo(db: Db, limit: number, exceptIds: number[] = []): Promise<BackfillToDo[]> {
  const ranked = db
    .selectFrom('backfills')
    .innerJoin('slos', (join) =>
      join.onRef('slos.id', '=', 'backfills.slo_id').onRef('slos.revision', '=', 'backfills.revision'),
    )
    .where('backfills.status', 'in', toDo.map(sql.lit)) // as literals, for the partial index
    .where('slos.active', '=', 1)
    .where('slos.paused_at', 'is', null)
    .where('slos.id', 'not in', among(exceptIds))
    .selectAll('slos')
    .select(['backfills.status', 'backfills.ends_at', 'backfills.chunks', 'backfills.chunks_done', 'backfills.buckets'])
    .select('backfills.created_at as begun_at')
    .select(
      sql<number>`row_number() over (
        partition by slos.organization_id, slos.source_id order by backfills.created_at, slos.id
      )`.as('place'),
    )
  const rows = await db
    .selectFrom(ranked.as('ranked'))
    .selectAll()
    .where('place', '<=', limit)
    .orderBy('begun_at')
    .orderBy('id')
    .execute()
  return rows.map(({ place: _place, ...row }) => row)
}

/** Ids of the SLOs whose backfill of the current revision is done. */
export async function listDoneBackfills(db: Db, slos: Pick<SloRow, 'id' | 'revision'>[]): Promise<Set<number>> {
  const { rows } = await sql<{ id: number }>`
    select slo_id as id from json_each(${JSON.stringify(slos.map(({ id, revision }) => [id, revision]))}) as slo
    join backfills on slo_id = slo.value->>0 and revision = slo.value->>1
    where status = 'done'`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Times at which the backfills of the current revisions of SLOs ended, in ms, by id; those that are to do are left out. */
export async function listBackfillEnds(db: Db, slos: Pick<SloRow, 'id' | 'revision'>[]): Promise<Map<number, number>> {
  const { rows } = await sql<{ id: number; endedAtMs: number }>`
    select slo_id as id, updated_at as "endedAtMs" from json_each(${JSON.stringify(slos.map(({ id, revision }) => [id, revision]))}) as slo
    join backfills on slo_id = slo.value->>0 and revision = slo.value->>1
    where status not in (${sql.join(toDo)})`.execute(db)
  return new Map(rows.map(({ id, endedAtMs }) => [id, endedAtMs]))
}

/** Updates a pending backfill. False if nothing changed: it has ended, was cancelled, or belongs to another revision. */
export async function updateBackfill(
  db: Db,
  sloId: number,
  revision: number,
  changes: Progress & { updated_at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('backfills')
    .set(changes)
    .where('slo_id', '=', sloId)
    .where('revision', '=', revision)
    .where('status', 'in', toDo)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
