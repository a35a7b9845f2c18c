import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import { createSemaphore } from './concurrency/semaphore.ts'
import type { Log } from './log.ts'

/** What a mail counts for: `isUnsolicited`, the address did not request it, so that far fewer of them may go. */
export type MailPurpose = { organizationId: number | null; isUnsolicited: boolean }
export type Mail = MailPurpose & { to: string; subject: string; text: string }

/** Bounds the mails that go through the instance's own server, by recipient, by organization and in all. */
export type MailAllowance = {
  /** Takes one mail to each of these addresses; where that is too many, takes nothing and says what to wait for. */
  take(purpose: MailPurpose, addresses: string[]): HeldMail | null
}

/** `reason` completes "held back: …", which the history shows. */
export type HeldMail = { reason: string; waitMs: number }

/**
 * Sends the mails of nines itself: resets, invitations and requests to confirm an address. `post` returns at once, so that the
 * time of a response reveals nothing; failures are logged, without the mail's text.
 */
export type Mailer = {
  /** Whether there is a server to send through. */
  isSetUp: boolean
  /** False: it is not sent, for want of a server or because there were too many. */
  post(mail: Mail): boolean
  /** Resolves when every mail posted so far has been sent or given up. */
  drain(): Promise<void>
}

type Options = { smtpUrl: string | null; from: string; allowance: MailAllowance; log: Log }

/** A silent server is given up after this long; nodemailer's own limits are minutes. */
const patienceMs = 10_000

export function createMailer({ smtpUrl, from, allowance, log }: Options): Mailer {
  const transport = smtpUrl === null ? null : createTransport({ ...smtpServer(smtpUrl), ...smtpLimits })
  const posts = createSemaphore()

  async function send({ to, subject, text }: Mail): Promise<void> {
    await nextTurn() // the answer goes first: what follows takes half a millisecond before it waits for anything
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
      const held = allowance.take(mail, [mail.to])
      if (held) {
        log.warn('mail not sent: too many', { subject: mail.subject, error: held.reason })
        return false
      }
      void posts.run(() => send(mail))
      return true
    },
    drain: posts.drain,
  }
}

/** How long a mail server may take, and what mails may be made of: options of a transport. */
export const smtpLimits = {
  connectionTimeout: patienceMs,
  greetingTimeout: patienceMs,
  socketTimeout: patienceMs,
  dnsTimeout: patienceMs,
  disableFileAccess: true,
  disableUrlAccess: true,
}

/** One plain address: what mail programs agree on, and nothing a mail header could be broken with. */
export function isMailAddress(value: string): boolean {
  return value.length <= 254 && mailAddress.test(value)
}

const mailAddress =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/**
 * A name that somebody chose, as it stands in a subject or a sentence of a mail: one line of what can be seen, in which no
 * mail program finds a link or an address.
 */
export function withoutLinks(name: string): string {
  return visibleLine(name)
    .replaceAll('://', '[:]//')
    .replace(/(?<=\S)[@\uff20](?=\S)/g, '[at]')
    .replace(/(?<=[\p{L}\p{N}])[.\u3002\uff0e\uff61](?=\p{L}[\p{L}\p{N}-])/gu, '[.]')
}

/** One line, without control characters and without those that nobody sees, or that turn the direction of a text. */
export function visibleLine(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
    .replace(invisible, '')
    .trim()
}

/** Lines of a text, each made so by `clean`, which keep how far they are indented. */
export function cleanLines(text: string, clean: (line: string) => string): string {
  return text
    .split(/\r?\n/)
    .map((line) => `${/^[ \t]*/.exec(line)?.[0] ?? ''}${clean(line)}`)
    .join('\n')
}

/** The joiner stays between emoji. */
const invisible =
  /(?!(?<=\p{Extended_Pictographic}(?:\ufe0f|\p{Emoji_Modifier})?)\u200d)[\p{Cf}\u034f\u115f\u1160\u3164\uffa0]/gu

/** `smtp://[user:password@]host[:port]` or `smtps://…` as options of a transport. */
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
