import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTransport } from 'nodemailer'
import type { Log } from './log.ts'

export type Mail = { to: string; subject: string; text: string }

/**
 * Sends the mails of nines itself: resets and invitations. `post` returns at once, whatever becomes of the mail, so that
 * an answer's time tells nothing; failures are logged, without the mail's text.
 */
export type Mailer = {
  /** Whether there is a server to send through. */
  isSetUp: boolean
  post(mail: Mail): void
  /** Resolves when every mail posted so far has been sent or given up. */
  settled(): Promise<void>
}

type Options = { smtpUrl: string | null; from: string; log: Log }

/** A silent server is given up after this long; nodemailer's own limits are minutes. */
const patienceMs = 10_000

export function createMailer({ smtpUrl, from, log }: Options): Mailer {
  const transport = smtpUrl === null ? null : createTransport({ ...smtpServer(smtpUrl), ...smtpLimits })
  const posted = new Set<Promise<void>>()

  async function send({ to, subject, text }: Mail): Promise<void> {
    await nextTurn() // the answer goes first: what follows takes half a millisecond before it waits for anything
    if (!transport) {
      log.warn('mail not sent: SMTP_URL is not set', { subject })
      return
    }
    try {
      await transport.sendMail({ from, to: { name: '', address: to }, subject, text })
    } catch (error) {
      log.error('mail not sent', { subject, error })
    }
  }

  return {
    isSetUp: transport !== null,
    post(mail) {
      const sending = send(mail).finally(() => posted.delete(sending))
      posted.add(sending)
    },
    settled: async () => {
      await Promise.all(posted)
    },
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
