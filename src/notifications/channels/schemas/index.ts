import { discord, googleChat, matrix, slack, teams, telegram } from './chat.ts'
import { email, webhook } from './email-and-webhook.ts'
import { opsgenie, pagerduty } from './incident.ts'
import { apprise, gotify, ntfy, pushover } from './push.ts'

/** Schemas by product: its name in the API, or the name of its channel type. */
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
