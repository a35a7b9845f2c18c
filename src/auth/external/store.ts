import type { Insertable } from 'kysely'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import type { Tables, UserRow } from '../../db/tables/tables.ts'

/** Person at a provider. `issuer`: of the provider, or `proxyIssuer`. */
type Key = { issuer: string; subject: string }

/** Issuer of persons that a trusted proxy names. */
export const proxyIssuer = 'proxy'

/** Issuers by which people sign in with these settings. */
export function issuersOf({
  oidcIssuer,
  trustedHeaderUser,
}: Pick<Config, 'oidcIssuer' | 'trustedHeaderUser'>): string[] {
  return [...(oidcIssuer === null ? [] : [oidcIssuer]), ...(trustedHeaderUser === null ? [] : [proxyIssuer])]
}

export async function findUserByIdentity(db: Db, { issuer, subject }: Key): Promise<UserRow | undefined> {
  return db
    .selectFrom('external_identities')
    .innerJoin('users', 'users.id', 'external_identities.user_id')
    .selectAll('users')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

export async function insertIdentity(trx: Db, identity: Insertable<Tables['external_identities']>): Promise<void> {
  await trx.insertInto('external_identities').values(identity).execute()
}

export async function setSignedIn(trx: Db, { issuer, subject }: Key, nowMs: number): Promise<void> {
  await trx
    .updateTable('external_identities')
    .set({ signed_in_at: nowMs })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

/** True if the user signs in by one of these issuers. */
export async function hasIdentityOf(db: Db, userId: number, issuers: string[]): Promise<boolean> {
  const identity = db.selectFrom('external_identities').select('subject').where('user_id', '=', userId)
  return (await identity.where('issuer', 'in', issuers).limit(1).executeTakeFirst()) !== undefined
}

/** Id of the oldest organization, where accounts are created; undefined before the first account. */
export async function findFirstOrganizationId(db: Db): Promise<number | undefined> {
  return (await db.selectFrom('organizations').select('id').orderBy('id').limit(1).executeTakeFirst())?.id
}
