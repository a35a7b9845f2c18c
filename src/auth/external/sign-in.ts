import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database, Db } from '../../db/open.ts'
import type { UserRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import type { Role } from '../../role.ts'
import { requestConfirmation } from '../accounts/email-confirmation.ts'
import { releaseEmail } from '../accounts/release-email.ts'
import { markResetsUsed } from '../accounts/mailed-token-store.ts'
import {
  acceptInvitation,
  createOrganization,
  type Membership,
  type ProvisionOrganization,
} from '../accounts/register.ts'
import type { SetupToken } from '../accounts/setup-token.ts'
import { emailKey, findUserByEmail, hasUser, insertUser } from '../accounts/store.ts'
import { deleteApiTokensOf } from '../api-tokens/store.ts'
import { actorOf } from '../audit/store.ts'
import { endGrantsOfUser } from '../oauth/store.ts'
import { deletePendingInvitationsBy, findOpenInvitationTo } from '../organizations/invitation-store.ts'
import { isFirstOrganization, updateUser } from '../organizations/store.ts'
import { recordSuccess } from '../sessions/login-attempt-store.ts'
import { openSession, type SessionSettings } from '../sessions/sessions.ts'
import { deleteSessionsOf, replacePassword } from '../sessions/store.ts'
import type { Tokens } from '../sessions/tokens.ts'
import { roleOf } from './claims.ts'
import { findFirstOrganizationId, findUserByIdentity, hasIdentityOf, insertIdentity, setSignedIn } from './store.ts'

/** Person as a provider or a proxy describes them. `groups`: what `OIDC_ROLE_MAP` is applied to. */
export type ExternalPerson = {
  issuer: string
  subject: string
  email: { address: string; isVerified: boolean } | null
  name: string | undefined
  groups: string[]
}

/** `by`: name of the provider or proxy, for people. `method`: how the audit log names it. */
type Way = { by: string; method: 'oidc' | 'proxy'; idToken: string | null }

export type ExternalSignInDeps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'oidcRoleMap' | 'oidcRoleClaim' | 'oidcCreateUsers' | 'registration'> & SessionSettings
  log: Log
  tokens: Tokens
  mailer: Mailer
  publicUrl: () => string
  setupToken: Pick<SetupToken, 'remove'>
  provisionOrganization: ProvisionOrganization
}

/** Reason of a refusal: `advice` for the person, `reason` for the log. */
type Refusal = { advice: string; reason: string }
/** `changed`: ids of users whose role, address or access changed, so that their cached tokens must be invalidated. */
type Found = { user: UserRow; isNew: boolean; changed: number[] } | { refusal: Refusal; changed: number[] }

/**
 * Opens a session for a person whom a provider or a proxy has authenticated, and gives them the role of their groups. Links them to
 * the account with their address only if both sides have verified it and the account is linked to no other subject of the issuer;
 * creates an account if the settings or an invitation allow it. A person whose groups have no role any more loses all access.
 * Throws `forbidden`, whose details say what to ask of whom.
 */
export async function signInExternally(
  deps: ExternalSignInDeps,
  person: ExternalPerson,
  origin: Origin,
  way: Way,
): ReturnType<typeof openSession> {
  const { db, clock, log, tokens } = deps
  const nowMs = clock.now()
  const found = await db.write.transaction().execute((trx) => findOrCreate(trx, deps, person, { origin, way, nowMs }))
  if (found.changed.length > 0) tokens.invalidate(({ userId }) => found.changed.includes(userId))
  if ('refusal' in found) {
    const { advice, reason } = found.refusal
    log.warn('external sign-in refused', { method: way.method, subject: person.subject, reason })
    throw new AppError('forbidden', 'You may not use this nines', { details: advice })
  }
  const { user, isNew } = found
  if (isNew) {
    deps.setupToken.remove()
    if (user.email_confirmed_at === null) await requestConfirmation(deps, user.email)
  }
  const inTransaction = async (trx: Db) => {
    await recordSuccess(trx, user, origin, nowMs)
    await recordAudit(trx, actorOf(user, origin), { event: 'login', details: { method: way.method } }, nowMs)
  }
  return openSession(deps, user, { origin, inTransaction, external: { idToken: way.idToken }, isFirst: isNew })
}

