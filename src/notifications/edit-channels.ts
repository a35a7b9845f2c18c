import type { Clock } from '../clock.ts'
import type { Database, Db } from '../db/open.ts'
import { sealedEdits } from '../db/sealed-edits.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { type ChannelRow, flag } from '../db/tables/tables.ts'
import { AppError, invalid, readAll } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import type { ChannelCreation, ChannelUpdate } from './channel-model.ts'
import { confirmRecipients } from './channel-mail.ts'
import { channelRows, countDefaultChannels, failPending } from './channel-store.ts'
import type { ChannelDeps, ConfigurationInput } from './channels/channel.ts'
import { openConfiguration, readChannelType, readConfiguration } from './configurations.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; channels: ChannelDeps }

/** The audit log records that a configuration changed, not its contents. */
const edits = sealedEdits(channelRows, {
  sealed: 'sealed_configuration',
  event: 'channel',
  audited: ({ id, name, channel_type, enabled, is_default, max_retries }) => ({
    id,
    name,
    channel_type,
    enabled: enabled === 1,
    is_default: is_default === 1,
    max_retries,
  }),
})

const newHealth = { failures: 0, failing_since: null, last_error: null, paused_until: null }

export async function createChannel(deps: Deps, caller: Caller, requested: ChannelCreation): Promise<ChannelRow> {
  const [input, { name: channel_type, type }] = readAll(
    () => readInput(requested),
    () => readChannelType(requested.channel_type),
  )
  if (!input) throw invalid('configuration', 'is required: an object')
  const configuration = readConfiguration(type, input, null)
  const { name, enabled = true, is_default = false, max_retries = 3 } = requested
  const flags = { enabled: flag(enabled), is_default: flag(is_default) }
  const columns = { ...newHealth, ...flags, name, channel_type, max_retries, last_success_at: null }
  const created = await edits.create(deps, caller, async (trx) => {
    if (is_default) await assertRoom(trx, caller.organizationId)
    return { columns, secret: configuration }
  })
  await confirmRecipients(deps, created)
  return created
}

/**
 * Changes only the given fields; a configuration is replaced as a whole. A changed configuration, or enabling the channel,
 * resets its health. Disabling a channel fails its pending notifications.
 */
export async function changeChannel(
  deps: Deps,
  caller: Caller,
  id: number,
  requested: ChannelUpdate,
): Promise<ChannelRow> {
  const input = readInput(requested)
  const changed = await edits.change(deps, caller, { id, update: requested }, async (before, trx, nowMs) => {
    const { name = before.name, max_retries = before.max_retries } = requested
    const { name: channel_type, type } = readChannelType(requested.channel_type ?? before.channel_type)
    if (channel_type !== before.channel_type && !input)
      throw invalid('configuration', `must have the fields of a ${channel_type} channel`)
    const stored = openConfiguration(deps.seal, before)
    const configuration = input ? readConfiguration(type, input, stored) : stored.configuration
    const isOther = type !== stored.type || !Bun.deepEquals(configuration, stored.configuration)
    const enabled = flag(requested.enabled ?? before.enabled === 1)
    const is_default = flag(requested.is_default ?? before.is_default === 1)
    if (is_default > before.is_default) await assertRoom(trx, caller.organizationId)
    if (enabled < before.enabled) await failPending(trx, id, 'the channel was disabled', nowMs)
    const columns = {
      name,
      channel_type,
      max_retries,
      enabled,
      is_default,
      ...(isOther && { last_success_at: null }),
      ...((isOther || enabled > before.enabled) && newHealth),
    }
    return { columns, ...(isOther && { secret: configuration }), also: { configuration_changed: isOther } }
  })
  await confirmRecipients(deps, changed)
  return changed
}

/** Maximum number of default channels of an organization: each is notified of every SLO. */
const maxDefaultChannels = 20

async function assertRoom(trx: Db, organizationId: number): Promise<void> {
  if ((await countDefaultChannels(trx, organizationId)) < maxDefaultChannels) return
  const details = `An organization may have at most ${maxDefaultChannels} default channels`
  throw new AppError('conflict', 'Too many default channels', { details })
}

/** Deletes a channel with its rules, and fails its pending notifications. */
export async function removeChannel(deps: Pick<Deps, 'db' | 'clock'>, caller: Caller, id: number): Promise<void> {
  await edits.remove(deps, caller, id, (_, trx, nowMs) => failPending(trx, id, 'the channel was deleted', nowMs))
}

/** Reads the configuration by either of its names; undefined if neither is present. */
function readInput({
  configuration,
  config,
}: Pick<ChannelUpdate, 'configuration' | 'config'>): ConfigurationInput | undefined {
  if (configuration !== undefined && config !== undefined && !Bun.deepEquals(configuration, config)) {
    throw invalid('config', 'cannot differ from configuration: send one of the two')
  }
  const input = configuration ?? config
  if (configuration === undefined && config === undefined) return undefined
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(configuration === undefined ? 'config' : 'configuration', 'must be an object')
  }
  return input as ConfigurationInput
}
