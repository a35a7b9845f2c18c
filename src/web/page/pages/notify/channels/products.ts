import { channelSchemas } from '../../../../../notifications/channels/schemas/index.ts'
import type { ChannelSchema } from '../../../../../notifications/channels/schemas/schema.ts'
import type { ChannelField } from './fields.ts'

/** A product that notifications can be sent to. Several products may share one channel type of the API. */
export type ChannelProduct = {
  id: string
  name: string
  /** Channel type in the API. */
  type: string
  /** Instruction in one line: which value to copy from where. */
  how: string
  fields: readonly ChannelField[]
  /** Configuration values that are the same for every channel of the product. */
  preset?: Readonly<Record<string, unknown>>
  /** True if an alert opens an incident there and its recovery closes it: a test then sends both. */
  opensIncidents?: boolean
}

/** Product whose form has inputs for these keys, in this order; `more`: under "More". `id` is the type by default. */
function product(
  type: keyof typeof channelSchemas,
  {
    keys,
    more = [],
    ...rest
  }: Omit<ChannelProduct, 'id' | 'type' | 'fields'> & { id?: string; keys: string[]; more?: string[] },
): ChannelProduct {
  const schema: ChannelSchema = channelSchemas[type]
  const fields = [...keys, ...more].map((key) => ({ ...schema[key], key, isMore: more.includes(key) }))
  return { id: type, type, fields, ...rest }
}

/** A product that accepts Slack's message format. `placeholder`: example of its webhook URLs. */
function likeSlack(id: string, name: string, how: string, placeholder: string): ChannelProduct {
  const slack = product('slack', { id, name, how, keys: ['webhook_url'], more: ['channel'] })
  return {
    ...slack,
    fields: slack.fields.map((field) => (field.key === 'webhook_url' ? { ...field, placeholder } : field)),
  }
}

/** Instruction for a product. Mails need a server of the channel unless nines has one (`hasServer`). */
export function howOf({ id, how }: ChannelProduct, hasServer: boolean): string {
  return id !== 'email' || hasServer ? how : 'nines has no mail server of its own: name the one that sends these mails.'
}

/** Fields of a product's form. Those of the mail server are not under "More" where nines has none. */
export function fieldsOf({ id, fields }: ChannelProduct, hasServer: boolean): readonly ChannelField[] {
  if (id !== 'email' || hasServer) return fields
  return fields.map((field) => {
    if (field.key === 'from') return field
    return { ...field, isMore: false, ...(field.key === 'smtp_server' && { requirement: 'must be a mail server' }) }
  })
}

