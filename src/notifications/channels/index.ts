import { telegram } from './chat/telegram.ts'
import type { ChannelType } from './channel.ts'
import { slack } from './chat/slack.ts'
import { discord } from './chat/discord.ts'
import { email } from './email/email.ts'
import { pagerduty } from './incident/pagerduty.ts'
import { opsgenie } from './incident/opsgenie.ts'
import { googleChat } from './chat/google-chat.ts'
import { matrix } from './chat/matrix.ts'
import { teams } from './chat/teams.ts'
import { apprise } from './push/apprise.ts'
import { gotify } from './push/gotify.ts'
import { ntfy } from './push/ntfy.ts'
import { pushover } from './push/pushover.ts'
import { webhook } from './webhook.ts'

/** Channel types by their name in the API and in the database. To add one, create a file in a folder here and list it below. */
export const channelTypes: Readonly<Record<string, ChannelType>> = {
  email,
  chat_hook_a: slack,
  chat_hook_b: discord,
  bot_chat: telegram,
  webhook,
  incident_a: pagerduty,
  incident_b: opsgenie,
  ntfy,
  teams,
  gotify,
  matrix,
  apprise,
  pushover,
  google_chat: googleChat,
}

export const products = Object.values(channelTypes).flatMap(({ product }) => product ?? [])
