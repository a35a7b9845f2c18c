import { zoneOf, type Zone } from '../zone.ts'
import type { Db } from './open.ts'
import { among } from './statements/among.ts'

/** Zones of organizations by id. */
export type Zones = ReadonlyMap<number, Zone>

/** Reads the zones of the organizations whose people are notified. */
export async function listZones(db: Db, organizationIds: readonly number[]): Promise<Zones> {
  const rows = await db
    .selectFrom('organizations')
    .select(['id', 'time_zone', 'clock'])
    .where('id', 'in', among([...new Set(organizationIds)]))
    .execute()
  return new Map(rows.map((row) => [row.id, zoneOf(row)]))
}

/** Zone of one organization. */
export async function getZone(db: Db, organizationId: number): Promise<Zone> {
  const row = await db
    .selectFrom('organizations')
    .select(['time_zone', 'clock'])
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow()
  return zoneOf(row)
}
