import { createServer } from 'node:tls'
import { closeLater } from './closing.ts'
import { type MadeCertificate, makeCertificate } from './make-certificate.ts'
import { tlsServer } from './tls-server.ts'

const validity = { fromMs: Date.parse('2020-01-01'), untilMs: Date.parse('2120-01-01') }
const house = makeCertificate({ names: ['House CA'], ...validity })
const other = makeCertificate({ names: ['Other CA'], ...validity })
const server = makeCertificate({ names: ['receiver.example', 'localhost'], ...validity, issuer: house })
const own = { names: ['nines.example'], ...validity }

const shown = ({ cert, key }: MadeCertificate) => ({ ca: house.cert, certificate: cert, key })

/** `tls` of nines for `strictServer`: accepted, of another authority, expired, and with the authority of the server only. */
export const clientTls = {
  good: shown(makeCertificate({ ...own, issuer: house })),
  stranger: shown(makeCertificate({ ...own, issuer: other })),
  expired: shown(makeCertificate({ ...own, untilMs: Date.parse('2021-06-01'), issuer: house })),
  none: { ca: house.cert },
  otherKey: server.key,
}

/** Port of a server at receiver.example and localhost that answers only those who show a certificate of its authority. */
export const strictServer = (answer = 'ok', heard: (text: string) => void = () => {}): Promise<number> =>
  tlsServer({
    key: server.key,
    cert: server.cert,
    ca: house.cert,
    requestCert: true,
    rejectUnauthorized: true,
    heard,
    answer: `HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\nconnection: close\r\n\r\n${answer}`,
  })

/** Port of a server at receiver.example and localhost that answers 400 with the title of nginx for a missing or refused certificate. */
export const nginxAnswering = (title: string): Promise<number> => {
  const page = `<html>\r\n<head><title>400 ${title}</title></head>\r\n<body>nginx</body>\r\n</html>\r\n`
  const answer = `HTTP/1.1 400 Bad Request\r\ncontent-length: ${page.length}\r\nconnection: close\r\n\r\n${page}`
  return tlsServer({ key: server.key, cert: server.cert, answer })
}

/**
 * Port of a server at receiver.example that keeps its connections, and answers with the number of the connection and the name of the
 * certificate that it was shown.
 */
export async function rememberingServer(): Promise<number> {
  let connections = 0
  const options = { key: server.key, cert: server.cert, ca: house.cert, requestCert: true, rejectUnauthorized: false }
  const listening = createServer(options, (socket) => {
    connections += 1
    const { CN = 'nobody' } = socket.getPeerCertificate().subject ?? {}
    const answer = `${connections} ${String(CN)}`
    socket.on('error', () => {})
    socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${answer.length}\r\n\r\n${answer}`))
    closeLater(() => void socket.destroy())
  })
  closeLater(() => void listening.close())
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const address = listening.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
