import { isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { once } from 'node:events'
import { createAbort } from '../../concurrency/abort.ts'
import { type Clock, stopwatch } from '../../clock.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { ServerCertificate } from '../../certificate.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { certificatesOf } from '../probing/certificates.ts'
import { connect, noProgress, type ProbeDeps } from '../probing/connect.ts'

/** Server whose certificate is read. `starttls`: a mail server that begins without encryption. `allowPrivate`: as in `Outbound`. */
export type CertificateServer = { host: string; port: number; starttls: boolean; allowPrivate: boolean }

type Deps = { outbound: Pick<Outbound, 'resolve'>; signal: AbortSignal; clock?: Clock }

const timeoutMs = 10_000

/** Reads the certificate that a server sends in the TLS handshake; null if it sends none. Throws if the server does not answer. */
export async function readCertificate(
  { host, port, starttls, allowPrivate }: CertificateServer,
  { outbound, signal, clock = stopwatch }: Deps,
): Promise<ServerCertificate | null> {
  using ending = createAbort(signal, timeoutMs)
  const deps: ProbeDeps = { outbound, clock, signal: ending.signal, allowPrivate }
  const progress = { ...noProgress }
  const socket = await connect({ host, port, tls: starttls ? null : { verify: false } }, deps, progress)
  try {
    return starttls ? await afterStartTls(socket, host, ending.signal) : (progress.certificates?.certificate ?? null)
  } finally {
    socket.destroy()
  }
}

async function afterStartTls(socket: Socket, host: string, signal: AbortSignal): Promise<ServerCertificate | null> {
  await replyOf(socket, '220', signal)
  socket.write('EHLO nines\r\n')
  await replyOf(socket, '250', signal)
  socket.write('STARTTLS\r\n')
  await replyOf(socket, '220', signal)
  const name = isIP(host) === 0 ? { servername: host } : {}
  const secure: TLSSocket = connectTls({ socket, ...name, rejectUnauthorized: false })
  secure.on('error', () => {}) // `once` throws it; a later one must not end the process
  try {
    await once(secure, 'secureConnect', { signal })
    return certificatesOf(secure)?.certificate ?? null
  } finally {
    secure.destroy()
  }
}

const maxReplyBytes = 16_384

/** Reads an SMTP reply to its last line. Throws unless it has this code. */
async function replyOf(socket: Socket, code: string, signal: AbortSignal): Promise<void> {
  let text = ''
  while (!/^\d{3} .*\r?\n$/m.test(text)) {
    const [data] = (await once(socket, 'data', { signal })) as [Buffer]
    text += data.toString('latin1')
    if (text.length > maxReplyBytes) throw new OutboundError('broken', 'the mail server answers without an end')
  }
  if (!text.startsWith(code)) throw new OutboundError('broken', 'the mail server offers no STARTTLS')
}
