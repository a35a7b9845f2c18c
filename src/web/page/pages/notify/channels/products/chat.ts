import type { ChannelField } from '../fields.ts'
import { apiUrl, type ChannelProduct, hookField } from './product.ts'

const slackChannel: ChannelField = {
  key: 'channel',
  label: 'Channel',
  hint: 'Where it is not the one of the webhook.',
  placeholder: '#oncall',
  isOptional: true,
  isMore: true,
}

/** A product that accepts Slack's message format. */
const likeSlack = (id: string, name: string, how: string, placeholder: string): ChannelProduct => ({
  id,
  name,
  type: 'slack',
  how,
  fields: [hookField(placeholder), slackChannel],
})

export const slack: ChannelProduct = likeSlack(
  'slack',
  'Slack',
  'api.slack.com/apps → your app → Incoming Webhooks → Add New Webhook → Copy',
  'https://hooks.slack.com/services/T000/B000/XXXX',
)

/** Chats with a channel type in the API. */
export const chats: readonly ChannelProduct[] = [
  {
    id: 'discord',
    name: 'Discord',
    type: 'discord',
    how: 'Channel settings → Integrations → Webhooks → New Webhook → Copy Webhook URL',
    fields: [
      hookField('https://discord.com/api/webhooks/4242/XXXX'),
      { key: 'username', label: 'Shown as', placeholder: 'nines', isOptional: true, isMore: true },
    ],
  },
  {
    id: 'telegram',
    name: 'Telegram',
    type: 'telegram',
    how: 'Write /newbot to @BotFather and copy the token; add the bot to the chat; @RawDataBot shows the id of the chat',
    fields: [
      { key: 'bot_token', label: 'Bot token', kind: 'secret', placeholder: '123456789:AA…' },
      { key: 'chat_id', label: 'Chat id', hint: 'That of a group begins with a minus.', placeholder: '-1001234567890' },
      { key: 'message_thread_id', label: 'Topic id', placeholder: '7', isOptional: true, isMore: true },
      apiUrl('https://api.telegram.org', 'Of a Bot API server of your own.'),
    ],
  },
]

/** Chats that accept Slack's message format. */
export const slackLike: readonly ChannelProduct[] = [
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
]
