import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { organizationRows } from '../db/organization-rows.ts'
import type { SloRow } from '../db/tables/tables.ts'
import { notFound } from '../errors.ts'
import type { Page } from '../http/paging.ts'
import { utc } from '../zone.ts'
import { pageOf } from '../db/page-of.ts'
import { among } from '../db/statements/among.ts'
import { prepared } from '../db/statements/prepared.ts'
import { isCalendarWindow } from './arithmetic/windows.ts'
import type { SentWindow } from './definition.ts'
import { filteredSlos, listFilteredIds, readsTexts, type SloFilter } from './search-store.ts'

/** An SLO; `measured_since`: start of its current revision. `team_policy`: the `budget_policy` of its team. */
export type DescribedSlo = SloRow & { measured_since: number; team_policy: string }

/** Gets an SLO of this organization, also a deleted one; throws `not_found`. */
export async function getSlo(db: Db, organizationId: number, id: number): Promise<DescribedSlo> {
  const { rows } = await sloOf(db, { organizationId, id })
  if (!rows[0]) throw notFound('SLO')
  return rows[0]
}

const sloOf = prepared<{ organizationId: number; id: number }, DescribedSlo>(
  ({ organizationId, id }) => sql`
    select slos.*, slo_revisions.created_at as measured_since, teams.budget_policy as team_policy from slos
    join slo_revisions on slo_revisions.slo_id = slos.id and slo_revisions.revision = slos.revision
    join teams on teams.organization_id = slos.organization_id and teams.id = slos.team_id
    where slos.organization_id = ${organizationId} and slos.id = ${id}`,
)

/** Names of the team, source and creator of an SLO. `source_name`: of its source or else the default one; null if there is none. */
export type SloNames = { team_name: string; source_name: string | null; created_by_name: string | null }

const namesById = prepared<{ id: number }, SloNames>(
  ({ id }) => sql`
    select teams.name as team_name, users.name as created_by_name, coalesce(own.name, default_source.name) as source_name
    from slos
    join teams on teams.organization_id = slos.organization_id and teams.id = slos.team_id
    left join users on users.id = slos.created_by
    left join data_sources as own on own.organization_id = slos.organization_id and own.id = slos.source_id
    left join data_sources as default_source
      on slos.source_id is null and slos.composite is null and default_source.organization_id = slos.organization_id and default_source.is_default = 1
    where slos.id = ${id}`,
)

export async function getSloNames(db: Db, { id }: Pick<SloRow, 'id'>): Promise<SloNames> {
  const [names] = (await namesById(db, { id })).rows
  if (!names) throw notFound('SLO')
  return names
}

/** Gets an SLO that is not deleted; throws `not_found`. */
export async function getActiveSlo(db: Db, organizationId: number, id: number): Promise<DescribedSlo> {
  const row = await getSlo(db, organizationId, id)
  if (row.active === 0) throw notFound('SLO')
  return row
}

export type ListedSloRow = DescribedSlo & { team_name: string; created_by_name: string | null }

/** Page of an organization's SLOs, newest first, and their total number; by default only active ones. */
export async function listSlos(
  db: Db,
  organizationId: number,
  { page, pageSize, ...filter }: Page & SloFilter,
): Promise<{ rows: ListedSloRow[]; total: number }> {
  const listed = filteredSlos(db, organizationId, filter)
  const select = (slos: typeof listed) =>
    slos
      .innerJoin('slo_revisions', (join) =>
        join.onRef('slo_revisions.slo_id', '=', 'slos.id').onRef('slo_revisions.revision', '=', 'slos.revision'),
      )
      .innerJoin('teams', (join) =>
        join.onRef('teams.organization_id', '=', 'slos.organization_id').onRef('teams.id', '=', 'slos.team_id'),
      )
      .leftJoin('users', 'users.id', 'slos.created_by')
      .selectAll('slos')
      .select([
        'slo_revisions.created_at as measured_since',
        'teams.name as team_name',
        'teams.budget_policy as team_policy',
        'users.name as created_by_name',
      ])
      .orderBy('slos.created_at', 'desc')
      .orderBy('slos.id', 'desc')
  if (!readsTexts(filter)) return pageOf(listed, { page, pageSize }, select)
  const ids = await listFilteredIds(db, organizationId, filter)
  const first = (page - 1) * pageSize
  const ofPage = listed.where('slos.id', 'in', among(ids.slice(first, first + pageSize)))
  return { rows: await select(ofPage).execute(), total: ids.length }
}

