import { SMTPServer } from 'smtp-server'

/** A mail as it came over the wire; `head` and `body` are raw, split at the first empty line. */
export type Received = { to: string[]; head: string; body: string }

export type Mailbox = { url: string; mails: Received[]; close(): Promise<void> }

/** A mail server on 127.0.0.1 that keeps what it is sent. */
export async function mailbox(): Promise<Mailbox> {
  const mails: Received[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    async onData(stream, session, done) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(Buffer.from(chunk))
      const text = Buffer.concat(chunks).toString('utf8')
      const at = text.indexOf('\r\n\r\n')
      const to = session.envelope.rcptTo.map(({ address }) => address)
      mails.push({ to, head: text.slice(0, at), body: text.slice(at + 4) })
      done()
    },
  })
  const listening = Promise.withResolvers<void>()
  const listener = server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const address = listener.address()
  if (address === null || typeof address === 'string') throw new Error('wanted a port')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    mails,
    close: () => new Promise((resolve) => void server.close(resolve)),
  }
}

/** The names of a mail's headers in lower case, folded lines taken together. */
export function headerNames({ head }: Received): string[] {
  const unfolded = head.replace(/\r\n[ \t]+/g, ' ')
  return unfolded.split('\r\n').map((line) => line.slice(0, line.indexOf(':')).toLowerCase())
}
