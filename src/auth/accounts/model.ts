import { type Static, t } from 'elysia'
import { version } from '../../../package.json' with { type: 'json' }
import type { OrganizationRow, UserRow } from '../../db/tables/tables.ts'
import { Name, OneOf, TimeZone, timeZoneText, Trimmed } from '../../http/schemas.ts'
import { isMailAddress } from '../../mail.ts'
import { roles } from '../../role.ts'
import { clockStyles } from '../../zone.ts'

export const Email = Trimmed('e-mail', 'an e-mail address', (value) => isMailAddress(value.trim()))

export const NewPassword = t.String({ minLength: 8, maxLength: 256, description: 'a password of 8 to 256 characters' })

/** Time zone and clock of a request; null clears a field, an absent field stays. */
export const ZoneUpdate = {
  time_zone: t.Optional(t.Nullable(TimeZone, { description: `${timeZoneText}, or null` })),
  clock: t.Optional(t.Nullable(OneOf(clockStyles), { description: `one of ${clockStyles.join(', ')}, or null` })),
}

/** Time zone and clock of a response. `unset`: what null means, for their descriptions. */
export const zoneFields = (unset: { zone: string; clock: string }) => ({
  time_zone: t.Nullable(t.String(), { description: `IANA name of the time zone; null: ${unset.zone}` }),
  clock: t.Nullable(OneOf(clockStyles), { description: `clock of 12 or 24 hours; null: ${unset.clock}` }),
})

/** Time zone and clock of an organization. */
export const OrganizationZone = zoneFields({
  zone: 'not chosen, so UTC in messages and that of each browser on pages',
  clock: 'not chosen, so 24h in messages and that of each browser on pages',
})

export const ProfileUpdate = t.Object(
  { name: t.Optional(Name({ max: 200 })), ...ZoneUpdate },
  { title: 'ProfileUpdate', examples: [{ name: 'Ada Lovelace', time_zone: 'Europe/Zurich', clock: '24h' }] },
)

export const Registration = t.Object(
  {
    email: Email,
    name: Name({ max: 200 }),
    password: NewPassword,
    organization_name: t.Optional(Name({ max: 200 })),
    invitation_token: t.Optional(t.String({ maxLength: 200, description: 'the token of an invitation' })),
    setup_token: t.Optional(
      t.String({ maxLength: 200, description: 'the setup token: for the first account, from another machine' }),
    ),
  },
  {
    title: 'Registration',
    examples: [
      { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse', organization_name: 'Example Ltd' },
    ],
  },
)

export type Registration = Static<typeof Registration>

export const Credentials = t.Object(
  {
    email: t.String({ maxLength: 254, description: 'an e-mail address' }),
    password: t.String({ maxLength: 256, description: 'the password' }),
  },
  { title: 'Credentials', examples: [{ email: 'ada@example.com', password: 'correct horse' }] },
)

export const User = t.Object(
  {
    id: t.Number(),
    email: t.String(),
    name: t.String(),
    organization_id: t.Number(),
    role: OneOf(roles),
    email_confirmed: t.Boolean(),
    ...zoneFields({ zone: 'that of the organization', clock: 'that of the organization' }),
  },
  { title: 'User' },
)

/** The caller, with the zone and clock of the organization, which count where the user has none. */
export const OwnUser = t.Composite(
  [
    User,
    t.Object({
      organization: t.Object(OrganizationZone),
      mfa_setup_required: t.Optional(
        t.Boolean({ description: 'true: everything is 403 until a second factor is set up; otherwise absent' }),
      ),
      upgrade: t.Optional(
        t.Object(
          {
            from: t.String({ description: 'a version of nines' }),
            to: t.String({ description: 'that of this nines' }),
          },
          {
            description:
              'the upgrades whose news this administrator of the first organization has not closed, see `getWhatsNew`; otherwise absent',
          },
        ),
      ),
    }),
  ],
  { title: 'OwnUser' },
)

export const TokenResponse = t.Object(
  {
    access_token: t.String(),
    refresh_token: t.Optional(t.String({ description: 'absent where a browser keeps it in a cookie' })),
    token_type: t.String(),
    expires_at: t.String(),
    user: OwnUser,
  },
  { title: 'TokenResponse' },
)

export function presentUser(row: UserRow) {
  const { id, email, name, organization_id, role, time_zone, clock } = row
  return { id, email, name, organization_id, role, email_confirmed: row.email_confirmed_at !== null, time_zone, clock }
}

export function presentOwnUser(
  row: UserRow,
  { time_zone, clock }: Pick<OrganizationRow, 'time_zone' | 'clock'>,
  mustSetUpSecondFactor = false,
) {
  const restriction = mustSetUpSecondFactor && { mfa_setup_required: true }
  const { upgraded_from: from } = row
  const news = row.role === 'admin' && from !== null && { upgrade: { from, to: version } }
  return { ...presentUser(row), organization: { time_zone, clock }, ...restriction, ...news }
}
