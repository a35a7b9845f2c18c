import { chats, slack, slackLike } from './chat.ts'
import { email, webhooks } from './direct.ts'
import { incidentTools } from './incident.ts'
import { apprise, pushes, rooms, teams } from './push.ts'
import type { ChannelProduct } from './product.ts'

/** Products to choose from. If several share a type and have no preset, a stored channel counts as the first of them. */
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
