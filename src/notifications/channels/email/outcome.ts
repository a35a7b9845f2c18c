import { mask, secretPattern } from '../../../http/secrets.ts'
import type { Outcome } from '../channel.ts'
import { truncate, summary } from '../http.ts'

const maxNoteCharacters = 1000

/** Credentials that were sent to a mail server; undefined: none. */
type Auth = { user: string; pass: string } | undefined

/** Use of a mail server. `isOwn`: it is configured in the channel, with its own settings. */
type ServerUse = { auth?: Auth; isOwn: boolean }

/** Error that nodemailer throws. `response`: the server's reply to `command`, if there was one. */
type MailError = {
  code?: unknown
  command?: unknown
  response?: unknown
  responseCode?: unknown
  originalCode?: unknown
  timeoutType?: unknown
  recipient?: unknown
}

/** Outcome of a mail that was not accepted. A 5xx reply is final; other errors can be retried. */
export function outcomeOfError(error: unknown, { auth, isOwn }: ServerUse): Outcome {
  const mailError = mailErrorOf(error)
  const { responseCode: statusCode } = mailError
  if (typeof statusCode !== 'number') {
    const outcome = finalCodes.has(String(mailError.code)) ? 'failed' : 'retry'
    const advice = isOwn && speaksNoTls.test(codeOf(mailError)) ? plainAdvice : ''
    return { outcome, statusCode: null, error: sentenceFor(mailError) + advice }
  }
  const isFinal = statusCode >= 500
  const advice = isOwn && isFinal && mailError.command === 'STARTTLS' ? starttlsAdvice[auth ? 'password' : 'open'] : ''
  return { outcome: isFinal ? 'failed' : 'retry', statusCode, error: refusal(mailError, auth) + advice }
}

const starttlsAdvice = {
  open: '. For a server without TLS set smtp_security to none (mail then goes in the clear), for TLS from the start to tls',
  password: '. smtp_security is starttls: set it to tls for TLS from the start; without TLS no password is sent',
}

/** OpenSSL error codes for a server that does not speak TLS. */
const speaksNoTls = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_LAYER|HTTP_REQUEST/
const plainAdvice = '. The port does not speak TLS from the start: set smtp_security to starttls, or to none for no TLS'

/** Outcome of a mail that the server accepted for at least one recipient. */
export function outcomeOfReply(reply: string, refusals: readonly unknown[], auth: Auth): Outcome {
  const statusCode = Number(/^\d{3}/.exec(reply)?.[0] ?? 250)
  if (refusals.length === 0) return { outcome: 'sent', statusCode }
  const each = refusals.map((refusal) => {
    const mailError = mailErrorOf(refusal)
    return `${String(mailError.recipient)} (${replyText(mailError, auth).replace(/^: /, '')})`
  })
  return { outcome: 'sent', statusCode, note: truncate(`refused: ${each.join(', ')}`, maxNoteCharacters) }
}

/** True if no connection was established, so that another address of the same host may be tried. */
export function neverConnected(error: unknown): boolean {
  const { originalCode, timeoutType } = mailErrorOf(error)
  return timeoutType === 'CONNECT_TIMEOUT' || unconnectedCodes.has(String(originalCode))
}

const unconnectedCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT'])

/** Final errors without a reply: credentials that cannot be sent, and addresses or mails that nodemailer refuses to send. */
const finalCodes = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE'])

const refusedThing: Record<string, string> = {
  CONN: 'the connection',
  EHLO: 'to begin',
  HELO: 'to begin',
  STARTTLS: 'STARTTLS',
  AUTH: 'the user name or password',
  'MAIL FROM': 'the sender',
  'RCPT TO': 'every recipient',
  DATA: 'the message',
}

function refusal(mailError: MailError, auth: Auth): string {
  const command = String(mailError.command).replace(/^AUTH .*/, 'AUTH')
  return `the mail server refused ${refusedThing[command] ?? 'the mail'}${replyText(mailError, auth)}`
}

/** Reply of the server, with the credentials masked. */
function replyText({ response }: MailError, auth: Auth): string {
  const text = String(response)
  if (!auth) return summary(text)
  const { user, pass } = auth
  const secrets = [base64(`\0${user}\0${pass}`), base64(pass), pass].filter((secret) => secret !== '')
  return summary(text.replace(new RegExp(secrets.map(secretPattern).join('|'), 'g'), mask))
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

function sentenceFor(mailError: MailError): string {
  const code = codeOf(mailError)
  const sentence = sentences[code]
  if (sentence) return sentence
  if (/CERT|SELF_SIGNED|ISSUER|VERIFY|TLS|SSL|EPROTO$/.test(code)) return `TLS with the mail server failed (${code})`
  return `the mail could not be sent${code === '' ? '' : ` (${code})`}`
}

const connectionClosed = 'the mail server closed the connection'
const sentences: Record<string, string> = {
  ETIMEDOUT: 'the mail server did not answer in time',
  EDNS: 'the host name of the mail server was not found',
  ECONNECTION: connectionClosed,
  ECONNRESET: connectionClosed,
  EPIPE: connectionClosed,
  ECONNREFUSED: 'the mail server refused the connection',
  EHOSTUNREACH: 'the mail server is unreachable',
  ENETUNREACH: 'the mail server is unreachable',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the mail server is for another host',
  CERT_HAS_EXPIRED: 'the certificate of the mail server has expired',
  EPROTOCOL: 'what answered is no mail server',
  EAUTH: 'the mail server takes user name and password in no way that nines knows',
  EENVELOPE: 'an address cannot be sent to',
  EMESSAGE: 'the mail is too large for the mail server',
}

function codeOf({ originalCode, code }: MailError): string {
  return String(originalCode ?? code ?? '')
}

function mailErrorOf(error: unknown): MailError {
  return typeof error === 'object' && error !== null ? error : {}
}
