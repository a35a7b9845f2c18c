import { createSemaphore } from '../../../concurrency/semaphore.ts'
import { smtpServer } from '../../../mail.ts'
import type { ChannelDeps, Message, Outcome } from '../channel.ts'
import { type EmailConfiguration, type OwnServer, ownServerOf, recipientsOf } from './configuration.ts'
import { type Mail, mailOf } from './mail.ts'
import { cut } from '../http.ts'

const maxAtOnce = 4
const maxNote = 1000

/**
 * Whether mails go through the instance's own server, as far as its name says: also one that the channel names without a
 * user name, if strangers may.
 */
export function isRelayed(
  { smtp, recipients }: Pick<ChannelDeps, 'smtp' | 'recipients'>,
  configuration: EmailConfiguration,
): boolean {
  const own = ownServerOf(configuration)
  if (own === null) return true
  return recipients.mustConfirm && !own.auth && smtp.url !== null && smtpServer(smtp.url).host === own.host
}

/** As `isRelayed`, of a server that the channel names by another name, or at another port: by the addresses it is reached at. */
export async function isRelayedAt(
  { smtp, recipients, outbound }: Pick<ChannelDeps, 'smtp' | 'recipients' | 'outbound'>,
  { auth }: OwnServer,
  addresses: string[],
  signal: AbortSignal,
): Promise<boolean> {
  if (!recipients.mustConfirm || auth || smtp.url === null) return false
  return outbound.isAt(smtpServer(smtp.url).host, addresses, signal)
}

/** The address that answers go to: what the channel gives as its sender, if it is that of a user of the organization. */
export async function replyToOf(
  { recipients, smtp }: Pick<ChannelDeps, 'recipients' | 'smtp'>,
  organizationId: number,
  { from }: EmailConfiguration,
): Promise<string | undefined> {
  if (from === undefined || from === smtp.from) return undefined
  return (await recipients.isUser(organizationId, from)) ? from : undefined
}

/**
 * Sends a message from MAIL_FROM to those of a channel's recipients who may be mailed: all users of the organization in one mail,
 * others each alone, with a link to get no more.
 */
export async function relay(
  deps: ChannelDeps,
  configuration: EmailConfiguration,
  message: Message,
  send: (mail: Mail) => Promise<Outcome>,
): Promise<Outcome> {
  const { recipients, smtp } = deps
  const { organizationId } = message
  const { members, outside, pending, declined } = await recipients.admit(organizationId, recipientsOf(configuration))
  const left = [
    ...pending.map((address) => `recipient ${address} has not confirmed yet`),
    ...declined.map((address) => `recipient ${address} has declined`),
  ]
  const admitted = [...members, ...outside.map(({ address }) => address)]
  if (admitted.length === 0) {
    return { outcome: pending.length > 0 ? 'retry' : 'failed', statusCode: null, error: left.join(', ') }
  }
  const held = limitMails(deps, organizationId, admitted)
  if (held) return held
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
  const semaphore = createSemaphore(maxAtOnce)
  return summed(await Promise.all(mails.map((mail) => semaphore.run(() => send(mail)))), left)
}

/** Takes mails to these addresses from what may go; null: they may. */
export function limitMails(
  { allowance }: Pick<ChannelDeps, 'allowance'>,
  organizationId: number,
  addresses: string[],
): Outcome | null {
  const held = allowance.take({ organizationId, isUnsolicited: false }, addresses)
  return held && { outcome: 'held', error: `held back: ${held.reason}`, waitMs: held.waitMs }
}

/** One outcome of several mails: sent, with a note on who got none, if one of them was; `left` were not tried. */
function summed(outcomes: Outcome[], left: string[]): Outcome {
  const sent = outcomes.find(({ outcome }) => outcome === 'sent')
  const failed =
    outcomes.find(({ outcome }) => outcome === 'retry') ?? outcomes.find(({ outcome }) => outcome === 'failed')
  if (!sent && failed) return failed
  const notes = outcomes.flatMap((one) => ('error' in one ? [one.error] : (one.note ?? [])))
  const statusCode = sent && 'statusCode' in sent ? sent.statusCode : null
  const note = cut([...notes, ...left].join('; '), maxNote)
  return { outcome: 'sent', statusCode, ...(note !== '' && { note }) }
}
