import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { pageOf } from '../../db/page-of.ts'
import type { CorrectionCategory, CorrectionRow, SloRow } from '../../db/tables/tables.ts'
import { notFound } from '../../errors.ts'
import type { Page } from '../../http/paging.ts'
import type { MatchedSlo } from './matching.ts'
import type { TimeSpan } from './spans.ts'

/** Reasons for which time does not count. */
export const categories = [
  'planned_maintenance',
  'outside_service_hours',
  'incident_elsewhere',
  'bad_data',
  'other',
] as const satisfies CorrectionCategory[]

/** Writes the corrections of an organization. */
export const {
  insert: insertCorrection,
  update: updateCorrection,
  remove: removeCorrection,
} = organizationRows('corrections', 'Correction')

/** Correction with the name of its creator. */
export type NamedCorrection = CorrectionRow & { created_by_name: string | null }

/** All corrections, in the order in which they were made. */
export async function listAllCorrections(db: Db): Promise<CorrectionRow[]> {
  return db.selectFrom('corrections').selectAll().orderBy('id').execute()
}

/** Corrections of an organization that may exclude time in [startSeconds, endSeconds), newest first. */
export async function listCorrectionsIn(
  db: Db,
  organizationId: number,
  { startSeconds, endSeconds }: TimeSpan,
): Promise<CorrectionRow[]> {
  return db
    .selectFrom('corrections')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('starts_at', '<', endSeconds)
    .where((is) => is.or([is('ends_at', 'is', null), is('ends_at', '>', startSeconds)]))
    .orderBy('id', 'desc')
    .execute()
}

type Filter = { category?: CorrectionCategory | undefined }

/** Page of an organization's corrections, newest first, with the total count. */
export async function listCorrections(
  db: Db,
  organizationId: number,
  { category, ...page }: Filter & Page,
): Promise<{ rows: NamedCorrection[]; total: number }> {
  const listed = ofOrganization(db, organizationId).$if(category !== undefined, (q) =>
    q.where('category', '=', category ?? 'other'),
  )
  return pageOf(listed, page, (corrections) => withNames(corrections).orderBy('corrections.id', 'desc'))
}

export async function getCorrection(db: Db, organizationId: number, id: number): Promise<NamedCorrection> {
  const row = await withNames(ofOrganization(db, organizationId)).where('corrections.id', '=', id).executeTakeFirst()
  if (!row) throw notFound('Correction')
  return row
}

function ofOrganization(db: Db, organizationId: number) {
  return db.selectFrom('corrections').where('corrections.organization_id', '=', organizationId)
}

function withNames(corrections: ReturnType<typeof ofOrganization>) {
  return corrections
    .leftJoin('users', 'users.id', 'corrections.created_by')
    .selectAll('corrections')
    .select('users.name as created_by_name')
}

/** Deletes at most `limit` corrections that ended before a time to which no history reaches back; returns how many. */
export async function deleteCorrectionsBefore(db: Db, timeMs: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('corrections')
    .select('id')
    .where('ends_at', '<', Math.floor(timeMs / 1000))
    .limit(limit)
  const { numDeletedRows } = await db.deleteFrom('corrections').where('id', 'in', old).executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Lists the fields of the active SLOs of an organization that decide which corrections cover them, by id. */
export async function listMatched(
  db: Db,
  organizationId: number,
): Promise<(MatchedSlo & Pick<SloRow, 'organization_id'>)[]> {
  return db
    .selectFrom('slos')
    .select(['id', 'organization_id', 'team_id', 'labels', 'service_hours', 'composite'])
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('id')
    .execute()
}
