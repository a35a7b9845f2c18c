import type { Insertable } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { RecipientRow, RecipientStatus, Tables } from '../../db/tables/tables.ts'

/** Rows of these addresses (in lower case). An address without a row must confirm, and was not mailed a request yet. */
export async function listRecipients(db: Db, organizationId: number, addressKeys: string[]): Promise<RecipientRow[]> {
  return db
    .selectFrom('mail_recipients')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('address_key', 'in', addressKeys)
    .execute()
}

/** Recipient and organization by the token of a link. */
export async function findRecipientByToken(db: Db, token: string) {
  return db
    .selectFrom('mail_recipients')
    .innerJoin('organizations', 'organizations.id', 'mail_recipients.organization_id')
    .selectAll('mail_recipients')
    .select('organizations.name as organization_name')
    .where('token', '=', token)
    .executeTakeFirst()
}

export async function setRecipientStatus(db: Db, token: string, status: RecipientStatus): Promise<void> {
  await db.updateTable('mail_recipients').set({ status }).where('token', '=', token).execute()
}

export async function findOrganizationName(db: Db, id: number): Promise<string | undefined> {
  return (await db.selectFrom('organizations').select('name').where('id', '=', id).executeTakeFirst())?.name
}

/** Records that an address was mailed a request for confirmation, and counts it. */
export async function recordConfirmationRequest(
  db: Db,
  { organization_id, address_key, token }: Pick<RecipientRow, 'organization_id' | 'address_key' | 'token'>,
  nowMs: number,
): Promise<void> {
  await db
    .insertInto('mail_recipients')
    .values({ organization_id, address_key, token, status: 'pending', request_count: 1, requested_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .columns(['organization_id', 'address_key'])
        .doUpdateSet((row) => ({ request_count: row('mail_recipients.request_count', '+', 1), requested_at: nowMs })),
    )
    .execute()
}

/** Inserts confirmed recipients. Existing rows stay: an address that has declined is not mailed. */
export async function insertConfirmed(db: Db, rows: Insertable<Tables['mail_recipients']>[]): Promise<void> {
  if (rows.length === 0) return
  await db
    .insertInto('mail_recipients')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
