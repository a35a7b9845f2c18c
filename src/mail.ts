import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { createSemaphore } from './concurrency/semaphore.ts'
import type { Log } from './log.ts'

/** Limits that a mail counts towards. `isUnsolicited`: the address did not request the mail, so the limit is far lower. */
type MailPurpose = { organizationId: number | null; isUnsolicited: boolean }
export type Mail = MailPurpose & { to: string; subject: string; text: string }

/** Bounds the mails sent through the instance's own server: per recipient, per organization and in total. */
export type MailAllowance = {
  /** Takes one mail for each of these addresses. If that exceeds a limit, takes none and returns the reason and the wait. */
  take(purpose: MailPurpose, addresses: string[]): RateLimitedMail | null
}

/** A mail over a limit. `reason` completes "held back: …", which the history shows. */
export type RateLimitedMail = { reason: string; waitMs: number }

/**
 * Sends the mails of nines itself: resets, invitations and requests to confirm an address. `post` returns at once, so that the
 * response time reveals nothing. Failures are logged, without the mail's text.
 */
export type Mailer = {
  /** True if a mail server is configured. */
  isSetUp: boolean
  /** Returns false if the mail is not sent: there is no server, or a limit is reached. */
  post(mail: Mail): boolean
  /** Resolves when every mail posted so far has been sent or has failed. */
  drain(): Promise<void>
}

type Options = { smtpUrl: string | null; from: string; allowance: MailAllowance; log: Log }

/** Timeout for a server that does not respond; nodemailer's own limits are minutes. */
const timeoutMs = 10_000

export function createMailer({ smtpUrl, from, allowance, log }: Options): Mailer {
  const transport = smtpUrl === null ? null : createTransport({ ...smtpServer(smtpUrl), ...smtpLimits })
  const posts = createSemaphore()

  async function send({ to, subject, text }: Mail): Promise<void> {
    await yieldToEventLoop() // sends the response first: sendMail blocks for half a millisecond
    try {
      await transport?.sendMail({ from, to: { name: '', address: to }, subject, text })
    } catch (error) {
      log.error('mail not sent', { subject, error })
    }
  }

  return {
    isSetUp: transport !== null,
    post(mail) {
      if (!transport) {
        log.warn('mail not sent: SMTP_URL is not set', { subject: mail.subject })
        return false
      }
      const rateLimited = allowance.take(mail, [mail.to])
      if (rateLimited) {
        log.warn('mail not sent: too many', { subject: mail.subject, error: rateLimited.reason })
        return false
      }
      void posts.run(() => send(mail))
      return true
    },
    drain: posts.drain,
  }
}

/** Connects to a mail server and signs in, without a mail. Throws if that fails. */
export async function verifyMailServer(smtpUrl: string): Promise<void> {
  await createTransport({ ...smtpServer(smtpUrl), ...smtpLimits }).verify()
}

/** Transport options: timeouts, and a ban on mail content from files or URLs. */
export const smtpLimits = {
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
  dnsTimeout: timeoutMs,
  disableFileAccess: true,
  disableUrlAccess: true,
}

/** True for a single plain address: a form that mail programs agree on and that cannot break a mail header. */
export function isMailAddress(value: string): boolean {
  return value.length <= 254 && mailAddress.test(value)
}

const mailAddress =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/**
 * Makes a name that a user chose safe for the subject or text of a mail: one line of visible characters in which no mail
 * program finds a link or an address.
 */
export function withoutLinks(name: string): string {
  return visibleLine(name)
    .replaceAll('://', '[:]//')
    .replace(/(?<=\S)[@\uff20](?=\S)/g, '[at]')
    .replace(/(?<=[\p{L}\p{N}])[.\u3002\uff0e\uff61](?=\p{L}[\p{L}\p{N}-])/gu, '[.]')
}

/** Makes a text one line, without control characters, invisible characters and characters that change the text direction. */
export function visibleLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(invisible, '')
    .trim()
}

/** Applies `clean` to each line of a text and keeps the indentation. */
export function cleanLines(text: string, clean: (line: string) => string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `${/^[ \t]*/.exec(line)?.[0] ?? ''}${clean(line)}`)
    .join('\n')
}

/** Invisible characters, except the joiner between emoji. */
const invisible =
  /(?!(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d)[\p{Cf}\u034f\u115f\u1160\u3164\uffa0]/gu

/** Transport options for `smtp://[user:password@]host[:port]` or `smtps://…`. */
export function smtpServer(smtpUrl: string) {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  const user = decodeURIComponent(username)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) }, requireTLS: !secure }), // no password in the clear
  }
}
