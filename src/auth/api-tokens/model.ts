import { t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../../clock.ts'
import { Name, OneOf } from '../../http/schemas.ts'
import { zonedTimeWanted } from '../../http/zoned-time.ts'
import { roles } from '../../role.ts'
import type { ApiTokenRow } from './store.ts'

export const ApiTokenCreation = t.Object(
  {
    name: Name({ most: 200 }),
    role: OneOf(roles),
    expires_at: t.Optional(
      t.Union([t.String({ maxLength: 40 }), t.Null()], { description: `${zonedTimeWanted}, in the future` }),
    ),
  },
  {
    title: 'ApiTokenCreation',
    examples: [{ name: 'deploy pipeline', role: 'member', expires_at: '2027-01-01T00:00:00Z' }],
  },
)

const Time = t.Nullable(t.String())

export const ApiToken = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    role: t.String(),
    user_id: t.Number(),
    created_by_name: t.String(),
    expires_at: Time,
    last_used_at: Time,
    created_at: t.String(),
  },
  { title: 'ApiToken' },
)

/** The one answer that holds the token itself. */
export const CreatedApiToken = t.Composite([t.Object({ token: t.String() }), ApiToken], { title: 'CreatedApiToken' })

export const ApiTokenList = t.Object({ tokens: t.Array(ApiToken), total: t.Number() }, { title: 'ApiTokenList' })

export function presentApiToken(row: ApiTokenRow & { created_by_name: string }) {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    user_id: row.user_id,
    created_by_name: row.created_by_name,
    expires_at: isoTimeOrNull(row.expires_at),
    last_used_at: isoTimeOrNull(row.last_used_at),
    created_at: isoTime(row.created_at),
  }
}
