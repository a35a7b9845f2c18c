import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import { isDuplicate } from '../../db/failures/constraints.ts'
import type { Database, Db } from '../../db/open.ts'
import type { InvitationRow, UserRow } from '../../db/tables/tables.ts'
import { AppError, invalid } from '../../errors.ts'
import type { Mailer } from '../../mail.ts'
import type { Origin } from '../../origin.ts'
import type { Role } from '../../role.ts'
import { findOpenInvitationByHash, markInvitationAccepted } from '../organizations/invitation-store.ts'
import type { Registration } from './model.ts'
import type { Passwords } from '../passwords/passwords.ts'
import { releaseEmail } from './release-email.ts'
import type { SetupToken } from './setup-token.ts'
import { hasUser, emailKey, insertOrganization, insertUser } from './store.ts'
import { hashOpaqueToken, type Tokens } from '../sessions/tokens.ts'

type Deps = { db: Database; clock: Clock; passwords: Passwords }

/** Provisions a new organization, inside the transaction that creates it. */
export type ProvisionOrganization = (trx: Db, organizationId: number, nowMs: number) => Promise<void>

/** `isLocal`: the request was made on the machine that nines runs on. */
type RequestOrigin = Origin & { isLocal: boolean }

type RegisterDeps = Deps & {
  registration: Config['registration']
  setupToken: SetupToken
  provisionOrganization: ProvisionOrganization
  tokens: Pick<Tokens, 'invalidate'>
  /** If mail is not set up, addresses count as confirmed. */
  mailer: Pick<Mailer, 'isSetUp'>
}

/**
 * Creates a user: in the organization that sent the invitation, with the invitation's role, or in a new organization. An invitation
 * is valid for its address, and once. The first account, which administers the instance, must be created on this machine or with
 * the setup token. Throws `conflict` if the e-mail is in use, `forbidden` if the settings or the missing setup token do not allow
 * it, `invalid` for a password that is not acceptable and for an invitation that is not open or is for another address.
 */
export async function register(
  deps: RegisterDeps,
  registration: Registration,
  origin: RequestOrigin,
): Promise<UserRow> {
  await deps.passwords.assertAcceptable('password', registration.password, registration.email)
  if (registration.organization_name !== undefined && registration.invitation_token !== undefined) {
    throw invalid('organization_name', 'cannot be sent with invitation_token')
  }
  await assertMayRegister(deps.db.read, deps, { registration, origin }, deps.clock.now()) // before the costly hash
  const passwordHash = await deps.passwords.hash(registration.password)
  const nowMs = deps.clock.now()
  const tokenHash = hashOpaqueToken(registration.invitation_token ?? '')
  try {
    const { user, isFirst, formerUserId } = await deps.db.write.transaction().execute(async (trx) => {
      const { invitation, isFirst } = await assertMayRegister(trx, deps, { registration, origin }, nowMs)
      // only the mail with the invitation has this token, so the user reads the mailbox
      const provesEmail = invitation !== undefined && invitation.mailed_hash === tokenHash
      const formerUserId = provesEmail ? await releaseEmail(trx, registration.email, origin, nowMs) : undefined
      const { organizationId, role } = invitation
        ? await acceptInvitation(trx, invitation, nowMs)
        : await createOrganization(trx, deps, registration, nowMs)
      const user = await insertUser(trx, {
        organization_id: organizationId,
        email: registration.email,
        email_key: emailKey(registration.email),
        name: registration.name,
        role,
        password_hash: passwordHash,
        created_at: nowMs,
        updated_at: nowMs,
        email_confirmed_at: isFirst || provesEmail || !deps.mailer.isSetUp ? nowMs : null,
      })
      const actor = { organizationId, userId: user.id, email: user.email, origin }
      const details = invitation ? { role, invitation_id: invitation.id } : {}
      await recordAudit(trx, actor, { event: 'account_created', details }, nowMs)
      return { user, isFirst, formerUserId }
    })
    if (isFirst) deps.setupToken.remove()
    if (formerUserId !== undefined) deps.tokens.invalidate(({ userId }) => userId === formerUserId)
    return user
  } catch (cause) {
    if (!isDuplicate(cause)) throw cause
    const message = 'already has an account; if the address is yours, reset its password by mail'
    throw new AppError('conflict', 'E-mail already registered', {
      problems: [{ field: 'email', message, code: 'in_use' }],
      cause,
    })
  }
}

type Applicant = { registration: Registration; origin: RequestOrigin }
type Admission = { isFirst: boolean; invitation?: InvitationRow }

/** Throws if the settings, a missing setup token or the invitation do not allow the registration. */
async function assertMayRegister(
  db: Db,
  deps: RegisterDeps,
  { registration, origin }: Applicant,
  nowMs: number,
): Promise<Admission> {
  const { registration: mode, setupToken } = deps
  const token = registration.invitation_token
  const isFirst = !(await hasUser(db))
  if (isFirst) {
    // Allowed whatever the settings are, because somebody has to administer the instance; but not to everybody.
    if (!origin.isLocal && !setupToken.matches(registration.setup_token ?? '')) throw setupTokenNeeded()
  } else if (mode === 'closed' || (mode === 'invite' && token === undefined)) {
    throw registrationClosed(mode)
  }
  if (token === undefined) return { isFirst }
  const invitation = await findOpenInvitationByHash(db, hashOpaqueToken(token), nowMs)
  if (!invitation) {
    throw new AppError('invalid', 'Invitation not valid', {
      problems: [
        {
          field: 'invitation_token',
          message: 'must be an open invitation; this one is unknown, used, withdrawn or expired',
          code: 'unknown',
        },
      ],
    })
  }
  if (invitation.email_key !== emailKey(registration.email))
    throw invalid('email', 'must be the address that was invited')
  return { isFirst, invitation }
}

function setupTokenNeeded(): AppError {
  return new AppError('forbidden', 'Setup token needed', {
    problems: [
      {
        field: 'setup_token',
        code: 'unknown',
        message:
          'must be the setup token, because this is the first account and comes from another machine, through a proxy or from a page of another site; nines writes it to its log at each start until there is an account, and to setup.secret in its data folder',
      },
    ],
  })
}

function registrationClosed(mode: 'invite' | 'closed'): AppError {
  if (mode === 'closed') {
    return new AppError('forbidden', 'Registration is not open', {
      details:
        'REGISTRATION=closed: nobody can register, not even with an invitation; REGISTRATION=invite or open would change that',
    })
  }
  const message =
    'an invitation is needed, which an administrator of an organization can send; REGISTRATION=open lets everybody register'
  return new AppError('forbidden', 'Registration is not open', {
    problems: [{ field: 'invitation_token', code: 'required', message }],
  })
}

export type Membership = { organizationId: number; role: Role }

/** Marks an invitation as accepted; returns the membership that it gives. */
export async function acceptInvitation(trx: Db, invitation: InvitationRow, nowMs: number): Promise<Membership> {
  await markInvitationAccepted(trx, invitation.id, nowMs)
  return { organizationId: invitation.organization_id, role: invitation.role }
}

/** Creates and provisions an organization; returns the membership of its first user, who administers it. */
export async function createOrganization(
  trx: Db,
  deps: Pick<RegisterDeps, 'provisionOrganization'>,
  registration: Pick<Registration, 'organization_name' | 'name'>,
  nowMs: number,
): Promise<Membership> {
  const organizationId = await insertOrganization(trx, registration.organization_name ?? registration.name, nowMs)
  await deps.provisionOrganization(trx, organizationId, nowMs)
  return { organizationId, role: 'admin' }
}
