import { t } from 'elysia'
import { invalid } from '../../errors.ts'
import { EndpointAuth, HeaderName } from '../../http/endpoint-auth.ts'
import { EndpointTls } from '../../http/endpoint-tls.ts'
import { OneOf, readerOf, WholeNumber } from '../../http/schemas.ts'
import { maskSecrets } from '../../http/secrets.ts'
import { maxTimeoutSeconds } from '../collection/fields.ts'
import type { DnsSettings, HttpSettings, IcmpSettings, Probe, TcpSettings } from '../collection/target.ts'

/** Form of a condition that `readJsonCondition` reads, for descriptions and errors. */
export const conditionForm = 'as $.status == "UP", with ==, !=, <, <=, >, >= or contains, and texts in quotes'

const YesOrNo = t.Optional(t.Boolean({ description: 'true or false' }))
const Pattern = t.Optional(
  t.Nullable(t.String({ minLength: 1, maxLength: 1000, description: 'a regular expression of 1 to 1000 characters' })),
)
const BodyText = t.Optional(
  t.Nullable(t.String({ minLength: 1, maxLength: 1000, description: 'a text of 1 to 1000 characters' })),
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
  body_contains: BodyText,
  body_contains_not: BodyText,
  header_matches: t.Optional(
    t.Record(t.String({ pattern: HeaderName }), t.String({ minLength: 1, maxLength: 1000 }), {
      additionalProperties: false,
      maxProperties: 20,
      description: 'at most 20 header names, each with a regular expression of 1 to 1000 characters',
    }),
  ),
  json_conditions: t.Optional(
    t.Array(t.String({ minLength: 1, maxLength: 500, description: conditionForm }), {
      maxItems: 20,
      description: `a list of at most 20 conditions, each ${conditionForm}`,
    }),
  ),
  response_time_below_ms: t.Optional(t.Nullable(WholeNumber({ min: 1, max: maxTimeoutSeconds * 1000 }))),
  auth: t.Optional(
    t.Nullable(
      t.Object(
        {
          basic: EndpointAuth.properties.basic,
          bearer: EndpointAuth.properties.bearer,
          tls: EndpointAuth.properties.tls,
        },
        {
          additionalProperties: false,
          minProperties: 1,
          maxProperties: 2,
          description: 'an object with basic or bearer, with tls, or null',
        },
      ),
    ),
  ),
  follow_redirects: YesOrNo,
  verify_certificate: YesOrNo,
})

const Tcp = t.Object({
  tls: YesOrNo,
  auth: t.Optional(
    t.Nullable(
      t.Object({ tls: EndpointTls }, { additionalProperties: false, description: 'an object with tls, or null' }),
    ),
  ),
  verify_certificate: YesOrNo,
})

const Dns = t.Object({
  server: t.Optional(t.Nullable(t.String({ minLength: 1, maxLength: 300, description: 'a host or host:port' }))),
  record_type: t.Optional(OneOf(['A', 'AAAA', 'CNAME', 'MX', 'NS', 'TXT', 'SRV', 'CAA', 'PTR'])),
  expected: Pattern,
})

const Icmp = t.Object({})

/** Schema for the API reference; the type of the probe decides which object applies. `assertKnown` rejects other settings. */
export const SentSettings = t.Union(
  [
    t.Object(Http.properties, { title: 'HttpProbeSettings', additionalProperties: false }),
    t.Object(Tcp.properties, { title: 'TcpProbeSettings', additionalProperties: false }),
    t.Object(Dns.properties, { title: 'DnsProbeSettings', additionalProperties: false }),
    t.Object(Icmp.properties, { title: 'IcmpProbeSettings', additionalProperties: false }),
  ],
  { description: 'what the type of the probe takes' },
)

const readHttp = readerOf(t.Object({ settings: Http }))
const readTcp = readerOf(t.Object({ settings: Tcp }))
const readDns = readerOf(t.Object({ settings: Dns }))
const readIcmp = readerOf(t.Object({ settings: Icmp }))

