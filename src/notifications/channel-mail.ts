import type { ChannelRow } from '../db/tables/tables.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { ChannelDeps } from './channels/channel.ts'
import { type EmailConfiguration, readEmail, recipientsOf } from './channels/email/configuration.ts'
import { isRelayed, replyToOf } from './channels/email/relay.ts'
import { openConfiguration } from './configurations.ts'
import type { MailRecipient } from './recipients/recipients.ts'

type Deps = { seal: Seal; channels: ChannelDeps }

/** Sender (`from`) and recipients of an e-mail channel that uses the instance's mail server. */
export type ChannelMail = { from: string; reply_to: string | null; recipients: MailRecipient[]; warning?: string }

/** Mail details of a channel; undefined for other channel types, and for an e-mail channel with its own mail server. */
export async function mailOfChannel(deps: Deps, row: ChannelRow): Promise<ChannelMail | undefined> {
  const { smtp, recipients } = deps.channels
  const relayed = relayedConfiguration(deps, row)
  if (!relayed) return undefined
  const replyTo = await replyToOf(deps.channels, row.organization_id, relayed)
  return {
    from: smtp.from,
    reply_to: replyTo ?? null,
    recipients: await recipients.statuses(row.organization_id, recipientsOf(relayed)),
    ...(relayed.from !== undefined && relayed.from !== smtp.from && { warning: warningOf(relayed.from, replyTo) }),
  }
}

/** Requests confirmation from those recipients of a just saved channel that have to confirm. */
export async function confirmRecipients(deps: Deps, row: ChannelRow): Promise<void> {
  const relayed = relayedConfiguration(deps, row)
  if (relayed && row.enabled === 1) {
    await deps.channels.recipients.requestConfirmations(row.organization_id, recipientsOf(relayed))
  }
}

function relayedConfiguration({ seal, channels }: Deps, row: ChannelRow): EmailConfiguration | null {
  if (row.channel_type !== 'email') return null
  const configuration = readEmail(openConfiguration(seal, row).configuration)
  return isRelayed(channels, configuration) ? configuration : null
}

function warningOf(from: string, replyTo: string | undefined): string {
  const instead = replyTo === undefined ? 'it is left out' : 'answers go to it'
  return `configuration.from: ${from} is not the sender, as the channel names no smtp_server of its own: ${instead}`
}
