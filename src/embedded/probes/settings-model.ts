import { t } from 'elysia'
import { invalid } from '../../errors.ts'
import { HeaderName } from '../../http/endpoint-auth.ts'
import { OneOf, readerOf, WholeNumber } from '../../http/schemas.ts'
import { maskSecrets } from '../../http/secrets.ts'
import type { DnsSettings, HttpSettings, Probe, TcpSettings } from '../collection/target.ts'

const YesOrNo = t.Optional(t.Boolean({ description: 'true or false' }))
const Pattern = t.Optional(
  t.Nullable(t.String({ minLength: 1, maxLength: 1000, description: 'a regular expression of 1 to 1000 characters' })),
)

const Http = t.Object({
  method: t.Optional(OneOf(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])),
  headers: t.Optional(
    t.Record(
      t.String({ pattern: HeaderName }),
      t.String({ pattern: '^[\\x20-\\x7e]{1,4096}$', description: '1 to 4096 characters of printable ASCII' }),
      { additionalProperties: false, maxProperties: 50, description: 'at most 50 header names and their values' },
    ),
  ),
  body: t.Optional(t.Nullable(t.String({ maxLength: 65_536, description: 'at most 65536 characters' }))),
  expected_status: t.Optional(
    t.Array(WholeNumber({ min: 100, max: 599 }), {
      maxItems: 50,
      description: 'a list of at most 50 HTTP statuses',
    }),
  ),
  body_matches: Pattern,
  body_matches_not: Pattern,
  follow_redirects: YesOrNo,
  verify_certificate: YesOrNo,
})

const Tcp = t.Object({ tls: YesOrNo, verify_certificate: YesOrNo })

const Dns = t.Object({
  server: t.Optional(t.Nullable(t.String({ minLength: 1, maxLength: 300, description: 'a host or host:port' }))),
  record_type: t.Optional(OneOf(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'CAA', 'PTR'])),
  expected: Pattern,
})

/** Schema for the API reference; the type of the probe decides which object applies. `assertKnown` rejects other settings. */
export const SentSettings = t.Union(
  [
    t.Object(Http.properties, { title: 'HttpProbeSettings', additionalProperties: false }),
    t.Object(Tcp.properties, { title: 'TcpProbeSettings', additionalProperties: false }),
    t.Object(Dns.properties, { title: 'DnsProbeSettings', additionalProperties: false }),
  ],
  { description: 'what the type of the probe takes' },
)

const readHttp = readerOf(t.Object({ settings: Http }))
const readTcp = readerOf(t.Object({ settings: Tcp }))
const readDns = readerOf(t.Object({ settings: Dns }))

/**
 * Reads settings by type. Throws the errors of an invalid body, also for a setting that the type does not have. Keeps masks.
 */
export const readSent = {
  http(sent: unknown): HttpSettings {
    const { settings } = readHttp({ settings: sent })
    assertKnown(sent, Http)
    return {
      method: settings.method ?? 'GET',
      headers: settings.headers ?? {},
      body: settings.body ?? null,
      expectedStatus: settings.expected_status ?? [],
      bodyMatches: settings.body_matches ?? null,
      bodyMatchesNot: settings.body_matches_not ?? null,
      followRedirects: settings.follow_redirects ?? true,
      verifyCertificate: settings.verify_certificate ?? true,
    }
  },
  tcp(sent: unknown): TcpSettings {
    const { settings } = readTcp({ settings: sent })
    assertKnown(sent, Tcp)
    return { tls: settings.tls ?? false, verifyCertificate: settings.verify_certificate ?? true }
  },
  dns(sent: unknown): DnsSettings {
    const { settings } = readDns({ settings: sent })
    assertKnown(sent, Dns)
    return {
      server: settings.server ?? null,
      recordType: settings.record_type ?? 'A',
      expected: settings.expected ?? null,
    }
  },
}

/** Rejects unknown settings, because a misspelt one would have no effect. */
function assertKnown(sent: unknown, { properties }: { properties: object }) {
  const unknown = Object.keys(Object(sent)).find((name) => !Object.hasOwn(properties, name))
  if (unknown === undefined) return
  const known = Object.keys(properties).join(', ')
  throw invalid('settings', `must be some of ${known}; not ${JSON.stringify(unknown.slice(0, 100))}`)
}

/** Secrets of the settings of an HTTP probe. */
export const secrets = ['headers.*']

/** Presents settings in the form of a request, with the values of headers masked. */
export function presentSettings(probe: Probe) {
  switch (probe.type) {
    case 'http': {
      const settings = maskSecrets(probe.settings, secrets)
      return {
        method: settings.method,
        headers: settings.headers,
        body: settings.body,
        expected_status: settings.expectedStatus,
        body_matches: settings.bodyMatches,
        body_matches_not: settings.bodyMatchesNot,
        follow_redirects: settings.followRedirects,
        verify_certificate: settings.verifyCertificate,
      }
    }
    case 'tcp':
      return { tls: probe.settings.tls, verify_certificate: probe.settings.verifyCertificate }
    case 'dns':
      return {
        server: probe.settings.server,
        record_type: probe.settings.recordType,
        expected: probe.settings.expected,
      }
  }
}
