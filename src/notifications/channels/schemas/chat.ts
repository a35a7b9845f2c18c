import { accessToken, apiUrl, type ChannelSchema, serverUrl, webhookUrl } from './schema.ts'

export const slack = {
  webhook_url: { ...webhookUrl, requirement: 'must be the URL of an incoming webhook' },
  channel: { max: 100, label: 'Channel', hint: 'Where it is not the one of the webhook.', placeholder: '#oncall' },
} as const satisfies ChannelSchema

export const discord = {
  webhook_url: {
    ...webhookUrl,
    requirement: 'must be the URL of a webhook',
    placeholder: 'https://discord.com/api/webhooks/4242/XXXX',
  },
  username: {
    max: 80,
    pattern: [/^(?!.*(?:clyde|discord))/is, 'must be a name without "clyde" and "discord", which the receiver refuses'],
    label: 'Shown as',
    placeholder: 'nines',
  },
} as const satisfies ChannelSchema

const botToken = 'must be the token of a bot, as in 123456:AAEx…'
export const telegram = {
  bot_token: {
    requirement: botToken,
    pattern: [/^\d+:[A-Za-z0-9_-]+$/, botToken],
    isSecret: true,
    label: 'Bot token',
    placeholder: '123456789:AA…',
  },
  chat_id: {
    requirement: 'must be the id of a chat, a whole number of at most 52 bits, or its @name',
    label: 'Chat id',
    hint: 'That of a group begins with a minus.',
    placeholder: '-1001234567890',
  },
  message_thread_id: { label: 'Topic id', placeholder: '7' },
  api_url: { ...apiUrl, default: 'https://api.telegram.org', hint: 'Of a Bot API server of your own.' },
} as const satisfies ChannelSchema

export const teams = {
  webhook_url: {
    ...webhookUrl,
    requirement: 'must be the URL of a workflow of Teams',
    placeholder: 'https://prod-00.westeurope.logic.azure.com:443/workflows/…',
  },
} as const satisfies ChannelSchema

export const googleChat = {
  webhook_url: {
    ...webhookUrl,
    requirement: 'must be the URL of a webhook of a space',
    placeholder: 'https://chat.googleapis.com/v1/spaces/…',
  },
} as const satisfies ChannelSchema

const roomId = 'must be the id of a room, which begins with ! (in Element: room settings, Advanced)'
export const matrix = {
  homeserver_url: {
    ...serverUrl,
    requirement: 'must be the URL of the homeserver',
    label: 'Homeserver',
    placeholder: 'https://matrix.example.org',
  },
  access_token: {
    ...accessToken,
    requirement: 'must be the access token of the user that sends',
    placeholder: 'syt_…',
  },
  room_id: {
    requirement: roomId,
    pattern: [/^![^\s/]{1,254}$/, roomId],
    label: 'Room id',
    hint: 'Room settings → Advanced shows it.',
    placeholder: '!abcdefg:example.org',
  },
} as const satisfies ChannelSchema
