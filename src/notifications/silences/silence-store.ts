import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { pageOf } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { SilenceRow, SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'

/** Writes the silences of an organization. */
export const { insert: insertSilence, update: updateSilence } = organizationRows('silences', 'Silence')

export const silenceStates = ['active', 'pending', 'expired'] as const
export type SilenceState = (typeof silenceStates)[number]

/** Silence with the names of its SLO and its creator. */
export type NamedSilence = SilenceRow & { slo_name: string | null; created_by_name: string | null }

/** Silences in force: from `starts_at` (inclusive) to `until` (exclusive); of one organization, or of all. */
export async function listSilencesInForce(db: Db, nowMs: number, organizationId?: number): Promise<SilenceRow[]> {
  return db
    .selectFrom('silences')
    .selectAll()
    .$if(organizationId !== undefined, (q) => q.where('organization_id', '=', organizationId ?? 0))
    .where('until', '>', nowMs)
    .where('starts_at', '<=', nowMs)
    .execute()
}

type UnendedOptions = { organizationId: number; nowMs: number; sloIds: readonly (number | null)[] }

/** `listNamedUnended` without silences that are still pending. */
export async function listNamedInForce(db: Db, unended: UnendedOptions): Promise<NamedSilence[]> {
  return (await listNamedUnended(db, unended)).filter(({ starts_at }) => starts_at <= unended.nowMs)
}

const namedUnended = prepared<Omit<UnendedOptions, 'sloIds'> & { ids: string }, NamedSilence>(
  ({ organizationId, nowMs, ids }) => sql`
    select silences.*, slos.name as slo_name, users.name as created_by_name
    from silences left join slos on slos.id = silences.slo_id left join users on users.id = silences.created_by
    where silences.organization_id = ${organizationId} and silences.until > ${nowMs}
      and (silences.slo_id is null or silences.slo_id in (select value from json_each(${ids})))
    order by silences.until desc`,
)

/** Active and pending silences of these SLOs, and all by labels, whether they match or not; the one that ends last first. */
export async function listNamedUnended(db: Db, { sloIds, ...unended }: UnendedOptions): Promise<NamedSilence[]> {
  return (await namedUnended(db, { ...unended, ids: JSON.stringify(sloIds) })).rows
}

const maxOverlapping = 500

/** Silences that overlap a range: the newest 500, newest first. With `sloId`: its own, and all by labels, whether they match or not. */
export async function listSilencesDuring(
  db: Db,
  organizationId: number,
  startMs: number,
  endMs: number,
  sloId?: number,
): Promise<SilenceRow[]> {
  return ofOrganization(db, organizationId)
    .selectAll('silences')
    .where('starts_at', '<', endMs)
    .where('until', '>', startMs)
    .$if(sloId !== undefined, (q) =>
      q.where((is) => is.or([is('slo_id', '=', sloId ?? null), is('slo_id', 'is', null)])),
    )
    .orderBy('id', 'desc')
    .limit(maxOverlapping)
    .execute()
}

type ListOptions = { states: readonly SilenceState[]; nowMs: number; page: number; pageSize: number }

/** Page of an organization's silences in one of these states, newest first, with the total count. */
export async function listSilences(
  db: Db,
  organizationId: number,
  { states, nowMs, ...page }: ListOptions,
): Promise<{ rows: NamedSilence[]; total: number }> {
  const listed = ofOrganization(db, organizationId).where((is) => {
    const hasNotEnded = is('silences.until', '>', nowMs)
    const conditions = {
      active: is.and([hasNotEnded, is('silences.starts_at', '<=', nowMs)]),
      pending: is.and([hasNotEnded, is('silences.starts_at', '>', nowMs)]),
      expired: is.not(hasNotEnded),
    }
    return is.or(states.map((state) => conditions[state]))
  })
  return pageOf(listed, page, (silences) => withNames(silences).orderBy('silences.id', 'desc'))
}

export async function getSilence(db: Db, organizationId: number, id: number): Promise<NamedSilence> {
  const row = await withNames(ofOrganization(db, organizationId)).where('silences.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Silence')
  return row
}

function ofOrganization(db: Db, organizationId: number) {
  return db.selectFrom('silences').where('silences.organization_id', '=', organizationId)
}

function withNames(silences: ReturnType<typeof ofOrganization>) {
  return silences
    .leftJoin('slos', 'slos.id', 'silences.slo_id')
    .leftJoin('users', 'users.id', 'silences.created_by')
    .selectAll('silences')
    .select(['slos.name as slo_name', 'users.name as created_by_name'])
}

/** Active SLOs among these ids, with the fields that silences are matched against. */
export async function listSlosToMatch(
  db: Db,
  ids: readonly number[],
): Promise<Pick<SloRow, 'id' | 'organization_id' | 'labels'>[]> {
  return db
    .selectFrom('slos')
    .select(['id', 'organization_id', 'labels'])
    .where('id', 'in', among(ids))
    .where('active', '=', 1)
    .execute()
}

/** Deletes the oldest silences that ended before a time, at most `limit`; returns their number. */
export async function deleteSilencesBefore(db: Db, beforeMs: number, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from silences where id in (select id from silences where until < ${beforeMs} order by until limit ${limit})
  `.execute(db)
  return Number(numAffectedRows)
}