/** Products to choose from. If several share a type and have no preset, a stored channel counts as the first of them. */
export const products: readonly ChannelProduct[] = [
  product('email', {
    name: 'E-mail',
    how: 'Mails go through the mail server of nines, unless you name another one under More.',
    keys: ['to'],
    more: ['smtp_server', 'smtp_username', 'smtp_password', 'smtp_security', 'from'],
  }),
  likeSlack(
    'slack',
    'Slack',
    'api.slack.com/apps → your app → Incoming Webhooks → Add New Webhook → Copy',
    'https://hooks.slack.com/services/T000/B000/XXXX',
  ),
  product('teams', {
    name: 'Microsoft Teams',
    how: 'The channel → … → Workflows → Send webhook alerts to a channel → copy the URL it shows at the end',
    keys: ['webhook_url'],
  }),
  product('discord', {
    name: 'Discord',
    how: 'Channel settings → Integrations → Webhooks → New Webhook → Copy Webhook URL',
    keys: ['webhook_url'],
    more: ['username'],
  }),
  product('telegram', {
    name: 'Telegram',
    how: 'Write /newbot to @BotFather and copy the token; add the bot to the chat; @RawDataBot shows the id of the chat',
    keys: ['bot_token', 'chat_id'],
    more: ['message_thread_id', 'api_url'],
  }),
  product('google_chat', {
    name: 'Google Chat',
    how: 'The space → Apps & integrations → Webhooks → Add → copy its link',
    keys: ['webhook_url'],
  }),
  product('matrix', {
    name: 'Matrix',
    how: 'Element, as a user that is in the room: Settings → Help & About → Access Token. Messages are not encrypted',
    keys: ['homeserver_url', 'access_token', 'room_id'],
  }),
  product('ntfy', {
    name: 'ntfy',
    how: 'Choose a topic that nobody guesses, and subscribe to it in the app',
    keys: ['topic', 'server_url'],
    more: ['access_token', 'username', 'password'],
  }),
  product('gotify', {
    name: 'Gotify',
    how: 'Apps → Create application → copy its token; that of a client does not send',
    keys: ['server_url', 'app_token'],
  }),
  product('pushover', {
    name: 'Pushover',
    how: 'pushover.net → Create an Application → copy its API Token; your User Key is at the top of the same page',
    keys: ['app_token', 'user_key'],
    more: ['emergency', 'retry_seconds', 'expire_seconds', 'device', 'sound'],
  }),
  product('pagerduty', {
    name: 'PagerDuty',
    how: 'Services → the service → Integrations → Add → Events API V2 → copy the Integration Key',
    opensIncidents: true,
    keys: ['routing_key'],
    more: ['severity', 'api_url'],
  }),
  product('opsgenie', {
    name: 'Opsgenie, Jira Service Management',
    how: 'Opsgenie: Teams → Integrations → Add → API → copy the API Key. Jira: id.atlassian.com → Security → API tokens',
    opensIncidents: true,
    keys: ['mode', 'api_key', 'cloud_id', 'email', 'api_token'],
    more: ['responders', 'tags', 'priority', 'api_url'],
  }),
  likeSlack(
    'mattermost',
    'Mattermost',
    'Product menu → Integrations → Incoming Webhooks → Add → copy the URL',
    'https://mattermost.example.com/hooks/XXXX',
  ),
  likeSlack(
    'rocketchat',
    'Rocket.Chat',
    'Administration → Integrations → New → Incoming → Save → copy the Webhook URL',
    'https://chat.example.com/hooks/XXXX/YYYY',
  ),
  likeSlack(
    'zulip',
    'Zulip',
    'Settings → Integrations → Generate integration URL → Slack-compatible webhook → copy the URL',
    'https://chat.example.com/api/v1/external/slack_incoming?api_key=…',
  ),
  product('apprise', {
    name: 'Apprise API',
    how: 'Where the API is, and the key of a configuration that is kept there; or URLs of Apprise',
    keys: ['api_url', 'key', 'urls'],
    more: ['tag', 'headers'],
  }),
  product('webhook', {
    name: 'Webhook',
    how: 'The URL of your own receiver: it gets a POST with JSON, and acknowledges it with any 2xx',
    keys: ['webhook_url'],
    more: ['secret', 'headers'],
    preset: { format: 'nines' },
  }),
  product('webhook', {
    id: 'alertmanager',
    name: 'Webhook as Alertmanager sends it',
    how: 'The URL of a receiver of Alertmanager’s webhook_config',
    keys: ['webhook_url'],
    more: ['secret', 'headers'],
    preset: { format: 'alertmanager' },
  }),
]

/** A channel as the API returns it. `product`: the type under the product's name, as `slack` for `chat_hook_a`; null: it has no other name. */
type Stored = { product: string | null; channel_type: string; configuration?: unknown }

/**
 * Product of a stored channel: the first that matches its type and preset; undefined for a type that the page has no form for.
 */
export function productOf({ product, channel_type, configuration }: Stored): ChannelProduct | undefined {
  const given = (configuration ?? {}) as Record<string, unknown>
  return products.find(
    ({ type, preset = {} }) =>
      type === (product ?? channel_type) && Object.entries(preset).every(([key, value]) => given[key] === value),
  )
}
