import { listConfirmedEmails } from '../auth/accounts/mailed-token-store.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { Outbound } from '../http/outbound/outbound.ts'
import type { MailAllowance, Mailer } from '../mail.ts'
import type { ChannelDeps } from '../notifications/channels/channel.ts'
import { createRecipients } from '../notifications/recipients/recipients.ts'

type Deps = {
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'registration'>
  db: Database
  clock: Clock
  outbound: Outbound
  mailer: Mailer
  allowance: MailAllowance
  publicUrl: () => string
}

/** Creates the dependencies of channels. With open registration, recipients outside the organization must confirm first. */
export function createChannelDeps(deps: Deps): ChannelDeps {
  const { config, db, clock, outbound, allowance, publicUrl } = deps
  const recipients = createRecipients({
    ...deps,
    mustConfirm: config.registration === 'open',
    listUserAddresses: async (organizationId) => new Set(await listConfirmedEmails(db.read, organizationId)),
  })
  return { outbound, clock, smtp: { url: config.smtpUrl, from: config.mailFrom }, recipients, allowance, publicUrl }
}
