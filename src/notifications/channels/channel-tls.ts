import { invalid } from '../../errors.ts'
import { assertPair, assertTls, type EndpointTls, readConfiguredTls } from '../../http/endpoint-tls.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { ChannelSchema } from './schemas/schema.ts'

type ConfigurationInput = Readonly<Record<string, unknown>>

/** Key of a configuration with an `EndpointTls`, for each type that sends by HTTP. */
const key = 'tls'

const field = `configuration.${key}`

/** Path to the secret of `tls` in a configuration. */
export const tlsSecret = `${key}.key`

/**
 * Reads `tls` of a configuration; null: it has none. `urls`: addresses that the configuration names; a type that names none sends to
 * an https URL of its own. Throws `invalid` for certificates that do not belong together, and for `http:`.
 */
export function readTls(input: ConfigurationInput, urls: readonly string[]): EndpointTls | null {
  const sent = input[key]
  if (sent === undefined || sent === null) return null
  const tls = readConfiguredTls(sent)
  if (urls[0] === undefined) assertPair(tls, field)
  else assertTls(tls, field, urls[0])
  return tls
}

/** Throws `invalid` for `tls` in the configuration of a type that does not send by HTTP. */
export function refuseTls(input: ConfigurationInput): void {
  if (input[key] === undefined || input[key] === null) return
  throw invalid(field, 'is only for channels that send to a URL; mail servers are trusted by EXTRA_CA_FILE')
}

/** Addresses of a configuration: values of the fields of its schema that are URLs. */
export function urlsOf(schema: ChannelSchema, configuration: ConfigurationInput): string[] {
  return Object.entries(schema).flatMap(([name, { kind }]) => {
    const value = kind === 'url' || kind === 'base_url' ? configuration[name] : undefined
    return typeof value === 'string' ? [value] : []
  })
}

/** Outbound requests with the certificates of a configuration, if it has some. */
export function withTls(outbound: Outbound, configuration: ConfigurationInput): Outbound {
  const tls = configuration[key] as EndpointTls | undefined // read by `readTls` before it was stored
  return tls ? { ...outbound, fetch: async (url, request) => outbound.fetch(url, { ...request, tls }) } : outbound
}
