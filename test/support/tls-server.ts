import { createServer, type TlsOptions } from 'node:tls'
import { closeLater } from './closing.ts'
import { probeCertificates } from './probe-certificates.ts'
import { trust } from './trust.ts'

type Options = TlsOptions & { answer?: string; heard?: (text: string) => void }

/** A TLS server on 127.0.0.1 that says the same to whoever says something; closed after the test. */
export async function tlsServer({ answer = '', heard = () => {}, ...options }: Options = {}): Promise<number> {
  const { key, good } = probeCertificates
  const server = createServer({ key, cert: good, ...options }, (socket) => {
    socket.on('error', () => {})
    socket.once('data', (text) => {
      heard(text.toString())
      socket.end(answer)
    })
  })
  server.on('tlsClientError', () => {}) // of a client that did not like the certificate
  closeLater(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}

/** The process trusts who vouches for the certificates of probes, until the test ends. */
export function trustProbeAuthority() {
  closeLater(trust(probeCertificates.authority))
}
