import { listConfirmedEmails } from '../auth/accounts/mailed-token-store.ts'
import type { Clock } from '../clock.ts'
import { type Config, useSetting } from '../config.ts'
import type { Database } from '../db/open.ts'
import { type Authorities, trustAuthorities } from '../http/outbound/authorities.ts'
import { createOutbound, type Outbound } from '../http/outbound/outbound.ts'
import { addressUrl } from '../listen-settings.ts'
import type { MailAllowance, Mailer } from '../mail.ts'
import type { ChannelDeps } from '../notifications/channels/channel.ts'
import { createRecipients } from '../notifications/recipients/recipients.ts'
import { reportFile } from '../reports/report-file.ts'

/** `port`: on which nines listens; null before it does. `ownProbes`: `probeKey` of each probe that may connect to that port. */
type Listener = { port: number | null; ownProbes: Set<string> }

/** Creates the client for outbound requests. Throws `ConfigError` if the file of further certificate authorities cannot be used. */
export function openOutbound({ outboundDeny, outboundAllow, registration, extraCaFile }: Config): {
  outbound: Outbound
  authorities: Authorities
  listener: Listener
} {
  const listener: Listener = { port: null, ownProbes: new Set() }
  const authorities = useSetting(() => trustAuthorities(extraCaFile))
  const outbound = createOutbound({
    deny: outboundDeny,
    allowPrivate: registration === 'open' ? outboundAllow : null, // null: all private addresses
    ownPort: () => listener.port,
    authorities,
  })
  return { outbound, authorities, listener }
}

/** Base URL of links to nines: `PUBLIC_URL`, or the address it listens on. With `PORT=0` the port is known once it listens. */
export function publicUrlOf(
  { publicUrl, host, port, tlsCert }: Config,
  listener: Pick<Listener, 'port'>,
): () => string {
  return () => publicUrl ?? addressUrl({ host, tlsCert }, listener.port ?? port)
}

type ChannelOptions = {
  config: Pick<Config, 'smtpUrl' | 'mailFrom' | 'registration'>
  db: Database
  clock: Clock
  outbound: Outbound
  mailer: Mailer
  allowance: MailAllowance
  publicUrl: () => string
}

/** Creates the dependencies of channels. With open registration, recipients outside the organization must confirm first. */
export function createChannelDeps(options: ChannelOptions): ChannelDeps {
  const { config, db, clock, outbound, allowance, publicUrl } = options
  const recipients = createRecipients({
    ...options,
    mustConfirm: config.registration === 'open',
    listUserAddresses: async (organizationId) => new Set(await listConfirmedEmails(db.read, organizationId)),
  })
  const smtp = { url: config.smtpUrl, from: config.mailFrom }
  return { outbound, clock, smtp, recipients, allowance, publicUrl, reportFile: (...args) => reportFile(db, ...args) }
}
