/**
 * Reason why a request to another server has no response. `forbidden`: nines does not send it (scheme, credentials in the URL,
 * denied address). `unreachable`: no connection was established. `lost`: the connection broke. `broken`: the response is not
 * valid HTTP, or not compressed as it claims. Messages contain neither URL nor headers.
 */
export type OutboundFailure = 'forbidden' | 'unreachable' | 'lost' | 'broken'

export class OutboundError extends Error {
  readonly failure: OutboundFailure

  constructor(failure: OutboundFailure, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.failure = failure
  }
}

const unknownAuthority = 'TLS failure: the certificate is from an authority that is not known here'

const sentences: Record<string, [OutboundFailure, string]> = {
  ECONNREFUSED: ['unreachable', 'connection refused'],
  EHOSTUNREACH: ['unreachable', 'host unreachable'],
  ENETUNREACH: ['unreachable', 'network unreachable'],
  EADDRNOTAVAIL: ['unreachable', 'address not available'],
  ETIMEDOUT: ['unreachable', 'connection attempt timed out'],
  ECONNRESET: ['lost', 'connection lost before the answer was complete'],
  EPIPE: ['lost', 'connection lost before the answer was complete'],
  EPROTO: [
    'unreachable',
    'TLS handshake failed; does the server speak https on this port, and does it ask for a client certificate?',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ['unreachable', 'TLS failure: the certificate is for another host'],
  CERT_HAS_EXPIRED: ['unreachable', 'TLS failure: the certificate has expired'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['unreachable', 'TLS failure: the certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['unreachable', unknownAuthority],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['unreachable', unknownAuthority],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['unreachable', unknownAuthority],
  ZlibError: ['broken', 'the body is not compressed as it claims'],
  Z_DATA_ERROR: ['broken', 'the body is not compressed as it claims'],
  Z_BUF_ERROR: ['broken', 'the body ends before it is complete'],
  Malformed_HTTP_Response: ['broken', 'the answer is not HTTP'],
  ResponseHeadersTooLarge: ['broken', 'the answer has too large headers'],
}

/** Messages of `outboundError` for the codes above. */
export const outboundSentences: ReadonlySet<string> = new Set(Object.values(sentences).map(([, message]) => message))

/**
 * Converts an error of Bun's fetch, or of reading a response body. The original error is not kept as `cause`: its text and
 * properties contain the URL, which may contain a key.
 */
export function outboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const code = codeOf(error)
  const sentence = sentences[code]
  if (sentence) return new OutboundError(...sentence)
  if (isCertificateAlert(code)) {
    return new OutboundError('unreachable', 'TLS failure: the server asks for a client certificate, and took none')
  }
  if (/CERT|SELF_SIGNED|ISSUER|VERIFY|TLS|SSL/.test(code))
    return new OutboundError('unreachable', `TLS failure (${code})`)
  return new OutboundError('broken', code === '' ? 'the request could not be sent' : `the request failed (${code})`)
}

/** True if no connection was established, so trying the next address of the host cannot send the request twice. */
export function neverConnected(error: unknown): boolean {
  return ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL', 'ETIMEDOUT'].includes(codeOf(error))
}

/** True for the code of an alert by which a server refuses a certificate, or asks for one. */
export function isCertificateAlert(code: string): boolean {
  return /ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_(?:REQUIRED|EXPIRED|REVOKED|UNKNOWN)|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)$/.test(
    code,
  )
}

/** Code of an error; empty for one without. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
