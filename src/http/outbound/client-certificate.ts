import { X509Certificate } from 'node:crypto'
import { systemClock } from '../../clock.ts'
import type { EndpointTls } from '../endpoint-tls.ts'
import { readCertificates } from './authorities.ts'
import { codeOf, isCertificateAlert, OutboundError, outboundError } from './error.ts'

/**
 * Rewords the error of a connection without a response if the server may have refused the certificate that nines showed: servers
 * do so by a TLS alert or by closing the connection. Returns other errors, and those without a certificate, unchanged.
 */
export function withShownCertificate(error: unknown, tls: EndpointTls | undefined): unknown {
  if (tls?.certificate === undefined) return error
  const known = outboundError(error)
  const shown = describe(tls.certificate)
  const code = codeOf(error)
  if (isCertificateAlert(code)) return new OutboundError('unreachable', `TLS failure: the server refused ${shown}`)
  if (known.failure === 'lost') {
    return new OutboundError('lost', `${known.message}; the server may have refused ${shown}`)
  }
  if (code === 'EPROTO' || code.endsWith('ALERT_HANDSHAKE_FAILURE')) {
    return new OutboundError('unreachable', `TLS handshake failed; the server may have refused ${shown}`)
  }
  return error
}

/** Throws for an answer 400 with which nginx asks for a certificate, or refuses the one that nines showed. */
export function assertCertificateTaken(status: number, body: Buffer, tls: EndpointTls | undefined): void {
  if (status !== 400 || !body.includes('SSL certificate')) return
  if (body.includes('<title>400 No required SSL certificate was sent</title>')) {
    throw new OutboundError('unreachable', 'TLS failure: the server asks for a client certificate, and got none')
  }
  if (tls?.certificate !== undefined && body.includes('<title>400 The SSL certificate error</title>')) {
    throw new OutboundError('unreachable', `TLS failure: the server refused ${describe(tls.certificate)}`)
  }
}

/** Certificate in words. Its validity is compared with the clock of this machine, as the server compares it with its own clock. */
function describe(pem: string): string {
  const { subject, issuer, validFromDate, validToDate } = new X509Certificate(readCertificates(pem)[0])
  const name = `the client certificate ${nameIn(subject)}`
  const nowMs = systemClock.now()
  if (validToDate.getTime() < nowMs) return `${name}, which expired on ${dayOf(validToDate)}`
  if (validFromDate.getTime() > nowMs) return `${name}, which is not valid before ${dayOf(validFromDate)}`
  return `${name} of ${nameIn(issuer)}, valid until ${dayOf(validToDate)}`
}

/** Common name of a distinguished name, or all of it. */
function nameIn(distinguished: string): string {
  const name = /^CN=(.+)$/m.exec(distinguished)?.[1] ?? distinguished.replaceAll('\n', ', ')
  return name.slice(0, 100)
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
