import type { RecipientStatus } from '../../db/tables/tables.ts'

export type Recipient = { address: string; status: RecipientStatus }

/** `members` are of the organization; who is `outside` gets each mail alone, with a link to get no more. */
export type Admitted = {
  members: string[]
  outside: { address: string; link: string }[]
  pending: string[]
  declined: string[]
}

/** Whom the instance's own mail server mails for an organization. */
export type Recipients = {
  /** Whether an address that belongs to no user of the organization has to confirm first. */
  mustConfirm: boolean
  /** Which of these may be mailed now. Asks those who have not been asked, or not for a day, up to three times. */
  admit(organizationId: number, addresses: string[]): Promise<Admitted>
  statuses(organizationId: number, addresses: string[]): Promise<Recipient[]>
  /** Somebody named these: asks them, or takes them as confirmed where nobody has to. */
  named(organizationId: number, addresses: string[]): Promise<void>
  isUser(organizationId: number, address: string): Promise<boolean>
}
