import { type Clock, dayMs, isoTime } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { recordAudit } from '../../db/audit.ts'
import type { Database } from '../../db/open.ts'
import type { InvitationRow, OrganizationRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { type Caller, sessionOf } from '../../http/signed-in.ts'
import { type Mail, type Mailer, withoutLinks } from '../../mail.ts'
import type { Role } from '../../role.ts'
import { timeWriter, zoneOf } from '../../zone.ts'
import { assertEmailConfirmed } from '../accounts/email-confirmation.ts'
import {
  deleteInvitation,
  deletePendingInvitationsTo,
  getOpenInvitation,
  insertInvitation,
} from './invitation-store.ts'
import { assertStillAdmin, getOrganization } from './store.ts'
import { emailKey, findUserByEmail } from '../accounts/store.ts'
import { assertRecentSignIn } from '../second-factor/recent-sign-in.ts'
import { newOpaqueToken } from '../sessions/tokens.ts'

/** `publicUrl`: base URL of the link. */
export type InvitationDeps = {
  db: Database
  clock: Clock
  config: Pick<Config, 'registration'>
  mailer: Mailer
  publicUrl: () => string
}

/** `token`, `link`: for the inviter to pass on. `mailed`: true if a mail is queued. */
type SentInvitation = { row: InvitationRow; token: string; link: string; mailed: boolean }

const lifetimeMs = 7 * dayMs

/**
 * Invites an address into the caller's organization, in place of an open invitation to it. Throws `conflict` for a user of this
 * organization; that an address belongs to another organization is not revealed. The mail contains a second token, which only
 * readers of the mailbox know: it proves the address. The first token is returned to the inviter. Throws `forbidden` while
 * registration is closed: nobody could accept.
 */
export async function invite(
  { db, clock, config, mailer, publicUrl }: InvitationDeps,
  caller: Caller,
  { email, role }: { email: string; role: Role },
): Promise<SentInvitation> {
  if (config.registration === 'closed') {
    throw new AppError('forbidden', 'Registration is closed', {
      details: 'REGISTRATION=closed: nobody could accept an invitation; REGISTRATION=invite or open would change that',
    })
  }
  const { token, hash } = newOpaqueToken()
  const mailedToken = mailer.isSetUp ? newOpaqueToken() : null
  const nowMs = clock.now()
  const { organizationId } = caller
  const { row, organization } = await db.write.transaction().execute(async (trx) => {
    await assertStillAdmin(trx, caller)
    if (role === 'admin') await assertRecentSignIn(trx, sessionOf(caller), nowMs)
    await assertEmailConfirmed(trx, caller.userId)
    if ((await findUserByEmail(trx, email))?.organization_id === organizationId) {
      throw new AppError('conflict', 'Already a user of this organization', {
        problems: [{ field: 'email', message: 'must be another address', code: 'in_use' }],
      })
    }
    await deletePendingInvitationsTo(trx, organizationId, emailKey(email))
    const row = await insertInvitation(trx, {
      organization_id: organizationId,
      email,
      email_key: emailKey(email),
      role,
      hash,
      mailed_hash: mailedToken?.hash ?? null,
      invited_by: caller.userId,
      created_at: nowMs,
      expires_at: nowMs + lifetimeMs,
      accepted_at: null,
    })
    await recordAudit(trx, caller, { event: 'invitation_created', details: auditDetails(row) }, nowMs)
    return { row, organization: await getOrganization(trx, organizationId) }
  })
  const linkOf = (secret: string) =>
    `${publicUrl()}/register?invitation_token=${secret}&email=${encodeURIComponent(email)}`
  const mail = mailedToken && invitationMail(caller, row, { organization, link: linkOf(mailedToken.token) })
  return { row, token, link: linkOf(token), mailed: mail !== null && mailer.post(mail) }
}

/** Withdraws an open invitation; its link is invalid from then on. */
export async function revokeInvitation({ db, clock }: InvitationDeps, caller: Caller, id: number): Promise<void> {
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    await assertStillAdmin(trx, caller)
    const row = await getOpenInvitation(trx, caller.organizationId, id, nowMs)
    await deleteInvitation(trx, caller.organizationId, id)
    await recordAudit(trx, caller, { event: 'invitation_revoked', details: auditDetails(row) }, nowMs)
  })
}

function auditDetails({ id, email, role }: InvitationRow) {
  return { invitation_id: id, invited_email: email, role }
}

/**
 * Writes the mail to the invited address. The mail is unsolicited, and anybody who registers can choose the names in it, so links
 * are removed from the names.
 */
function invitationMail(
  inviter: Caller,
  { email, role, expires_at: expiresAtMs }: InvitationRow,
  { organization, link }: { organization: OrganizationRow; link: string },
): Mail {
  const name = withoutLinks(organization.name)
  const until = timeWriter(zoneOf(organization)).minute(isoTime(expiresAtMs))
  return {
    to: email,
    organizationId: inviter.organizationId,
    isUnsolicited: true,
    subject: `Invitation to ${name} on nines`,
    text: `${withoutLinks(inviter.name)} (${inviter.email}) invites you to the organization "${name}" on nines, as ${role}.

To accept, open this link before ${until} and choose a password:

${link}

It works once, and only for the address ${email}. If you did not expect this mail, do nothing.
`,
  }
}
