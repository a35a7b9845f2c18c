import { type Static, t } from 'elysia'
import { isoTime, isoTimeOrNull } from '../clock.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { ChannelRow } from '../db/tables/tables.ts'
import { Anything, BodyId, Name, OneOf, Text, WholeNumber } from '../http/schemas.ts'
import type { ChannelMail } from './channel-mail.ts'
import { channelTypes, products } from './channels/index.ts'
import { channelExamples } from './channels/schemas/examples.ts'
import { maskConfiguration, openConfiguration } from './configurations.ts'

/** Retry policies; there is only one. */
const retryPolicies = ['exponential_backoff'] as const

const Configuration = t.Record(t.String(), t.Unknown(), {
  description:
    'what the type of channel needs; of configuration and config one is enough. Every type but email also takes ' +
    '`tls` with `ca`, `certificate` and `key` as PEM: certificates for its receiver',
})

const optional = {
  configuration: t.Optional(Anything(Configuration)), // read by `readInput` (edit-channels.ts): Elysia would change the record
  config: t.Optional(Anything(Configuration)),
  enabled: t.Optional(t.Boolean({ description: 'true or false' })),
  is_default: t.Optional(t.Boolean({ description: 'true or false' })),
  max_retries: t.Optional(WholeNumber({ min: 0, max: 100 })),
  retry_policy: t.Optional(OneOf(retryPolicies)),
}

/** Channel type as text; `readChannelType` checks it against the table of types. */
const ChannelTypeName = t.String({
  description: 'the type of the channel',
  described: {
    type: 'string',
    enum: [...Object.keys(channelTypes), ...products],
    description:
      'the type of the channel, or the product that it is for: `slack` is stored and returned as `chat_hook_a`',
  },
})

export const ChannelCreation = t.Object(
  { name: Name({ max: 200 }), channel_type: ChannelTypeName, ...optional },
  {
    title: 'ChannelCreation',
    examples: [
      { name: 'On call', channel_type: 'webhook', configuration: { webhook_url: 'https://hooks.example/nines' } },
      {
        name: 'Inside',
        channel_type: 'webhook',
        configuration: {
          webhook_url: 'https://alerts.internal/nines',
          tls: { ca: '-----BEGIN CERTIFICATE-----\nMIIB…\n-----END CERTIFICATE-----' },
        },
      },
      ...channelExamples,
    ],
  },
)

export const ChannelUpdate = t.Object(
  {
    name: t.Optional(Name({ max: 200 })),
    channel_type: t.Optional(ChannelTypeName),
    ...optional,
  },
  { title: 'ChannelUpdate', examples: [{ enabled: false }] },
)

export const TestMessage = t.Object(
  {
    channel_id: BodyId('channel'),
    subject: Text({ max: 200 }),
    message: Text({ max: 4000, lines: 'many' }),
    event: t.Optional(OneOf(['alert', 'recovery', 'both'])),
  },
  { title: 'TestMessage', examples: [{ channel_id: 1, subject: 'Test', message: 'This is a test.' }] },
)

export type ChannelCreation = Static<typeof ChannelCreation>
export type ChannelUpdate = Static<typeof ChannelUpdate>
export type TestMessage = Static<typeof TestMessage>

const Health = t.Object({
  status: OneOf(['healthy', 'unhealthy', 'untested']),
  consecutive_failures: t.Number(),
  failing_since: t.Nullable(t.String()),
  last_error: t.Nullable(t.String()),
  last_success_at: t.Nullable(t.String()),
  paused_until: t.Nullable(t.String()),
})

/** Response fields of an e-mail channel that uses the instance's mail server: sender and recipients. */
const mail = {
  from: t.Optional(t.String()),
  reply_to: t.Optional(t.Nullable(t.String())),
  recipients: t.Optional(
    t.Array(t.Object({ address: t.String(), status: OneOf(['confirmed', 'pending', 'declined']) })),
  ),
  warning: t.Optional(t.String()),
}

const Channel = t.Object(
  {
    id: t.Number(),
    organization_id: t.Number(),
    name: t.String(),
    channel_type: t.String(),
    product: t.Nullable(t.String(), {
      description:
        'the product that the type of the channel is for: `slack` for `chat_hook_a`; null if the type itself has the name of the product, and for mail and webhooks',
    }),
    configuration: Anything(Configuration),
    config: Anything(Configuration),
    enabled: t.Boolean(),
    is_default: t.Boolean({
      description:
        'true: notified of all SLOs, without rules, when one is down, a tier fires or no budget remains, and of the end',
    }),
    max_retries: t.Number(),
    retry_policy: OneOf(retryPolicies),
    health: Health,
    ...mail,
    created_at: t.String(),
    updated_at: t.String(),
  },
  { title: 'Channel' },
)

export const ChannelResponse = t.Object({ success: t.Literal(true), data: Channel })
export const ChannelListResponse = t.Object({ success: t.Literal(true), count: t.Number(), data: t.Array(Channel) })
export const ChannelChangedResponse = t.Object({ success: t.Literal(true), message: t.String(), data: Channel })
export const ChannelDeletedResponse = t.Object({ success: t.Literal(true), message: t.String() })
export const TestResponse = t.Object({
  success: t.Literal(true),
  message: t.String(),
  data: t.Object({
    channel_id: t.Number(),
    status: OneOf(['sent', 'delivered']),
    delivered_at: t.Nullable(t.String()),
  }),
})

/** Consecutive failures from which a channel is unhealthy. */
const unhealthyFrom = 3

/** Channel as the API returns it: secrets masked, the configuration under both of its names. */
export function presentChannel(seal: Seal, row: ChannelRow, mail?: ChannelMail): Static<typeof Channel> {
  const opened = openConfiguration(seal, row)
  const configuration = maskConfiguration(opened)
  return {
    id: row.id,
    organization_id: row.organization_id,
    name: row.name,
    channel_type: row.channel_type,
    product: opened.type.product,
    configuration,
    config: configuration,
    enabled: row.enabled === 1,
    is_default: row.is_default === 1,
    max_retries: row.max_retries,
    retry_policy: 'exponential_backoff',
    health: {
      status: healthOf(row),
      consecutive_failures: row.failures,
      failing_since: isoTimeOrNull(row.failing_since),
      last_error: row.last_error,
      last_success_at: isoTimeOrNull(row.last_success_at),
      paused_until: isoTimeOrNull(row.paused_until),
    },
    ...mail,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

type Health = Static<typeof Health>['status']

/** Health of a channel. `untested`: nothing was delivered yet, and there are fewer than three failures. */
export function healthOf({ failures, last_success_at }: Pick<ChannelRow, 'failures' | 'last_success_at'>): Health {
  if (failures >= unhealthyFrom) return 'unhealthy'
  return last_success_at === null ? 'untested' : 'healthy'
}
