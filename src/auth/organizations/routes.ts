import { Elysia, t } from 'elysia'
import { type Clock, isoTime } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import { pageFields, PageFields, PageQuery, readPage } from '../../http/paging.ts'
import { operation } from '../../http/openapi/operation.ts'
import { deleteHandler } from '../../http/delete-handler.ts'
import { Id, Message, Name, OneOf } from '../../http/schemas.ts'
import { assertRole, type Caller, type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { notFound } from '../../errors.ts'
import { listFactorOwners } from '../second-factor/store.ts'
import { changeOrganization, changeRole, endSessionsOf, removeUser } from './organization.ts'
import { countUsers, getOrganization, getUserOf, hasDeliveringChannel, listUsers } from './store.ts'
import { EndedSessions } from '../sessions/routes.ts'
import type { Tokens } from '../sessions/tokens.ts'
import type { OrganizationRow, UserRow } from '../../db/tables/tables.ts'
import { type Role, roles } from '../../role.ts'
import { OrganizationZone, presentUser, User, ZoneUpdate } from '../accounts/model.ts'
import { quotaNames, type QuotaUse } from '../../quotas.ts'

const OrganizationUpdate = t.Object(
  {
    name: t.Optional(Name({ max: 200 })),
    ...ZoneUpdate,
    second_factor_required: t.Optional(
      t.Boolean({ description: 'true: users who sign in with a password must have a second factor' }),
    ),
  },
  { title: 'OrganizationUpdate', examples: [{ name: 'Example Ltd', time_zone: 'Europe/Zurich', clock: '24h' }] },
)

/** `channel_tested`: at least one notification or test was delivered through a channel. `role`: role of the caller. */
const Organization = t.Object(
  {
    id: t.Number(),
    name: t.String(),
    ...OrganizationZone,
    second_factor_required: t.Boolean({
      description: 'true: users who sign in with a password must have a second factor',
    }),
    created_at: t.String(),
    users: t.Number({ description: 'the number of users' }),
    channel_tested: t.Boolean(),
    role: t.String(),
  },
  { title: 'Organization' },
)

const RoleUpdate = t.Object({ role: OneOf(roles) }, { title: 'RoleUpdate', examples: [{ role: 'admin' }] })

const ListedUser = t.Composite(
  [
    User,
    t.Object({
      created_at: t.String(),
      second_factor: t.Optional(
        t.Boolean({ description: 'true: has a second factor; only administrators get this field' }),
      ),
    }),
  ],
  { title: 'ListedUser' },
)

const UserList = t.Object(
  {
    users: t.Array(ListedUser),
    ...PageFields,
  },
  { title: 'UserList' },
)

async function presentOrganization(db: Db, row: OrganizationRow, role: Role) {
  const { id, name, time_zone, clock, created_at } = row
  const [users, channel_tested] = [await countUsers(db, id), await hasDeliveringChannel(db, id)]
  const second_factor_required = row.second_factor_required === 1
  const since = isoTime(created_at)
  return { id, name, time_zone, clock, second_factor_required, created_at: since, users, channel_tested, role }
}

/** Presents users to a caller; only administrators see who has a second factor. */
async function presentListed(db: Db, caller: Caller, rows: UserRow[]) {
  const owners = caller.role === 'admin' ? await listFactorOwners(db, caller.organizationId) : undefined
  return rows.map((row) => ({
    ...presentUser(row),
    created_at: isoTime(row.created_at),
    ...(owners && { second_factor: owners.has(row.id) }),
  }))
}

async function presentOne(db: Db, caller: Caller, row: UserRow) {
  const [one] = await presentListed(db, caller, [row])
  if (!one) throw notFound('User')
  return one
}

type Deps = { db: Database; clock: Clock; tokens: Tokens; guard: GuardDeps }

const params = t.Object({ id: Id('user') })
const UserListQuery = t.Object(PageQuery)

/** Routes of `/organization` and its users: everybody reads, administrators change. */
export const organizationRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization', tags: ['Organization'] })
    .use(signedIn({ ...guard, writes: 'admin', bySession: true }))
    .get(
      '/',
      async ({ caller }) => {
        const organization = await getOrganization(deps.db.read, caller.organizationId)
        return presentOrganization(deps.db.read, organization, caller.role)
      },
      operation('getOrganization', 'Get the organization', {
        description:
          'Name, time zone, clock, number of users, and the role of the caller. `channel_tested` is true once a notification or a test ' +
          'was delivered through a channel.',
        200: Organization,
      }),
    )
    .put(
      '/',
      async ({ caller, body }) => {
        const { name, time_zone, clock, second_factor_required: isRequired } = body
        const second_factor_required = isRequired === undefined ? undefined : Number(isRequired)
        const update = { name, time_zone, clock, second_factor_required }
        const organization = await changeOrganization(deps, caller, update)
        return presentOrganization(deps.db.read, organization, caller.role)
      },
      operation(
        'updateOrganization',
        'Change the name, time zone or clock of the organization, or require a second factor',
        {
          description:
            'For administrators, with the access token of a session. Applies to mails, messages and pages from then ' +
            'on. Absent fields stay; null resets the time zone or clock to the default. With `second_factor_required`, sessions ' +
            'of users without one, except those signed in by a provider, get 403 with the code `mfa_setup_required` for ' +
            'all requests but the setup of a second factor. API tokens and applications keep working.',
          body: OrganizationUpdate,
          200: Organization,
        },
      ),
    )
    .get(
      '/users',
      async ({ caller, query }) => {
        const page = readPage(query)
        const total = await countUsers(deps.db.read, caller.organizationId)
        const rows = await listUsers(deps.db.read, caller.organizationId, page)
        return { users: await presentListed(deps.db.read, caller, rows), ...pageFields(page, total) }
      },
      operation('listUsers', 'List users', {
        description: 'All users of the organization, oldest first. Default `page_size`: 10.',
        query: UserListQuery,
        200: UserList,
      }),
    )
    .get(
      '/users/:id',
      async ({ caller, params }) =>
        presentOne(deps.db.read, caller, await getUserOf(deps.db.read, caller.organizationId, params.id)),
      operation('getUser', 'Get a user', {
        description: 'With the role, and whether the e-mail address is confirmed. For every role.',
        params,
        200: ListedUser,
      }),
    )
    .put(
      '/users/:id',
      async ({ caller, params, body }) =>
        presentOne(deps.db.read, caller, await changeRole(deps, caller, params.id, body.role)),
      operation('updateUser', 'Change the role of a user', {
        description:
          'For administrators, with the access token of a session. Applies from the next request of that user on, ' +
          'also with existing tokens. To grant `admin`, a caller with a second factor must have signed in within the last 15 ' +
          'minutes; otherwise `code` of the 403 is `sign_in_again`.',
        params,
        body: RoleUpdate,
        200: ListedUser,
        403: 'Requires an administrator; if their account has a second factor, granting `admin` also requires a sign-in within the last 15 minutes',
        409: 'The last administrator must stay',
      }),
    )
    .delete(
      '/users/:id/sessions',
      async ({ caller, params }) => {
        const ended = await endSessionsOf(deps, caller, params.id)
        return { message: 'The sessions have ended', ended }
      },
      operation('endUserSessions', 'Sign a user out everywhere', {
        description:
          'For administrators, with the access token of a session. Sessions and WebSockets of the user end at once; API ' +
          'tokens and grants of applications stay. The user may sign in again. To end their own sessions, callers must have ' +
          'signed in within the last 15 minutes; otherwise `code` of the 403 is `sign_in_again`.',
        params,
        200: EndedSessions,
        403: 'Requires an administrator, and for their own sessions a sign-in within 15 minutes',
      }),
    )

/** Removal of users. Separate from the other routes, because every user may remove themselves, also a viewer. */
export const userRemovalRoutes = ({ guard, ...deps }: Deps) =>
  new Elysia({ prefix: '/organization/users', tags: ['Organization'] })
    .use(
      signedIn({
        ...guard,
        writes: 'viewer',
        bySession: true,
        authorizeWrite: (caller, { id }) => {
          if (id !== String(caller.userId)) assertRole(caller, 'admin')
        },
      }),
    )
    .delete(
      '/:id',
      deleteHandler(deps, removeUser, { message: 'User removed' }),
      operation('removeUser', 'Remove a user, or the own account', {
        description:
          'Administrators remove anybody, others themselves, with the access token of a session. Sessions and ' +
          'tokens of the user end at once. Objects that the user created stay, without an owner.',
        params,
        200: Message,
        409: 'The last administrator must stay',
      }),
    )

const QuotaList = t.Object(
  {
    quotas: t.Array(
      t.Object({
        name: t.String(),
        limit: t.Number({ description: 'maximum number; bytes if the name ends in `bytes`' }),
        used: t.Number({ description: 'present use, in the unit of `limit`' }),
      }),
    ),
  },
  { title: 'QuotaList' },
)

/** Routes of `/organization/quotas`: limits, from the settings of the instance, and their use; for administrators. */
export const quotaRoutes = ({ quotaUse, guard }: { quotaUse: QuotaUse; guard: GuardDeps }) =>
  new Elysia({ prefix: '/organization/quotas', tags: ['Organization'] })
    .use(signedIn({ ...guard, reads: 'admin', writes: 'admin' }))
    .get(
      '/',
      async ({ caller }) => {
        const used = await quotaUse.usedBy(caller.organizationId)
        const quotas = quotaNames.flatMap((name) => {
          const count = used[name]
          return count === undefined ? [] : [{ name, limit: quotaUse.limits[name], used: count }]
        })
        return { quotas }
      },
      operation('listQuotas', 'List the quotas of the organization, and their use', {
        description:
          'For administrators. One row for each quota of the instance that can be counted; `samples_bytes` and ' +
          '`cache_bytes` are bytes. A request that would exceed a quota gets 409.',
        200: QuotaList,
      }),
    )
