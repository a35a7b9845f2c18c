import type { Seal, SealedRow } from '../db/sealing/seal.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { AppError, invalid } from '../errors.ts'
import { withoutReserved } from '../http/headers/request-headers.ts'
import { keepSecrets, maskSecrets, type SecretPaths } from '../http/secrets.ts'
import type { ChannelType, ConfigurationInput } from './channels/channel.ts'
import { tlsSecret, urlsOf } from './channels/channel-tls.ts'
import { invalidField } from './channels/configuration.ts'
import { channelTypes } from './channels/index.ts'

/** Configuration with its secrets in plain text. */
export type Opened = { type: ChannelType; configuration: ConfigurationInput }

/** Names of the channel types in requests: the name of the product, where there is one. */
const typeNames = Object.entries(channelTypes).map(([name, { product }]) => product ?? name)

/** Channel type by its name or by its product; `name` is the stored name. Throws `invalid`, listing the valid names. */
export function readChannelType(typeName: string): { name: string; type: ChannelType } {
  const entry = Object.entries(channelTypes).find(([name, { product }]) => name === typeName || product === typeName)
  if (!entry) throw invalid('channel_type', `must be one of ${typeNames.join(', ')}`)
  return { name: entry[0], type: entry[1] }
}

/** Sealed configuration of a channel, or a copy of one. */
export type Sealed = SealedRow & Pick<ChannelRow, 'channel_type' | 'sealed_configuration'>

/** Opens a sealed configuration. Throws if the sealing key is no longer available, or if it was sealed for another channel. */
export function openConfiguration(seal: Seal, channel: Sealed): Opened {
  const { channel_type, sealed_configuration } = channel
  const type = Object.hasOwn(channelTypes, channel_type) ? channelTypes[channel_type] : undefined
  if (!type) throw new AppError('internal', `No channel type ${channel_type}`)
  const text = seal.unseal(sealed_configuration, 'channels.sealed_configuration', channel)
  const { headers: stored, ...others } = JSON.parse(text) as ConfigurationInput
  const headers = withoutReserved((stored ?? {}) as ConfigurationInput)
  return { type, configuration: { ...others, ...(Object.keys(headers).length > 0 && { headers }) } }
}

/** Paths to the secrets of a configuration: secret fields, each a text or an object of texts, and the key of its certificate. */
function secretsOf(type: ChannelType): SecretPaths {
  return [...type.secrets.flatMap((field) => [field, `${field}.*`]), tlsSecret]
}

/** Masks every secret of a configuration; scheme and host of a secret URL stay visible. */
export function maskConfiguration({ type, configuration }: Opened): ConfigurationInput {
  return maskSecrets(configuration, secretsOf(type))
}

/**
 * Reads a configuration from a request, with stored secrets in place of masks. Throws `invalid` for a mask without a stored
 * secret, and for one whose secret would be sent to a new place: another type of channel, or another destination.
 */
export function readConfiguration(
  type: ChannelType,
  input: ConfigurationInput,
  stored: Opened | null,
): ConfigurationInput {
  const previous: ConfigurationInput = stored?.type === type ? stored.configuration : {}
  const { value, kept: keptPaths } = keepSecrets(input, previous, secretsOf(type), needsSecret)
  const configuration = type.read(value)
  const isMoved = type.destinations.some((key) => !Bun.deepEquals(configuration[key], previous[key]))
  if (isMoved && keptPaths[0] !== undefined) throw needsSecret(keptPaths[0])
  const originsOf = (one: ConfigurationInput) => urlsOf(type.schema, one).map((url) => URL.parse(url)?.origin)
  if (keptPaths.includes(tlsSecret) && !Bun.deepEquals(originsOf(configuration), originsOf(previous)))
    throw needsSecret(tlsSecret)
  return configuration
}

function needsSecret(field: string): AppError {
  return invalidField(field, 'must be the secret itself, not its mask: none is stored for this type and destination')
}
