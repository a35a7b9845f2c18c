import type { Db } from '../../db/open.ts'

/** Open incidents of an organization, by the id of their SLO. */
export async function openIncidentsOf(db: Db, organizationId: number): Promise<Map<number | null, number>> {
  const incidents = await db
    .selectFrom('incidents')
    .select(['id', 'slo_id'])
    .where('organization_id', '=', organizationId)
    .where('closed_at', 'is', null)
    .execute()
  return new Map(incidents.map(({ id, slo_id }) => [slo_id, id]))
}
