import type { Clock } from '../clock.ts'
import { type AuditEvent, recordAudit } from '../db/audit.ts'
import type { Database, Db } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { type ChannelRow, flag } from '../db/tables/tables.ts'
import { invalid } from '../errors.ts'
import type { Caller } from '../http/signed-in.ts'
import type { ChannelCreation, ChannelUpdate } from './channel-model.ts'
import { confirmRecipients } from './channel-mail.ts'
import { deleteChannel, failPending, getChannel, insertChannel, updateChannel } from './channel-store.ts'
import type { ChannelDeps, ConfigurationInput } from './channels/channel.ts'
import { openConfiguration, readChannelType, readConfiguration, sealConfiguration } from './configurations.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; channels: ChannelDeps }

const isNew = { failures: 0, failing_since: null, last_error: null, paused_until: null }

export async function createChannel(
  { db, clock, seal, channels }: Deps,
  caller: Caller,
  requested: ChannelCreation,
): Promise<ChannelRow> {
  const given = readGiven(requested)
  const { name: channel_type, type } = readChannelType(requested.channel_type)
  if (!given) throw invalid('configuration', 'must be an object')
  const configuration = readConfiguration(type, given, null)
  const nowMs = clock.now()
  const created = await db.write.transaction().execute(async (trx) => {
    const unsealed = await insertChannel(trx, {
      ...isNew,
      organization_id: caller.organizationId,
      name: requested.name,
      channel_type,
      sealed_configuration: '',
      enabled: flag(requested.enabled ?? true),
      max_retries: requested.max_retries ?? 3,
      last_success_at: null,
      created_at: nowMs,
      updated_at: nowMs,
    })
    const channel = await updateChannel(trx, caller.organizationId, unsealed.id, {
      sealed_configuration: sealConfiguration(seal, configuration, unsealed),
    })
    await record(trx, caller, 'channel_created', channel, {}, nowMs)
    return channel
  })
  await confirmRecipients({ seal, channels }, created)
  return created
}

/**
 * Changes only the given fields; a configuration is replaced as a whole. A changed configuration, or enabling the channel,
 * resets its health. Disabling a channel fails its pending notifications.
 */
export async function changeChannel(
  { db, clock, seal, channels }: Deps,
  caller: Caller,
  id: number,
  requested: ChannelUpdate,
): Promise<ChannelRow> {
  const { organizationId } = caller
  if (Object.keys(requested).length === 0) throw invalid('body', 'must have at least one field of a channel')
  const given = readGiven(requested)
  const changed = await db.write.transaction().execute(async (trx) => {
    const before = await getChannel(trx, organizationId, id)
    const { name = before.name, max_retries = before.max_retries } = requested
    const { name: channel_type, type } = readChannelType(requested.channel_type ?? before.channel_type)
    if (channel_type !== before.channel_type && !given)
      throw invalid('configuration', `must be that of a ${channel_type}`)
    const stored = openConfiguration(seal, before)
    const configuration = given ? readConfiguration(type, given, stored) : stored.configuration
    const isOther = type !== stored.type || !Bun.deepEquals(configuration, stored.configuration)
    const enabled = flag(requested.enabled ?? before.enabled === 1)
    const nowMs = clock.now()
    const channel = await updateChannel(trx, organizationId, id, {
      name,
      channel_type,
      max_retries,
      enabled,
      ...(isOther && { sealed_configuration: sealConfiguration(seal, configuration, before), last_success_at: null }),
      ...((isOther || enabled > before.enabled) && isNew),
      updated_at: nowMs,
    })
    if (enabled < before.enabled) await failPending(trx, id, 'the channel was disabled', nowMs)
    await record(trx, caller, 'channel_changed', channel, { configuration_changed: isOther }, nowMs)
    return channel
  })
  await confirmRecipients({ seal, channels }, changed)
  return changed
}

/** Deletes a channel with its rules, and fails its pending notifications. */
export async function removeChannel(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  caller: Caller,
  id: number,
): Promise<void> {
  const nowMs = clock.now()
  await db.write.transaction().execute(async (trx) => {
    const channel = await getChannel(trx, caller.organizationId, id)
    await failPending(trx, id, 'the channel was deleted', nowMs)
    await deleteChannel(trx, caller.organizationId, id)
    await record(trx, caller, 'channel_deleted', channel, {}, nowMs)
  })
}

/** Reads the configuration by either of its names; undefined if neither is present. */
function readGiven({
  configuration,
  config,
}: Pick<ChannelUpdate, 'configuration' | 'config'>): ConfigurationInput | undefined {
  if (configuration !== undefined && config !== undefined && !Bun.deepEquals(configuration, config)) {
    throw invalid('config', 'must be the same as configuration, or only one of them')
  }
  const given = configuration ?? config
  if (configuration === undefined && config === undefined) return undefined
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(configuration === undefined ? 'config' : 'configuration', 'must be an object')
  }
  return given as ConfigurationInput
}

/** Records a channel event in the audit log, without configurations: only whether one changed. */
async function record(
  trx: Db,
  caller: Caller,
  event: AuditEvent,
  { id, name, channel_type, enabled, max_retries }: ChannelRow,
  also: { configuration_changed?: boolean },
  nowMs: number,
): Promise<void> {
  const details = { id, name, channel_type, enabled: enabled === 1, max_retries, ...also }
  await recordAudit(trx, caller, { event, details }, nowMs)
}
