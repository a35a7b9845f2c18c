import type { ChannelField } from '../fields.ts'

/** A product that notifications can be sent to. Several products may share one channel type of the API. */
export type ChannelProduct = {
  id: string
  name: string
  /** Channel type in the API. */
  type: string
  /** Instruction in one line: which value to copy from where. */
  how: string
  fields: readonly ChannelField[]
  /** Configuration values that are the same for every channel of the product. */
  preset?: Readonly<Record<string, unknown>>
  /** True if an alert opens an incident there and its recovery closes it: a test then sends both. */
  opensIncidents?: boolean
}

/** Field for a webhook URL, which is a credential. */
export const hookField = (placeholder: string): ChannelField => ({
  key: 'webhook_url',
  label: 'Webhook URL',
  kind: 'secret',
  placeholder,
})

/** Field for another server of a service. */
export const apiUrl = (placeholder: string, hint: string): ChannelField => ({
  key: 'api_url',
  label: 'API URL',
  hint,
  placeholder,
  isOptional: true,
  isMore: true,
})
