import type { Db } from '../db/open.ts'

/** Of these addresses (in lower case), those of users of an organization. */
export async function listUserAddresses(db: Db, organizationId: number, emailKeys: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('users')
    .select('email_key')
    .where('organization_id', '=', organizationId)
    .where('email_key', 'in', emailKeys)
    .execute()
  return new Set(rows.map(({ email_key }) => email_key))
}
