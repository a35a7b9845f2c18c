import type { Db } from '../../db/open.ts'
import { shopName } from './shop.ts'

/** What a data folder holds: nothing yet, a demo (`isSeeded`: to the end), or something of its own. */
export type Found = 'nothing' | 'others' | { createdAtMs: number; isSeeded: boolean }

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
  return { createdAtMs: first.created_at, isSeeded: target !== undefined }
}
