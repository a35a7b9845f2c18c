import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import { OutboundError } from '../../../http/outbound/error.ts'
import { smtpLimits, smtpServer } from '../../../mail.ts'
import { type ChannelDeps, defineChannel, type Message, type Outcome } from '../channel.ts'
import { type EmailConfiguration, type OwnServer, ownServerOf, readEmail, recipientsOf } from './configuration.ts'
import { mailOf, type Mail } from './mail.ts'
import { neverConnected, outcomeOfReply, outcomeOfError } from './outcome.ts'
import { email as schema } from '../schemas/email-and-webhook.ts'
import { limitMails, isRelayedAt, relay } from './relay.ts'

const maxAddresses = 3

/** Mail over SMTP, through the channel's own mail server or the instance's. */
export const email = defineChannel<EmailConfiguration>({
  product: null,
  schema,
  read: readEmail,
  sendsHttp: false,
  opensIncidents: false,
  async send(deps, configuration, message, signal) {
    signal.throwIfAborted()
    const ownServer = ownServerOf(configuration)
    if (ownServer) return sendThroughOwnServer(deps, ownServer, configuration, message, signal)
    const { url } = deps.smtp
    if (url === null) return noServer
    // OUTBOUND_DENY does not apply to the operator's mail server
    const attachments = await attachmentsOf(deps, message)
    return relay(deps, configuration, message, (mail) =>
      sendThrough({ servers: [smtpServer(url)], isOwn: false }, { ...mail, attachments, signal }),
    )
  },
})

const noServer: Outcome = {
  outcome: 'failed',
  statusCode: null,
  error: 'the channel names no smtp_server, and SMTP_URL, the mail server of this nines, is not set',
}

type Attachment = { filename: string; content: string; contentType: string }
type MailToSend = Mail & { attachments: Attachment[]; signal: AbortSignal }

/** File of the report that a message announces; none where strangers may register, who could write to others with it. */
async function attachmentsOf(deps: ChannelDeps, { organizationId, report }: Message): Promise<Attachment[]> {
  if (!report || deps.recipients.mustConfirm) return []
  const file = await deps.reportFile(organizationId, report.id)
  return file ? [{ ...file, contentType: 'text/html; charset=utf-8' }] : []
}

type Server = ReturnType<typeof smtpServer> & {
  tls?: { servername: string }
  ignoreTLS?: boolean
  forceAuth?: boolean
}

/**
 * Sends through the channel's own mail server. Connects to exactly the addresses that were checked; the certificate must match
 * the name. Configured credentials are always sent, even if the server offers no login: with made-up ones, the operator's server
 * must not count as the channel's own.
 */
async function sendThroughOwnServer(
  deps: ChannelDeps,
  ownServer: OwnServer,
  configuration: EmailConfiguration,
  message: Message,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    const addresses = await deps.outbound.resolve(ownServer.host, ownServer.port, { signal })
    const tls = isIP(ownServer.host) === 0 ? { tls: { servername: ownServer.host } } : {}
    const servers = addresses
      .slice(0, maxAddresses)
      .map((host) => ({ ...ownServer, ...tls, host, ...(ownServer.auth && { forceAuth: true }) }))
    const attachments = await attachmentsOf(deps, message)
    const send = async (mail: Mail) => sendThrough({ servers, isOwn: true }, { ...mail, attachments, signal })
    if (await isRelayedAt(deps, ownServer, addresses, signal)) {
      return await relay(deps, configuration, message, send)
    }
    const to = recipientsOf(configuration)
    // A server without login may be the recipient's, who never subscribed to mails from this nines.
    const rateLimited =
      deps.recipients.mustConfirm && !ownServer.auth ? limitMails(deps, message.organizationId, to) : null
    if (rateLimited) return rateLimited
    return await send(mailOf(deps, message, { from: configuration.from ?? deps.smtp.from, to, isPlain: false }))
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { outcome: error.failure === 'forbidden' ? 'failed' : 'retry', statusCode: null, error: error.message }
  }
}

/** Sends a mail through the first of the addresses of a host that accepts a connection. `isOwn`: it is the channel's own server. */
async function sendThrough(
  { servers, isOwn }: { servers: Server[]; isOwn: boolean },
  mail: MailToSend,
): Promise<Outcome> {
  const limits = { ...smtpLimits, connectionTimeout: smtpLimits.connectionTimeout / servers.length }
  let failure: Outcome = { outcome: 'retry', statusCode: null, error: 'the mail server has no address' }
  for (const server of servers) {
    try {
      const { response, rejectedErrors = [] } = await createTransport({ ...limits, ...server }).sendMail(mail)
      return outcomeOfReply(response, rejectedErrors, server.auth)
    } catch (error) {
      mail.signal.throwIfAborted()
      failure = outcomeOfError(error, { auth: server.auth, isOwn })
      if (!neverConnected(error)) break
    }
  }
  return failure
}
