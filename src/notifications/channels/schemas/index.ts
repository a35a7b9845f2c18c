import { discord, googleChat, matrix, slack, teams, telegram } from './chat.ts'
import { email, webhook } from './email-and-webhook.ts'
import { opsgenie, pagerduty } from './incident.ts'
import { apprise, gotify, ntfy, pushover } from './push.ts'

/** Schemas by product (`slack` for the type `chat_hook_a`), or, where a channel type has no product name, by the type (`email`). */
export const channelSchemas = {
  email,
  slack,
  discord,
  telegram,
  webhook,
  pagerduty,
  opsgenie,
  ntfy,
  teams,
  gotify,
  matrix,
  apprise,
  pushover,
  google_chat: googleChat,
} as const
