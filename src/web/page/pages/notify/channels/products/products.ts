import { chats, slack, slackLike } from './chat.ts'
import { email, webhooks } from './direct.ts'
import { incidentTools } from './incident.ts'
import { apprise, pushes, rooms, teams } from './push.ts'
import type { ChannelProduct } from './product.ts'

/** All that can be chosen; of those of one type, the one that stands for what is stored comes first. */
export const products: readonly ChannelProduct[] = [
  email,
  slack,
  teams,
  ...chats,
  ...rooms,
  ...pushes,
  ...incidentTools,
  ...slackLike,
  apprise,
  ...webhooks,
]

type Stored = { product: string | null; channel_type: string; configuration?: unknown }

/** The product of a stored channel: the first whose type and preset it has; undefined for a type that the page does not know. */
export function productOf({ product, channel_type, configuration }: Stored): ChannelProduct | undefined {
  const given = (configuration ?? {}) as Record<string, unknown>
  return products.find(
    ({ type, preset = {} }) =>
      type === (product ?? channel_type) && Object.entries(preset).every(([key, value]) => given[key] === value),
  )
}
