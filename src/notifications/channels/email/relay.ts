import { createSemaphore } from '../../../concurrency/semaphore.ts'
import { smtpServer } from '../../../mail.ts'
import type { ChannelDeps, Message, Outcome } from '../channel.ts'
import { type EmailConfiguration, type OwnServer, ownServerOf, recipientsOf } from './configuration.ts'
import { type Mail, mailOf } from './mail.ts'
import { truncate } from '../http.ts'

const maxConcurrent = 4
const maxNote = 1000

/** True if the channel's mails go through the instance's mail server, judged by the host name in its configuration. */
export function isRelayed(deps: Pick<ChannelDeps, 'smtp' | 'recipients'>, configuration: EmailConfiguration): boolean {
  const ownServer = ownServerOf(configuration)
  return ownServer === null || relayHost(deps, ownServer) === ownServer.host
}

/** True if the channel's own server is the instance's, by its name or by the addresses to which it resolves. */
export async function isRelayedAt(
  deps: Pick<ChannelDeps, 'smtp' | 'recipients' | 'outbound'>,
  ownServer: OwnServer,
  addresses: string[],
  signal: AbortSignal,
): Promise<boolean> {
  const host = relayHost(deps, ownServer)
  return host !== null && (host === ownServer.host || deps.outbound.isAt(host, addresses, signal))
}

/**
 * Host of the instance's mail server if a channel's own server has to be compared with it: where recipients must confirm, a channel
 * must not avoid that by naming the same server, without a login, as its own. Otherwise null.
 */
function relayHost({ smtp, recipients }: Pick<ChannelDeps, 'smtp' | 'recipients'>, { auth }: OwnServer): string | null {
  return recipients.mustConfirm && !auth && smtp.url !== null ? smtpServer(smtp.url).host : null
}

/** Reply-To address: the channel's configured sender, if it is the address of a user of the organization. */
export async function replyToOf(
  { recipients, smtp }: Pick<ChannelDeps, 'recipients' | 'smtp'>,
  organizationId: number,
  { from }: EmailConfiguration,
): Promise<string | undefined> {
  if (from === undefined || from === smtp.from) return undefined
  return (await recipients.isUser(organizationId, from)) ? from : undefined
}

/**
 * Sends a message from MAIL_FROM to the recipients of a channel that may be mailed: users of the organization share one mail,
 * each other recipient gets a separate mail with an unsubscribe link.
 */
export async function relay(
  deps: ChannelDeps,
  configuration: EmailConfiguration,
  message: Message,
  send: (mail: Mail) => Promise<Outcome>,
): Promise<Outcome> {
  const { recipients, smtp } = deps
  const { organizationId } = message
  const { members, outside, pending, declined } = await recipients.classify(organizationId, recipientsOf(configuration))
  const leftOut = [
    ...pending.map((address) => `recipient ${address} has not confirmed yet`),
    ...declined.map((address) => `recipient ${address} has declined`),
  ]
  const admitted = [...members, ...outside.map(({ address }) => address)]
  if (admitted.length === 0) {
    return { outcome: pending.length > 0 ? 'retry' : 'failed', statusCode: null, error: leftOut.join(', ') }
  }
  const rateLimited = limitMails(deps, organizationId, admitted)
  if (rateLimited) return rateLimited
  const replyTo = await replyToOf(deps, organizationId, configuration)
  const write = (to: string[], unsubscribe?: string) =>
    mailOf(deps, message, {
      from: smtp.from,
      to,
      isPlain: recipients.mustConfirm,
      replyTo,
      ...(unsubscribe !== undefined && { unsubscribe }),
    })
  const mails = [
    ...(members.length > 0 ? [write(members)] : []),
    ...outside.map(({ address, link }) => write([address], `${link}&decision=decline`)),
  ]
  const semaphore = createSemaphore(maxConcurrent)
  return mergeOutcomes(await Promise.all(mails.map((mail) => semaphore.run(() => send(mail)))), leftOut)
}

/** Takes mails to these addresses from the allowance; null if they may be sent. */
export function limitMails(
  { allowance }: Pick<ChannelDeps, 'allowance'>,
  organizationId: number,
  addresses: string[],
): Outcome | null {
  const rateLimited = allowance.take({ organizationId, isUnsolicited: false }, addresses)
  return rateLimited && { outcome: 'held', error: `held back: ${rateLimited.reason}`, waitMs: rateLimited.waitMs }
}

/** Merges outcomes: `sent` if one of them was, with a note on who got none. `leftOut`: recipients that were not tried. */
function mergeOutcomes(outcomes: Outcome[], leftOut: string[]): Outcome {
  const sent = outcomes.find(({ outcome }) => outcome === 'sent')
  const failed =
    outcomes.find(({ outcome }) => outcome === 'retry') ?? outcomes.find(({ outcome }) => outcome === 'failed')
  if (!sent && failed) return failed
  const notes = outcomes.flatMap((one) => ('error' in one ? [one.error] : (one.note ?? [])))
  const statusCode = sent && 'statusCode' in sent ? sent.statusCode : null
  const note = truncate([...notes, ...leftOut].join('; '), maxNote)
  return { outcome: 'sent', statusCode, ...(note !== '' && { note }) }
}
