import type { Insertable, Selectable } from 'kysely'
import type { Db } from '../../../db/open.ts'
import type { Tables } from '../../../db/tables/tables.ts'
import { notFound } from '../../../errors.ts'

export type OAuthClientRow = Selectable<Tables['oauth_clients']>

export async function insertOAuthClient(db: Db, client: Insertable<Tables['oauth_clients']>): Promise<OAuthClientRow> {
  return db.insertInto('oauth_clients').values(client).returningAll().executeTakeFirstOrThrow()
}

export async function listOAuthClients(db: Db, organizationId: number): Promise<OAuthClientRow[]> {
  return db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function getOAuthClient(db: Db, organizationId: number, id: string): Promise<OAuthClientRow> {
  return db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('OAuth client'))
}

/** Deletes a client with all its codes and tokens. */
export async function deleteOAuthClient(db: Db, organizationId: number, id: string): Promise<void> {
  await db.deleteFrom('oauth_clients').where('organization_id', '=', organizationId).where('id', '=', id).execute()
}

/** Finds a client of any organization by its `client_id`, with the organization's name. */
export async function findOAuthClient(db: Db, id: string) {
  return db
    .selectFrom('oauth_clients')
    .innerJoin('organizations', 'organizations.id', 'oauth_clients.organization_id')
    .selectAll('oauth_clients')
    .select('organizations.name as organization_name')
    .where('oauth_clients.id', '=', id)
    .executeTakeFirst()
}

/** OAuth client with the name of its organization, which the consent page shows. */
export type ClientOfOrganization = NonNullable<Awaited<ReturnType<typeof findOAuthClient>>>

export function redirectUrisOf({ redirect_uris }: OAuthClientRow): string[] {
  return JSON.parse(redirect_uris)
}
