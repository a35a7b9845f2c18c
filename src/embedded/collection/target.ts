import type { Label, Text } from '../exposition/sample.ts'
import type { EndpointAuth } from '../../http/endpoint-auth.ts'

/** What targets and probes have in common. `labels`: added to every series, in place of `job` and `instance` too. */
type Collected = {
  id: number
  organizationId: number
  name: string
  intervalMs: number
  timeoutMs: number
  labels: Readonly<Record<string, string>>
}

/** Something that exposes metrics. `url`: http, https, or `nines:…` for what is exposed inside of this process. */
export type ScrapeTarget = Collected & { url: string; honorLabels: boolean; auth: EndpointAuth | null }

/** An HTTP probe succeeds for an answer that is as expected; a redirect is followed where `followRedirects` says so. */
export type HttpSettings = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH'
  headers: Readonly<Record<string, string>>
  body: string | null
  /** Empty: 200 to 299. */
  expectedStatus: readonly number[]
  /** Regular expressions: the body must match the one and must not match the other. */
  bodyMatches: string | null
  bodyMatchesNot: string | null
  followRedirects: boolean
  /** False: a certificate that is expired, for another host or of an unknown authority is no failure. */
  verifyCertificate: boolean
}

/** A TCP probe succeeds once it is connected and, with `tls`, the handshake is done. */
export type TcpSettings = { tls: boolean; verifyCertificate: boolean }

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'TXT' | 'SRV' | 'CAA' | 'PTR'

/** A DNS probe succeeds for an answer with a record, and one that matches `expected` where that is given. `server`: host or host:port. */
export type DnsSettings = { server: string | null; recordType: RecordType; expected: string | null }

/** Something that is tried from outside. `target`: a URL, host:port, or the name to resolve. */
export type Probe = Collected & { target: string } & (
    | { type: 'http'; settings: HttpSettings }
    | { type: 'tcp'; settings: TcpSettings }
    | { type: 'dns'; settings: DnsSettings }
  )

/**
 * A value of one series; `timestampMs` where it carries a time of its own. `labels`: in order of name, with `__name__`; `text`
 * stands for them, as in a `Sample`.
 */
export type Reading = {
  readonly labels: readonly Label[]
  value: number
  timestampMs?: number | undefined
  text?: Text | undefined
}