/** Ids of the active SLOs of all organizations, in order. Reads only an index, so it works even if rows are damaged. */
export async function listActiveIds(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from slos indexed by slos_listed where active = 1 order by id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Condition for active SLOs. A literal, because SQLite does not use their partial index for a parameter. */
export const isActive = sql<boolean>`slos.active = 1`

/** Condition for SLOs that are deleted or paused. */
export const isNotEvaluated = sql<boolean>`(slos.active = 0 or slos.paused_at is not null)`

/**
 * Time in which an edit may be undone: alerts and incidents follow it only afterwards. The page offers the undo for as long.
 */
export const undoMs = 10_000

const describingFields = ['name', 'description', 'labels', 'owner', 'runbook_url', 'budget_policy', 'team_id'] as const

/** New value of `redefined_at` after an edit of these fields: `nowMs`, or the former value if they only describe the SLO. */
export function redefinedAt(slo: SloRow, changed: readonly (keyof SloRow)[], nowMs: number): number | null {
  const isDescribing = (name: keyof SloRow) => describingFields.some((one) => one === name)
  return changed.every(isDescribing) ? slo.redefined_at : nowMs
}

/** True while the last edit that can change alerts may still be undone. */
export function mayBeUndone({ redefined_at }: Pick<SloRow, 'redefined_at'>, nowMs: number): boolean {
  if (redefined_at === null) return false
  const sinceMs = nowMs - redefined_at // negative where the clock was set back
  return sinceMs >= 0 && sinceMs < undoMs
}

/**
 * Condition for SLOs that are not evaluated, because they are deleted or paused, or their source (their own, or the organization's
 * default) is not active, and whose last edit can no longer be undone.
 */
export function isAbandoned(nowMs: number) {
  return sql<boolean>`(
    coalesce(slos.redefined_at, 0) not between ${nowMs - undoMs} + 1 and ${nowMs} and (${isNotEvaluated} or slos.composite is null and not exists (
      select 1 from data_sources where data_sources.organization_id = slos.organization_id and data_sources.is_active = 1
        and iif(slos.source_id is null, data_sources.is_default = 1, data_sources.id = slos.source_id)
    ))
  )`
}

/** Ids and current revisions of an organization's active SLOs, from an index alone. */
export async function listCurrentRevisions(db: Db, organizationId: number): Promise<Pick<SloRow, 'id' | 'revision'>[]> {
  return db
    .selectFrom('slos')
    .select(['id', 'revision'])
    .where('organization_id', '=', organizationId)
    .where(isActive)
    .execute()
}

/** Lists these SLOs except deleted ones. */
export async function listActiveOf(db: Db, organizationId: number, ids: readonly number[]): Promise<SloRow[]> {
  return db
    .selectFrom('slos')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .where('active', '=', 1)
    .execute()
}

export const { insert: insertSlo, update: updateSlo } = organizationRows('slos', 'SLO')

/**
 * Stores the inferred unit of a query, unless the query has changed since it was measured. Returns the stored unit: another
 * measurement may have been first.
 */
export async function storeInferredUnit(db: Db, slo: SloRow, unit: 'ratio' | 'percent'): Promise<'ratio' | 'percent'> {
  const inferred = await db
    .updateTable('slos')
    .set(({ fn, ref, val }) => ({ inferred_unit: fn.coalesce(ref('inferred_unit'), val(unit)) }))
    .where('organization_id', '=', slo.organization_id)
    .where('id', '=', slo.id)
    .where('revision', '=', slo.revision)
    .returning('inferred_unit')
    .executeTakeFirst()
  return inferred?.inferred_unit ?? unit
}

const sources = organizationRows('data_sources', 'Source')

export async function hasSource(db: Db, organizationId: number, id: number): Promise<boolean> {
  return (await sources.find(db, organizationId, id)) !== undefined
}

/** Time zone of the window of an SLO: that which was sent, else the organization's; null: the window moves with time. */
export async function findWindowZone(
  db: Db,
  organizationId: number,
  { time_window, time_zone = null }: SentWindow,
): Promise<string | null> {
  if (!isCalendarWindow(time_window)) return null
  if (time_zone !== null) return time_zone
  const { time_zone: ofOrganization } = await db
    .selectFrom('organizations')
    .select('time_zone')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return ofOrganization ?? utc.timeZone
}
