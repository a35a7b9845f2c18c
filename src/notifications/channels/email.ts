import { createHash } from 'node:crypto'
import { isIP } from 'node:net'
import { createTransport } from 'nodemailer'
import { OutboundError } from '../../http/outbound-error.ts'
import { smtpLimits, smtpServer } from '../../mail.ts'
import { type ChannelDeps, defineChannel, type Message, type Outcome } from './channel.ts'
import { titleOf } from './chat-text.ts'
import { htmlPart, textPart } from './email-body.ts'
import { type EmailConfiguration, type OwnServer, ownServerOf, readEmail, recipientsOf } from './email-configuration.ts'
import { neverConnected, outcomeOfReply, outcomeOfTrouble } from './email-outcome.ts'
import { cut } from './http.ts'

const longestSubject = 250
const mostAddresses = 3

/** Mail over SMTP, by a server of the channel's own or by the instance's. An alert and its recovery are one thread. */
export const email = defineChannel<EmailConfiguration>({
  read: readEmail,
  secrets: ['smtp_password'],
  destinations: ['smtp_server'],
  opensIncidents: false,
  async send(deps, configuration, message, signal) {
    signal.throwIfAborted()
    const mail = { ...mailOf(deps, configuration, message), signal }
    const own = ownServerOf(configuration)
    if (own) return sendByOwn(deps, own, mail)
    if (deps.smtp.url === null) return { outcome: 'failed', statusCode: null, error: nowhere }
    return sendBy([smtpServer(deps.smtp.url)], mail) // the operator's: wherever it is, OUTBOUND_DENY is not asked
  },
})

const nowhere = 'the channel names no smtp_server, and SMTP_URL, the mail server of this nines, is not set'

type Mail = ReturnType<typeof mailOf> & { signal: AbortSignal }

type Server = ReturnType<typeof smtpServer> & { tls?: { servername: string }; ignoreTLS?: boolean }

/** Connects to the very addresses that were checked; the certificate is checked against the name. */
async function sendByOwn({ outbound }: ChannelDeps, own: OwnServer, mail: Mail): Promise<Outcome> {
  try {
    const addresses = await outbound.resolve(own.host, own.port, { signal: mail.signal })
    const tls = isIP(own.host) === 0 ? { tls: { servername: own.host } } : {}
    const servers = addresses.slice(0, mostAddresses).map((host) => ({ ...own, ...tls, host }))
    return await sendBy(servers, mail)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { outcome: error.failure === 'forbidden' ? 'failed' : 'retry', statusCode: null, error: error.message }
  }
}

/** Of several servers, which are one at several addresses, the first that can be connected to gets the mail. */
async function sendBy(servers: Server[], mail: Mail): Promise<Outcome> {
  const limits = { ...smtpLimits, connectionTimeout: smtpLimits.connectionTimeout / servers.length }
  let trouble: Outcome = { outcome: 'retry', statusCode: null, error: 'the mail server has no address' }
  for (const server of servers) {
    try {
      const { response, rejectedErrors = [] } = await createTransport({ ...limits, ...server }).sendMail(mail)
      return outcomeOfReply(response, rejectedErrors, server.auth)
    } catch (error) {
      mail.signal.throwIfAborted()
      trouble = outcomeOfTrouble(error, server.auth)
      if (!neverConnected(error)) break
    }
  }
  return trouble
}

function mailOf({ clock, smtp }: ChannelDeps, configuration: EmailConfiguration, message: Message) {
  const from = configuration.from ?? smtp.from
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const subject = cut(titleOf(message).replace(/[\s\p{Cc}]+/gu, ' '), longestSubject)
  const root = mailId('thread', message.threadKey, domain)
  return {
    from: { name: '', address: from },
    to: recipientsOf(configuration).map((address) => ({ name: '', address })),
    subject,
    text: textPart(message),
    html: htmlPart({ ...message, subject }),
    date: new Date(clock.now()),
    messageId: mailId('message', message.idempotencyKey, domain),
    inReplyTo: root, // of no mail there is: it stands for the thread
    references: root,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Nines-Event': message.event },
  }
}

function mailId(kind: string, key: string, domain: string): string {
  return `<${createHash('sha256').update(`${kind} ${key}`).digest('hex').slice(0, 40)}@${domain}>`
}