type Circumstances = { origin: Origin; way: Way; nowMs: number }

async function findOrCreate(
  trx: Db,
  deps: ExternalSignInDeps,
  person: ExternalPerson,
  circumstances: Circumstances,
): Promise<Found> {
  const { nowMs } = circumstances
  const { oidcRoleMap: map } = deps.config
  const role = roleOf(map, person.groups)
  const known = await findUserByIdentity(trx, person)
  if (map.length > 0 && role === undefined) {
    if (known) await removeAccess(trx, known, circumstances)
    return { refusal: noRole(deps, person, circumstances.way), changed: known ? [known.id] : [] }
  }
  if (known) {
    await setSignedIn(trx, person, nowMs)
    return renewRole(trx, known, role, circumstances)
  }
  const { email } = person
  if (!email)
    return refusalOf(`${circumstances.way.by} did not say your e-mail address`, 'no e-mail address', circumstances)
  const holder = await findUserByEmail(trx, email.address)
  if (holder && !email.isVerified) {
    const advice = `there is an account with your address, and ${circumstances.way.by} has not verified that the address is yours`
    return refusalOf(advice, 'address of an account, not verified by the provider', circumstances)
  }
  const isLinked = holder !== undefined && holder.email_confirmed_at !== null
  if (isLinked && (await hasIdentityOf(trx, holder.id, [person.issuer]))) {
    return { refusal: ofSomebodyElse(circumstances), changed: [] }
  }
  const releasedUserId =
    holder && !isLinked ? await releaseEmail(trx, email.address, circumstances.origin, nowMs) : undefined
  const changed = releasedUserId === undefined ? [] : [releasedUserId]
  const account = isLinked ? holder : await create(trx, deps, { ...person, email }, role, circumstances)
  if ('advice' in account) return { refusal: account, changed }
  const { issuer, subject } = person
  await insertIdentity(trx, { issuer, subject, user_id: account.id, created_at: nowMs, signed_in_at: nowMs })
  if (!isLinked) return { user: account, isNew: true, changed }
  await recordAudit(
    trx,
    actorOf(account, circumstances.origin),
    { event: 'identity_linked', details: { issuer, subject } },
    nowMs,
  )
  return renewRole(trx, account, role, circumstances)
}

/**
 * Gives a user the role of `OIDC_ROLE_MAP`, if they are in the first organization: the map does not apply to other organizations.
 */
async function renewRole(
  trx: Db,
  user: UserRow,
  role: Role | undefined,
  { origin, way, nowMs }: Circumstances,
): Promise<Found> {
  const isRenewed = role !== undefined && role !== user.role && (await isFirstOrganization(trx, user.organization_id))
  if (!isRenewed) return { user, isNew: false, changed: [] }
  const withdrawnCount = role === 'admin' ? 0 : await deletePendingInvitationsBy(trx, user.organization_id, user.id)
  const updated = await updateUser(trx, user.organization_id, user.id, { role, updated_at: nowMs })
  const details = { user_id: user.id, user_email: user.email, role, role_before: user.role, by: way.method }
  const entry = { event: 'user_role_changed', details: { ...details, invitations_withdrawn: withdrawnCount } } as const
  await recordAudit(trx, actorOf(user, origin), entry, nowMs)
  return { user: updated, isNew: false, changed: [user.id] }
}

/**
 * Creates an account with the role of `OIDC_ROLE_MAP` or of an invitation. The first account must get the role admin by
 * `OIDC_ROLE_MAP`.
 */
