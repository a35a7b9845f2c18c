import type { Seal, SealedRow } from '../db/sealing/seal.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { AppError, invalid } from '../errors.ts'
import { withoutReserved } from '../http/headers/request-headers.ts'
import type { ChannelType, Given } from './channels/channel.ts'
import { wrong } from './channels/configuration.ts'
import { channelTypes, products } from './channels/index.ts'

/** Shown in place of every secret; sent back, it leaves the stored one as it is. */
export const mask = '********'

/** A configuration as its type keeps it, secrets and all. */
export type Opened = { type: ChannelType; configuration: Given }

/** A type by its name or by that of its product; `name` is what is stored. Throws `invalid`, naming those there are. */
export function readChannelType(given: string): { name: string; type: ChannelType } {
  const found = Object.entries(channelTypes).find(([name, { product }]) => name === given || product === given)
  if (!found) throw invalid('channel_type', `must be one of ${[...Object.keys(channelTypes), ...products].join(', ')}`)
  return { name: found[0], type: found[1] }
}

/** What a channel sends with: as it is stored there, or as it was copied from there. */
export type Sealed = SealedRow & Pick<ChannelRow, 'channel_type' | 'sealed_configuration'>

/** Throws where the key that sealed it is gone, and where it was sealed for another channel than the one named. */
export function openConfiguration(seal: Seal, channel: Sealed): Opened {
  const { channel_type, sealed_configuration } = channel
  const type = Object.hasOwn(channelTypes, channel_type) ? channelTypes[channel_type] : undefined
  if (!type) throw new AppError('internal', `No channel type ${channel_type}`)
  const text = seal.unseal(sealed_configuration, 'channels.sealed_configuration', channel)
  const { headers: stored, ...others } = JSON.parse(text) as Given
  const headers = withoutReserved(textsOf(stored) ?? {})
  return { type, configuration: { ...others, ...(Object.keys(headers).length > 0 && { headers }) } }
}

/** For the channel it is stored with, and no other. */
export function sealConfiguration(seal: Seal, configuration: Given, channel: SealedRow): string {
  return seal.seal(JSON.stringify(configuration), 'channels.sealed_configuration', channel)
}

/** The same with every secret masked; of a secret URL, scheme and host stay. */
export function maskConfiguration({ type, configuration }: Opened): Given {
  const secrets = type.secrets.filter((key) => configuration[key] !== undefined)
  const shown = secrets.map((key) => [key, mapTexts(configuration[key], (text) => masked(key, text))])
  return { ...configuration, ...Object.fromEntries(shown) }
}

/**
 * Reads what a caller sent, with the stored secrets where masks came back. Throws `invalid` for a mask with nothing behind
 * it, and for one whose secret would go elsewhere than before: to another type of channel, or another destination.
 */
export function readConfiguration(type: ChannelType, given: Given, stored: Opened | null): Given {
  const before: Given = stored?.type === type ? stored.configuration : {}
  const kept: string[] = []
  const whole = { ...given }
  for (const key of type.secrets) {
    whole[key] = mapTexts(given[key], (text, name) => {
      if (text !== mask && !maskedUrl.test(text)) return text
      const secret = name === undefined ? before[key] : textsOf(before[key])?.[name]
      const path = name === undefined ? key : `${key}.${name}`
      if (typeof secret !== 'string' || (text !== mask && text !== masked(key, secret))) throw wrong(path, again)
      kept.push(path)
      return secret
    })
  }
  const configuration = type.read(whole)
  const isMoved = type.destinations.some((key) => !Bun.deepEquals(configuration[key], before[key]))
  if (isMoved && kept[0] !== undefined) throw wrong(kept[0], again)
  return configuration
}

const again = 'must be the secret itself: none is stored for this type and destination'
const maskedUrl = /^https?:\/\/[^/]+\/\*{8}$/i

function masked(key: string, text: string): string {
  const url = /(?:^|_)url$/.test(key) ? URL.parse(text) : null
  return url ? `${url.origin}/${mask}` : mask
}

/** Changes a text, or each of a record of texts; all else stays for `read` to refuse. */
function mapTexts(value: unknown, change: (text: string, name?: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  const texts = Object.entries(textsOf(value) ?? {})
  if (texts.length === 0) return value
  return Object.fromEntries(texts.map(([name, text]) => [name, typeof text === 'string' ? change(text, name) : text]))
}

function textsOf(value: unknown): Given | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : undefined
}
