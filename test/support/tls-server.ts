import { createServer, type TlsOptions } from 'node:tls'
import { closeLater } from './closing.ts'
import { probeCertificates } from './probe-certificates.ts'
import { trust } from './trust.ts'

type Options = TlsOptions & { answer?: string; heard?: (text: string) => void }

/**
 * Starts a TLS server on 127.0.0.1 that sends `answer` after the first data it receives. Returns its port. Closed after the
 * test.
 */
export async function tlsServer({ answer = '', heard = () => {}, ...options }: Options = {}): Promise<number> {
  const { key, good } = probeCertificates
  const server = createServer({ key, cert: good, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', (text) => {
      heard(text.toString())
      socket.end(answer)
    })
  })
  server.on('tlsClientError', () => {}) // a client that rejected the certificate
  closeLater(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** Trusts the CA of the probe certificates in this process until the test ends. */
export function trustProbeAuthority() {
  closeLater(trust(probeCertificates.authority))
}
