import { zoneOf, type Zone } from '../zone.ts'
import type { Db } from './open.ts'

/** Zones of organizations by id. */
export type Zones = ReadonlyMap<number, Zone>

/** Zone of one organization. */
export async function getZone(db: Db, organizationId: number): Promise<Zone> {
  const row = await db
    .selectFrom('organizations')
    .select(['time_zone', 'clock'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return zoneOf(row)
}
