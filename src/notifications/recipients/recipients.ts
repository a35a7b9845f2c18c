import { type Clock, dayMs } from '../../clock.ts'
import type { Database } from '../../db/open.ts'
import type { RecipientStatus } from '../../db/tables/tables.ts'
import { type Mailer, type Mail, withoutLinks } from '../../mail.ts'
import { insertConfirmed, listRecipients, findOrganizationName, recordConfirmationRequest } from './recipient-store.ts'

export type MailRecipient = { address: string; status: RecipientStatus }

/**
 * Recipients by status. `members`, and those `outside` of the organization, may be mailed; each of the latter with its own link
 * to decline. `pending` have not confirmed, and `declined` have refused.
 */
export type RecipientsByStatus = {
  members: string[]
  outside: { address: string; link: string }[]
  pending: string[]
  declined: string[]
}

/** Decides which recipients the instance's mail server may mail for an organization. */
export type Recipients = {
  /** True if an address that belongs to no user of the organization has to confirm first. */
  mustConfirm: boolean
  /** Sorts addresses by status. Requests missing confirmations, once a day and at most three times. */
  classify(organizationId: number, addresses: string[]): Promise<RecipientsByStatus>
  statuses(organizationId: number, addresses: string[]): Promise<MailRecipient[]>
  /** Requests confirmation from newly named addresses; stores them as confirmed if nobody must confirm. */
  requestConfirmations(organizationId: number, addresses: string[]): Promise<void>
  isUser(organizationId: number, address: string): Promise<boolean>
}

type Deps = {
  db: Database
  clock: Clock
  mailer: Mailer
  publicUrl: () => string
  mustConfirm: boolean
  /** Confirmed addresses (in lower case) of an organization's users. */
  listUserAddresses: (organizationId: number) => Promise<Set<string>>
}

const maxRequests = 3

type ClassifiedRecipient = MailRecipient & { key: string; isUser: boolean; token: string | null; isDue: boolean }

export function createRecipients(deps: Deps): Recipients {
  const { db, clock, mailer, publicUrl, mustConfirm, listUserAddresses } = deps
  const linkOf = (token: string) => `${publicUrl()}/notifications/confirm?token=${token}`
  /** Addresses that are being mailed a request: two concurrent calls must not mail two. */
  const requesting = new Set<string>()

  async function readStatuses(organizationId: number, addresses: string[]): Promise<ClassifiedRecipient[]> {
    const keys = addresses.map(keyOf)
    const users = await listUserAddresses(organizationId)
    const rows = new Map((await listRecipients(db.read, organizationId, keys)).map((row) => [row.address_key, row]))
    return addresses.map((address) => {
      const key = keyOf(address)
      const row = rows.get(key)
      const isUser = users.has(key)
      const needsNoRequest = isUser || !mustConfirm || (row !== undefined && row.status !== 'pending')
      const mayAskNow =
        !row || (row.request_count < maxRequests && Math.abs(clock.now() - (row.requested_at ?? 0)) >= dayMs)
      const stored = row?.status ?? 'pending'
      const status = isUser || (!mustConfirm && stored === 'pending') ? 'confirmed' : stored
      return { address, key, isUser, status, token: row?.token ?? null, isDue: !needsNoRequest && mayAskNow }
    })
  }

  async function requestConfirmations(organizationId: number, all: ClassifiedRecipient[]): Promise<void> {
    const due = all.filter(({ isDue }) => isDue)
    const name = due.length === 0 || !mailer.isSetUp ? undefined : await findOrganizationName(db.read, organizationId)
    if (name === undefined) return
    for (const { address, key, token } of due) {
      const requestKey = `${organizationId} ${key}`
      if (requesting.has(requestKey)) continue
      requesting.add(requestKey)
      try {
        const chosen = token ?? newToken()
        const mail = confirmationMail({
          to: address,
          organizationId,
          organization: name,
          link: linkOf(chosen),
          publicUrl: publicUrl(),
        })
        if (!mailer.post(mail)) return // too many mails: retried by a later call
        const recipient = { organization_id: organizationId, address_key: key, token: chosen }
        await recordConfirmationRequest(db.write, recipient, clock.now())
      } finally {
        requesting.delete(requestKey)
      }
    }
  }

  return {
    mustConfirm,
    async classify(organizationId, addresses) {
      const all = await readStatuses(organizationId, addresses)
      await requestConfirmations(organizationId, all)
      const addressesWith = (sought: RecipientStatus) =>
        all.filter(({ status }) => status === sought).map(({ address }) => address)
      const confirmed = all.filter(({ status }) => status === 'confirmed')
      const isMember = ({ isUser }: ClassifiedRecipient) => isUser || !mustConfirm
      return {
        members: confirmed.filter(isMember).map(({ address }) => address),
        outside: confirmed.flatMap((one) =>
          isMember(one) || one.token === null ? [] : [{ address: one.address, link: linkOf(one.token) }],
        ),
        pending: addressesWith('pending'),
        declined: addressesWith('declined'),
      }
    },
    async statuses(organizationId, addresses) {
      return (await readStatuses(organizationId, addresses)).map(({ address, status }) => ({ address, status }))
    },
    async requestConfirmations(organizationId, addresses) {
      if (mustConfirm) return requestConfirmations(organizationId, await readStatuses(organizationId, addresses))
      await insertConfirmed(db.write, confirmedRows(organizationId, addresses))
    },
    isUser: async (organizationId, address) => {
      const key = keyOf(address)
      return (await listUserAddresses(organizationId)).has(key)
    },
  }
}

function confirmedRows(organizationId: number, addresses: string[]) {
  return addresses.map((address) => ({
    organization_id: organizationId,
    address_key: keyOf(address),
    status: 'confirmed' as const,
    token: newToken(),
    request_count: 0,
    requested_at: null,
  }))
}

function newToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** Key of an address: e-mail addresses are compared case-insensitively. */
function keyOf(address: string): string {
  return address.toLowerCase()
}

type Confirmation = { to: string; organizationId: number; organization: string; link: string; publicUrl: string }

/** Mail that asks for the consent of an address that a channel names. */
function confirmationMail({ to, organizationId, organization, link, publicUrl }: Confirmation): Mail {
  const name = withoutLinks(organization)
  return {
    to,
    organizationId,
    isUnsolicited: true,
    subject: `Do you want alerts of ${name} by mail?`,
    text: `The organization "${name}" at ${publicUrl} wants to send alerts about its services to ${to}.

Say yes or no here:

${link}

Until you say yes, nothing is sent but this question. If you did not expect it, do nothing.
`,
  }
}