async function create(
  trx: Db,
  deps: ExternalSignInDeps,
  person: ExternalPerson & { email: NonNullable<ExternalPerson['email']> },
  role: Role | undefined,
  { origin, way, nowMs }: Circumstances,
): Promise<UserRow | Refusal> {
  const { address, isVerified } = person.email
  const name = person.name ?? address
  const membership = await membershipOf(trx, deps, { address, isVerified, name }, role, nowMs)
  if ('advice' in membership) return membership
  const user = await insertUser(trx, {
    organization_id: membership.organizationId,
    email: address,
    email_key: emailKey(address),
    name,
    role: membership.role,
    password_hash: '',
    created_at: nowMs,
    updated_at: nowMs,
    email_confirmed_at: isVerified ? nowMs : null,
  })
  const details = { role: user.role, method: way.method, issuer: person.issuer, subject: person.subject }
  await recordAudit(trx, actorOf(user, origin), { event: 'account_created', details }, nowMs)
  return user
}

type Newcomer = { address: string; isVerified: boolean; name: string }

async function membershipOf(
  trx: Db,
  deps: ExternalSignInDeps,
  { address, isVerified, name }: Newcomer,
  role: Role | undefined,
  nowMs: number,
): Promise<Membership | Refusal> {
  const { config } = deps
  if (!(await hasUser(trx))) {
    if (role === 'admin') return createOrganization(trx, deps, { name }, nowMs)
    const advice =
      'the first account administers nines: OIDC_ROLE_MAP must give you the role admin, or create the first account with the setup token'
    return { advice, reason: 'the first account must have the role admin by OIDC_ROLE_MAP' }
  }
  const mayBeInvited = isVerified && config.registration !== 'closed'
  const invitation = mayBeInvited ? await findOpenInvitationTo(trx, emailKey(address), nowMs) : undefined
  if (invitation) {
    const invited = await acceptInvitation(trx, invitation, nowMs)
    const isFirst = await isFirstOrganization(trx, invited.organizationId)
    return isFirst && role !== undefined ? { ...invited, role } : invited
  }
  const organizationId = await findFirstOrganizationId(trx)
  if (config.oidcCreateUsers === 'true' && role !== undefined && organizationId !== undefined) {
    return { organizationId, role }
  }
  const why = config.oidcCreateUsers === 'true' ? 'OIDC_ROLE_MAP is not set' : 'OIDC_CREATE_USERS=false'
  const advice = 'you have no account here; ask an administrator of nines for an invitation to your address'
  return { advice, reason: `no account and no invitation, and ${why}` }
}

/** Ends all that lets a user in: sessions, API tokens, applications, and the password with its resets. */
async function removeAccess(trx: Db, user: UserRow, { origin, way, nowMs }: Circumstances): Promise<void> {
  await replacePassword(trx, user, '', nowMs)
  await markResetsUsed(trx, user.id, nowMs)
  await deleteSessionsOf(trx, user.id)
  await endGrantsOfUser(trx, user.id)
  const revokedCount = await deleteApiTokensOf(trx, user.id)
  const details = { method: way.method, reason: 'no role by OIDC_ROLE_MAP', api_tokens_revoked: revokedCount }
  await recordAudit(trx, actorOf(user, origin), { event: 'login', outcome: 'failure', details }, nowMs)
}

function noRole({ config }: ExternalSignInDeps, { groups }: ExternalPerson, { by, method }: Way): Refusal {
  const listed = groups.slice(0, 20).join(', ')
  const source = method === 'oidc' ? `the claim ${config.oidcRoleClaim}` : 'the header TRUSTED_HEADER_GROUPS'
  return {
    advice: `none of your groups has a role here; ask the administrator of ${by} to add you to a group of nines`,
    reason: listed === '' ? `${source} has no group` : `OIDC_ROLE_MAP has none of the groups of ${source}: ${listed}`,
  }
}

/** Refuses an address whose account is linked to another subject: the provider may have given the address to another person. */
function ofSomebodyElse({ way: { by } }: Circumstances): Refusal {
  return {
    advice: `the account with your address belongs to another user of ${by}; if the address is yours now, ask an administrator of nines to remove that account`,
    reason: 'the account with the address is linked to another subject of the issuer',
  }
}

function refusalOf(sentence: string, reason: string, { way }: Circumstances): Found {
  return { refusal: { advice: `${sentence}; ask the administrator of ${way.by}`, reason }, changed: [] }
}
