import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { countOf, pageOf } from '../../db/page-of.ts'
import type { TeamRow } from '../../db/tables/tables.ts'
import { invalid } from '../../errors.ts'
import type { Page } from '../../http/paging.ts'

/** Page of an organization's teams, ordered by id, and their total number. */
export async function listTeams(
  db: Db,
  organizationId: number,
  page: Page,
): Promise<{ rows: TeamRow[]; total: number }> {
  const teams = db.selectFrom('teams').where('organization_id', '=', organizationId)
  return pageOf(teams, page, (listed) => listed.selectAll().orderBy('id'))
}

/** Statements on the teams of an organization. */
export const {
  find: findTeam,
  get: getTeam,
  update: updateTeam,
  remove: deleteTeam,
} = organizationRows('teams', 'Team')

/** Throws `invalid` for a field that names a team which the organization does not have. */
export async function assertTeam(db: Db, organizationId: number, teamId: number, field: string): Promise<void> {
  if (await findTeam(db, organizationId, teamId)) return
  throw invalid(field, 'must be a team of your organization', { code: 'unknown' })
}

export async function listTeamNames(db: Db, organizationId: number): Promise<{ id: number; name: string }[]> {
  return db.selectFrom('teams').select(['id', 'name']).where('organization_id', '=', organizationId).execute()
}

/** Names and error budget policies of an organization's teams; `budget_policy`: JSON. */
export async function listTeamPolicies(
  db: Db,
  organizationId: number,
): Promise<Pick<TeamRow, 'id' | 'name' | 'budget_policy'>[]> {
  return db
    .selectFrom('teams')
    .select(['id', 'name', 'budget_policy'])
    .where('organization_id', '=', organizationId)
    .execute()
}

type NewTeam = Pick<TeamRow, 'name' | 'budget_policy'>

/** Stores a team under the organization's next id; ids are never reused. */
export async function insertTeam(trx: Db, organizationId: number, team: NewTeam, nowMs: number): Promise<TeamRow> {
  const { next_team_id } = await trx
    .updateTable('organizations')
    .set((q) => ({ next_team_id: q('next_team_id', '+', 1) }))
    .where('id', '=', organizationId)
    .returning('next_team_id')
    .executeTakeFirstOrThrow()
  return trx
    .insertInto('teams')
    .values({ ...team, organization_id: organizationId, id: next_team_id - 1, created_at: nowMs })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Number of SLOs of this team, including deleted ones. */
export async function countSlosOfTeam(db: Db, organizationId: number, id: number): Promise<number> {
  return countOf(db.selectFrom('slos').where('organization_id', '=', organizationId).where('team_id', '=', id))
}

/** Stores team 1, the default team, which every organization has. */
export async function insertDefaultTeam(db: Db, organizationId: number, nowMs: number): Promise<void> {
  await db
    .insertInto('teams')
    .values({ organization_id: organizationId, id: 1, name: 'Default', created_at: nowMs })
    .execute()
}
