import { t } from 'elysia'
import { FormatRegistry } from 'elysia/type-system'
import { isoTime } from '../../../clock.ts'
import { Name } from '../../../http/schemas.ts'
import { type OAuthClientRow, redirectUrisOf } from './store.ts'
import { isRedirectUri } from './redirect-uri.ts'

FormatRegistry.Set('redirect-uri', isRedirectUri)

const RedirectUri = t.String({
  format: 'redirect-uri',
  description: 'an https URL, or http on localhost, 127.0.0.1 or [::1]; without fragment, wildcard and user name',
})

/** `confidential`: can keep a secret, as a web server can and a native or browser application cannot. */
export const ClientCreation = t.Object(
  {
    name: Name({ most: 100 }),
    redirect_uris: t.Array(RedirectUri, {
      minItems: 1,
      maxItems: 10,
      uniqueItems: true,
      description: '1 to 10 different redirect URIs',
    }),
    confidential: t.Optional(t.Boolean({ description: 'true or false' })),
  },
  {
    title: 'OAuthClientCreation',
    examples: [{ name: 'Status page', redirect_uris: ['https://status.example/callback'], confidential: true }],
  },
)
export type ClientCreation = typeof ClientCreation.static

export const Client = t.Object(
  {
    client_id: t.String(),
    name: t.String(),
    redirect_uris: t.Array(t.String()),
    confidential: t.Boolean(),
    created_by: t.Nullable(t.Number()),
    created_at: t.String(),
  },
  { title: 'OAuthClient' },
)

/** The secret is shown this once. */
export const NewClient = t.Composite([Client, t.Object({ client_secret: t.Optional(t.String()) })], {
  title: 'NewOAuthClient',
})

export function presentClient(row: OAuthClientRow) {
  return {
    client_id: row.id,
    name: row.name,
    redirect_uris: redirectUrisOf(row),
    confidential: row.secret_hash !== null,
    created_by: row.created_by,
    created_at: isoTime(row.created_at),
  }
}
