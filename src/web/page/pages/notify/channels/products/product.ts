import type { ChannelField } from '../fields.ts'

/** A type of channel as people know it: several products take the messages of one type of the API. */
export type ChannelProduct = {
  id: string
  name: string
  /** As it is sent to the API. */
  type: string
  /** What to paste from where, in one line. */
  how: string
  fields: readonly ChannelField[]
  /** What of a configuration is the same for all of the product. */
  preset?: Readonly<Record<string, unknown>>
  /** Whether an alert opens something there that its recovery closes: a test then sends both. */
  opensIncidents?: boolean
}

/** The URL of a webhook, which is the credential. */
export const hookField = (placeholder: string): ChannelField => ({
  key: 'webhook_url',
  label: 'Webhook URL',
  kind: 'secret',
  placeholder,
})

/** Another server of a service. */
export const apiUrl = (placeholder: string, hint: string): ChannelField => ({
  key: 'api_url',
  label: 'API URL',
  hint,
  placeholder,
  isOptional: true,
  isMore: true,
})
