import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { AnnotationRow } from '../../db/tables/tables.ts'

/** An incident that begins within this time after a deploy or change names it. */
const namedSeconds = 1800

/** Deploy or change before an incident. `began_at`: start of the incident in Unix seconds. */
export type DeployBefore = AnnotationRow & { incident_id: number; began_at: number }

const deploysBefore = prepared<{ ids: string }, DeployBefore>(
  ({ ids }) => sql`
    select annotations.*, incidents.id as incident_id, incidents.began_at
    from incidents
    join slos on slos.id = incidents.slo_id
    join annotations on annotations.id = (
      select named.id from annotations as named
      where named.organization_id = incidents.organization_id
        and named.at > (incidents.began_at - ${sql.lit(namedSeconds)}) * 1000 and named.at < (incidents.began_at + 1) * 1000
        and named.kind <> 'note' and json_patch(slos.labels, named.labels) = slos.labels
      order by named.at desc, named.id desc limit 1
    )
    where incidents.id in (select value from json_each(${ids}))`,
)

/** Last deploy or change of the SLO within the 30 minutes before each of these incidents began, by the id of the incident. */
export async function listDeploysBefore(db: Db, incidentIds: number[]): Promise<Map<number, DeployBefore>> {
  if (incidentIds.length === 0) return new Map()
  const { rows } = await deploysBefore(db, { ids: JSON.stringify(incidentIds) })
  return new Map(rows.map((row) => [row.incident_id, row]))
}
