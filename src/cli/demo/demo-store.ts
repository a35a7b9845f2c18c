import type { Db } from '../../db/open.ts'
import { shopName } from './shop.ts'

/** What a data folder holds: nothing yet, a demo (`isSeeded`: to the end), or something of its own. */
export type Found = 'nothing' | 'others' | { organizationId: number; createdAtMs: number; isSeeded: boolean }

/** Looks for the demo, which is what an account with this e-mail has been made for before any other. */
export async function findDemo(db: Db, email: string): Promise<Found> {
  const first = await db
    .selectFrom('users')
    .select(['email', 'organization_id', 'created_at'])
    .orderBy('id')
    .executeTakeFirst()
  if (!first) return 'nothing'
  if (first.email !== email) return 'others'
  const target = await db
    .selectFrom('scrape_targets')
    .select('id')
    .where('organization_id', '=', first.organization_id)
    .where('url', '=', `nines:${shopName}`)
    .executeTakeFirst()
  return { organizationId: first.organization_id, createdAtMs: first.created_at, isSeeded: target !== undefined }
}

/** Lets probes of the demo try something else than before, each by its name. */
export async function pointProbes(
  db: Db,
  organizationId: number,
  probes: readonly { name: string; target: string }[],
): Promise<void> {
  for (const { name, target } of probes) {
    await db
      .updateTable('probes')
      .set({ target })
      .where('organization_id', '=', organizationId)
      .where('name', '=', name)
      .execute()
  }
}
