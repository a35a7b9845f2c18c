import { sql } from 'kysely'
import type { Db } from '../../../db/open.ts'

/** A text that is another one as soon as an SLO of the organization comes, goes or is measured otherwise. */
export async function activeRevisions(db: Db, organizationId: number): Promise<string> {
  const active = db
    .selectFrom('slos')
    .select(sql<string>`id || '.' || revision`.as('named'))
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('id')
    .as('active')
  const { all } = await db
    .selectFrom(active)
    .select(sql<string>`coalesce(group_concat(named, ' '), '')`.as('all'))
    .executeTakeFirstOrThrow()
  return all
}