/** Settings of an HTTP probe where they are not given. */
export const httpDefaults: HttpSettings = {
  method: 'GET',
  headers: {},
  body: null,
  expectedStatus: [],
  bodyMatches: null,
  bodyMatchesNot: null,
  bodyContains: null,
  bodyContainsNot: null,
  headerMatches: {},
  jsonConditions: [],
  responseTimeBelowMs: null,
  auth: null,
  followRedirects: true,
  verifyCertificate: true,
}

/** Settings of a TCP probe where they are not given. */
export const tcpDefaults: TcpSettings = { tls: false, auth: null, verifyCertificate: true }

/**
 * Reads settings by type. Throws the errors of an invalid body, also for a setting that the type does not have. Leaves masks in place of secrets.
 */
export const readSent = {
  http(sent: unknown): HttpSettings {
    const { settings } = readHttp({ settings: sent })
    assertKnown(sent, Http)
    return {
      method: settings.method ?? httpDefaults.method,
      headers: settings.headers ?? httpDefaults.headers,
      body: settings.body ?? httpDefaults.body,
      expectedStatus: settings.expected_status ?? httpDefaults.expectedStatus,
      bodyMatches: settings.body_matches ?? httpDefaults.bodyMatches,
      bodyMatchesNot: settings.body_matches_not ?? httpDefaults.bodyMatchesNot,
      bodyContains: settings.body_contains ?? httpDefaults.bodyContains,
      bodyContainsNot: settings.body_contains_not ?? httpDefaults.bodyContainsNot,
      headerMatches: settings.header_matches ?? httpDefaults.headerMatches,
      jsonConditions: settings.json_conditions ?? httpDefaults.jsonConditions,
      responseTimeBelowMs: settings.response_time_below_ms ?? httpDefaults.responseTimeBelowMs,
      auth: settings.auth ?? httpDefaults.auth,
      followRedirects: settings.follow_redirects ?? httpDefaults.followRedirects,
      verifyCertificate: settings.verify_certificate ?? httpDefaults.verifyCertificate,
    }
  },
  tcp(sent: unknown): TcpSettings {
    const { settings } = readTcp({ settings: sent })
    assertKnown(sent, Tcp)
    const { tls, auth, verify_certificate: verifyCertificate } = settings
    return {
      tls: tls ?? tcpDefaults.tls,
      auth: auth ?? tcpDefaults.auth,
      verifyCertificate: verifyCertificate ?? tcpDefaults.verifyCertificate,
    }
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
  icmp(sent: unknown): IcmpSettings {
    readIcmp({ settings: sent })
    assertKnown(sent, Icmp)
    return {}
  },
}

/** Rejects unknown settings, because a misspelt one would have no effect. */
function assertKnown(sent: unknown, { properties }: { properties: object }) {
  const unknown = Object.keys(Object(sent)).find((name) => !Object.hasOwn(properties, name))
  if (unknown === undefined) return
  const known = Object.keys(properties).join(', ')
  throw invalid(
    'settings',
    `must be ${known === '' ? 'empty' : `some of ${known}`}; not ${JSON.stringify(unknown.slice(0, 100))}`,
  )
}

/** Secrets of the settings of an HTTP probe, some of which a TCP probe has. */
export const secrets = ['headers.*', 'auth.basic.password', 'auth.bearer.token', 'auth.tls.key']

/** Presents settings in the form of a request, with secrets masked. */
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
        body_contains: settings.bodyContains,
        body_contains_not: settings.bodyContainsNot,
        header_matches: settings.headerMatches,
        json_conditions: settings.jsonConditions,
        response_time_below_ms: settings.responseTimeBelowMs,
        auth: settings.auth,
        follow_redirects: settings.followRedirects,
        verify_certificate: settings.verifyCertificate,
      }
    }
    case 'tcp':
      return {
        tls: probe.settings.tls,
        auth: maskSecrets(probe.settings, secrets).auth,
        verify_certificate: probe.settings.verifyCertificate,
      }
    case 'dns':
      return {
        server: probe.settings.server,
        record_type: probe.settings.recordType,
        expected: probe.settings.expected,
      }
    case 'icmp':
      return {}
  }
}
