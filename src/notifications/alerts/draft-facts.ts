import type { Db } from '../../db/open.ts'
import type { Zones } from '../../db/organization-zones.ts'
import { among } from '../../db/statements/among.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { zoneOf } from '../../zone.ts'

/** Facts that drafts need about the organizations and teams of their SLOs. */
export type DraftFacts = { publicUrl: () => string; zones: Zones; teamPolicies: TeamPolicies }

/** Error budget policies of teams, JSON by `teamKey`. A team without one is absent. */
type TeamPolicies = ReadonlyMap<string, string>

type OfTeam = Pick<SloRow, 'organization_id' | 'team_id'>

/** Reads the facts for drafts about these SLOs, of any organization. */
export async function readDraftFacts(trx: Db, publicUrl: () => string, slos: readonly OfTeam[]): Promise<DraftFacts> {
  const organizationIds = [...new Set(slos.map(({ organization_id }) => organization_id))]
  const teamIds = [...new Set(slos.map(({ team_id }) => team_id))]
  const rows = await trx
    .selectFrom('organizations')
    .leftJoin('teams', (join) =>
      join
        .onRef('teams.organization_id', '=', 'organizations.id')
        .on('teams.id', 'in', among(teamIds))
        .on('teams.budget_policy', '<>', '[]'),
    )
    .select([
      'organizations.id',
      'organizations.time_zone',
      'organizations.clock',
      'teams.id as team_id',
      'teams.budget_policy',
    ])
    .where('organizations.id', 'in', among(organizationIds))
    .execute()
  return {
    publicUrl,
    zones: new Map(rows.map((row) => [row.id, zoneOf(row)])),
    teamPolicies: new Map(
      rows.flatMap(({ id, team_id, budget_policy }) =>
        team_id === null || budget_policy === null
          ? []
          : [[teamKey({ organization_id: id, team_id }), budget_policy] as const],
      ),
    ),
  }
}

/** An SLO with the policy of its team, as drafts need it. */
export function withTeamPolicy<Slo extends OfTeam>(slo: Slo, { teamPolicies }: Pick<DraftFacts, 'teamPolicies'>) {
  return { ...slo, team_policy: teamPolicies.get(teamKey(slo)) ?? '[]' }
}

/** Key of an SLO's team among those of all organizations. */
function teamKey({ organization_id, team_id }: OfTeam): string {
  return `${organization_id} ${team_id}`
}
