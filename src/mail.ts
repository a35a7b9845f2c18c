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
  const transport = smtpUrl === null ? null : createTransport({ ...serverOf(smtpUrl), ...limits })
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

const limits = {
  connectionTimeout: patienceMs,
  greetingTimeout: patienceMs,
  socketTimeout: patienceMs,
  dnsTimeout: patienceMs,
  disableFileAccess: true,
  disableUrlAccess: true,
}

function serverOf(smtpUrl: string) {
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
