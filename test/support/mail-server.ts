import tls from 'node:tls'
import { SMTPServer } from 'smtp-server'
import { loopbackCertificate } from './loopback-certificate.ts'

export type ReceivedMail = { to: string[]; user: string; secure: boolean; text: string; header: string }

export type MailServer = { url: string; mails: ReceivedMail[]; close(): Promise<void> }

/** A mail server on 127.0.0.1 that takes mail over STARTTLS from who signs in as nines; the process trusts it until closed. */
export async function startMailServer(): Promise<MailServer> {
  const trusted = tls.getCACertificates('default')
  tls.setDefaultCACertificates([...trusted, loopbackCertificate.cert])
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    ...loopbackCertificate,
    onAuth({ username, password }, _session, done) {
      if (username === 'nines' && password === 'p@ss') done(null, { user: username })
      else done(new Error('wrong credentials'))
    },
    onData(stream, session, done) {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const [header = '', text = ''] = Buffer.concat(parts)
          .toString()
          .split(/\r\n\r\n([^]*)/)
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          user: String(session.user),
          secure: session.secure,
          text: unquoted(text),
          header,
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('the mail server has no port')
  return {
    url: `smtp://nines:p%40ss@127.0.0.1:${address.port}`,
    mails,
    async close() {
      tls.setDefaultCACertificates(trusted)
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

/** The names of a mail's headers in lower case, folded lines taken together. */
export function headerNames({ header }: ReceivedMail): string[] {
  const unfolded = header.replace(/\r\n[ \t]+/g, ' ')
  return unfolded.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
}

/** Out of quoted-printable. */
function unquoted(text: string): string {
  return text.replace(/=\r\n/g, '').replace(/=([\dA-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
}
