import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { loopbackCertificate } from './loopback-certificate.ts'
import { trust } from './trust.ts'

export type ReceivedMail = {
  from: string
  to: string[]
  user: string
  secure: boolean
  text: string
  header: string
  body: string
}

export type MailServer = {
  url: string
  port: number
  mails: ReceivedMail[]
  /** Number of connections that have ended. */
  ended(): number
  close(): Promise<void>
}

/** SMTP response code and text of a refusal. */
export type Refusal = { code: number; text?: string }

type Options = {
  /** Default: `starttls`. With `none` the server has no AUTH and accepts mail without it. */
  encryption?: 'starttls' | 'tls' | 'none'
  certificate?: { key: string; cert: string }
  /** Accepts mail without AUTH, and offers none. */
  isOpen?: boolean
  /** Refusals by stage of the SMTP conversation; called again for every mail. */
  refuse?: {
    greeting?: () => Refusal | undefined
    auth?: () => Refusal | undefined
    sender?: (address: string) => Refusal | undefined
    recipient?: (address: string) => Refusal | undefined
    data?: () => Refusal | undefined
  }
}

/**
 * Starts a mail server on 127.0.0.1 that accepts mail over STARTTLS after AUTH as user nines. This process trusts its
 * certificate until it is closed.
 */
export async function startMailServer(options: Options = {}): Promise<MailServer> {
  const { encryption = 'starttls', certificate = loopbackCertificate, isOpen = false, refuse = {} } = options
  const distrust = trust(certificate.cert)
  const mails: ReceivedMail[] = []
  let ended = 0
  const server = new SMTPServer({
    ...certificate,
    ...(isOpen && { disabledCommands: ['AUTH'], authOptional: true }),
    ...(encryption === 'none' && { disabledCommands: ['STARTTLS', 'AUTH'], authOptional: true }),
    secure: encryption === 'tls',
    disableReverseLookup: true,
    closeTimeout: 1,
    onConnect: (_session, done) => done(errorOf(refuse.greeting?.())),
    onClose: () => void (ended += 1),
    onAuth({ username, password }, _session, done) {
      const refusal = refuse.auth?.()
      if (refusal) done(errorOf(refusal))
      else if (username === 'nines' && password === 'p@ss') done(null, { user: username })
      else done(new Error('wrong credentials'))
    },
    onMailFrom: ({ address }, _session, done) => done(errorOf(refuse.sender?.(address))),
    onRcptTo: ({ address }, _session, done) => done(errorOf(refuse.recipient?.(address))),
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const refusal = refuse.data?.()
        if (refusal) return done(errorOf(refusal))
        const [header = '', body = ''] = Buffer.concat(parts)
          .toString()
          .split(/\r\n\r\n([^]*)/)
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: String(session.user),
          secure: session.secure,
          text: unquoted(body),
          header,
          body,
        })
        done()
      })
    },
  } satisfies SMTPServerOptions)
  server.on('error', () => {}) // a client that disconnected or rejected the certificate
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    url: `smtp${encryption === 'tls' ? 's' : ''}://nines:p%40ss@127.0.0.1:${address.port}`,
    port: address.port,
    mails,
    ended: () => ended,
    async close() {
      distrust()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

/** Header names of a mail in lower case, after unfolding. */
export function headerNames({ header }: ReceivedMail): string[] {
  return linesOf(header).map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
}

/** Decoded value of a header; undefined: no such header. */
export function headerOf({ header }: ReceivedMail, name: string): string | undefined {
  const line = linesOf(header).find((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`))
  return line
    ?.slice(name.length + 1)
    .trim()
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([qb])\?(.*?)\?=/gi, (_, encoding: string, text: string) =>
      encoding.toLowerCase() === 'b'
        ? Buffer.from(text, 'base64').toString()
        : Buffer.from(unquoted(text.replaceAll('_', ' ')), 'latin1').toString(),
    )
}

/** Parts of a multipart mail in order, with media type and decoded text. */
export function partsOf(mail: ReceivedMail): [type: string, text: string][] {
  const boundary = /boundary="?([^";]+)/.exec(headerOf(mail, 'content-type') ?? '')?.[1]
  if (boundary === undefined) throw new Error('the mail has one part only')
  const parts = mail.body.split(`--${boundary}`).slice(1, -1)
  return parts.map((part) => {
    const [header = '', body = ''] = part.trimStart().split(/\r\n\r\n([^]*)/)
    const isBase64 = /^content-transfer-encoding: base64/im.test(header)
    const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(header)
    const bytes = isBase64 ? Buffer.from(body, 'base64') : Buffer.from(isQuoted ? unquoted(body) : body, 'latin1')
    return [/^content-type: ([^;\s]+)/im.exec(header)?.[1] ?? '', bytes.toString().trimEnd()]
  })
}

function errorOf(refusal: Refusal | undefined): Error | null {
  return refusal ? Object.assign(new Error(refusal.text ?? 'refused'), { responseCode: refusal.code }) : null
}

/** Header lines after unfolding. */
function linesOf(header: string): string[] {
  return header.replace(/\r\n(?=[ \t])/g, '').split('\r\n')
}

/** Decodes quoted-printable, one character per byte. */
function unquoted(text: string): string {
  return text.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
