import type { Selectable } from 'kysely'
import { aroundDamagedRows } from '../../db/failures/damage.ts'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import type { Tables } from '../../db/tables/tables.ts'

export const targetRows = organizationRows('scrape_targets', 'Target')
export const probeRows = organizationRows('probes', 'Probe')

/** Active targets or probes of one organization, or of all; skips damaged rows. */
export async function listActive<Name extends 'scrape_targets' | 'probes'>(
  db: Db,
  name: Name,
  organizationId?: number,
): Promise<Selectable<Tables[Name]>[]> {
  const table = name as 'scrape_targets' // Kysely's types cannot follow a table that is a parameter
  const active = db.selectFrom(table).selectAll().where('is_active', '=', 1)
  const selected = organizationId === undefined ? active : active.where('organization_id', '=', organizationId)
  const rows = await aroundDamagedRows(
    () => selected.execute(),
    async () => (await db.selectFrom(table).select('id').execute()).map(({ id }) => id),
    (ids) => selected.where('id', 'in', ids).execute(),
  )
  return rows as unknown as Selectable<Tables[Name]>[]
}
