import type { Label } from '../exposition/sample.ts'
import type { CachedText } from '../exposition/scrape-cache.ts'
import type { EndpointAuth } from '../../http/endpoint-auth.ts'

/** Fields shared by targets and probes. `labels`: added to every series; may replace `job` and `instance`. */
type Collected = {
  id: number
  organizationId: number
  name: string
  intervalMs: number
  timeoutMs: number
  labels: Readonly<Record<string, string>>
}

/** A target that exposes metrics. `url`: http, https, or `nines:…` for metrics that this process exposes. */
export type ScrapeTarget = Collected & { url: string; honorLabels: boolean; auth: EndpointAuth | null }

/** An HTTP probe succeeds if the answer is as expected. Redirects are followed only with `followRedirects`. */
export type HttpSettings = {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH'
  headers: Readonly<Record<string, string>>
  body: string | null
  /** Empty: 200 to 299. */
  expectedStatus: readonly number[]
  /** Regular expressions: the body must match `bodyMatches` and must not match `bodyMatchesNot`. */
  bodyMatches: string | null
  bodyMatchesNot: string | null
  /** Texts that the body must contain, and must not contain. */
  bodyContains: string | null
  bodyContainsNot: string | null
  /** Regular expressions that headers of the answer must match, by header name. */
  headerMatches: Readonly<Record<string, string>>
  /** Conditions that `readJsonCondition` reads, on the body as JSON. */
  jsonConditions: readonly string[]
  /** Upper limit for the time until the whole answer has arrived, redirects included; null: no limit. */
  responseTimeBelowMs: number | null
  auth: Pick<EndpointAuth, 'basic' | 'bearer' | 'tls'> | null
  followRedirects: boolean
  /** False: accepts certificates that are expired, for another host or of an unknown authority. */
  verifyCertificate: boolean
}

/**
 * A TCP probe succeeds once it is connected and, with `tls`, the handshake is done and the certificate of `auth` was not refused.
 */
export type TcpSettings = { tls: boolean; auth: Pick<EndpointAuth, 'tls'> | null; verifyCertificate: boolean }

export type RecordType = 'A' | 'AAAA' | 'CNAME' | 'MX' | 'NS' | 'TXT' | 'SRV' | 'CAA' | 'PTR'

/**
 * A DNS probe succeeds if the answer has a record and, if `expected` is given, one that matches it. `server`: host or
 * host:port.
 */
export type DnsSettings = { server: string | null; recordType: RecordType; expected: string | null }

/** A probe by ICMP succeeds if the host replies to an echo request. It has no settings. */
export type IcmpSettings = Readonly<Record<string, never>>

/**
 * A target probed from outside. `target`: a URL, host:port, the name to resolve, or a host. `confirm`: a failed run is repeated
 * within seconds. Otherwise the target is down after `downAfter` failed runs in a row.
 */
export type Probe = Collected & { target: string; confirm: boolean; downAfter: number } & (
    | { type: 'http'; settings: HttpSettings }
    | { type: 'tcp'; settings: TcpSettings }
    | { type: 'dns'; settings: DnsSettings }
    | { type: 'icmp'; settings: IcmpSettings }
  )

/**
 * A sample of one series. `timestampMs`: its own timestamp, if it has one. `labels`: sorted by name, with `__name__`. `text`:
 * entry of the scrape cache for these labels.
 */
export type CollectedSample = {
  readonly labels: readonly Label[]
  value: number
  timestampMs?: number | undefined
  text?: CachedText | undefined
}
