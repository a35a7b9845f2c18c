import { botChat } from './bot-chat.ts'
import type { ChannelType } from './channel.ts'
import { chatHookA } from './chat-hook-a.ts'
import { chatHookB } from './chat-hook-b.ts'
import { email } from './email.ts'
import { incidentA } from './incident-a.ts'
import { incidentB } from './incident-b.ts'
import { webhook } from './webhook.ts'

/** Every type of channel by its name in the API: a new one is a file beside this one, and a line here. */
export const channelTypes: Readonly<Record<string, ChannelType>> = {
  email,
  chat_hook_a: chatHookA,
  chat_hook_b: chatHookB,
  bot_chat: botChat,
  webhook,
  incident_a: incidentA,
  incident_b: incidentB,
}
