/** A type of channel as people know it: several products take the messages of one type of the API. */
export type ChannelProduct = {
  id: string
  name: string
  /** As it is sent to the API. */
  type: string
}

export const products: ChannelProduct[] = [
  { id: 'email', name: 'E-mail', type: 'email' },
  { id: 'slack', name: 'Slack', type: 'slack' },
  { id: 'discord', name: 'Discord', type: 'discord' },
  { id: 'telegram', name: 'Telegram', type: 'telegram' },
  { id: 'pagerduty', name: 'PagerDuty', type: 'pagerduty' },
  { id: 'opsgenie', name: 'Opsgenie', type: 'opsgenie' },
  { id: 'webhook', name: 'Webhook', type: 'webhook' },
]

/** The product of a stored channel; what the page does not know keeps the name of its type. */
export function productOf({ product, channel_type }: { product: string | null; channel_type: string }): ChannelProduct {
  const type = product ?? channel_type
  return products.find((one) => one.type === type) ?? { id: type, name: type, type }
}
