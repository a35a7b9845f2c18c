/**
 * Schema of one key of a channel's configuration. `readFields` (configuration.ts) validates with it, and the page makes a form
 * input of it (`web/page/pages/notify/channels/fields`). This file imports nothing, because the server and the page share it.
 */
export type FieldSchema = {
  /**
   * Absent: `text`. `base_url`: URL to which paths are added. `flag`: true or absent. `responders`: responders of Opsgenie. In a
   * form, the entries of a list are separated by commas; each header and each responder is a line.
   */
  kind?: 'text' | 'url' | 'base_url' | 'choice' | 'flag' | 'number' | 'list' | 'headers' | 'responders'
  /** Error if the value is missing; absent: the key is optional. */
  requirement?: string
  /** Value that is stored if there is none. */
  default?: string | number
  /** Greatest length of a text in characters (500 if absent), or of each text of a list. */
  max?: number
  /** Greatest length of a list. */
  maxEntries?: number
  /** Least and greatest value of a number. */
  range?: readonly [min: number, max: number]
  /** Pattern of a text, and the error for a text that does not match. */
  pattern?: readonly [pattern: RegExp, error: string]
  /** Label of each value of a choice; without `unset`, the first is the default. A flag has the value `true`. */
  choices?: Readonly<Record<string, string>>
  /** Label of the choice of no value; absent: there is no such choice. */
  unset?: string
  /** True if responses mask it: a text, each header, or the part of a URL after the host. */
  isSecret?: true
  /** True if it determines where the secrets are sent. If it changes, a masked secret is refused. */
  isDestination?: true
  /**
   * Condition under which the field is read and shown: another key has the value `is`, or any value if `is` is absent. `otherwise`:
   * error if the field is sent although the condition is not met; absent: the field is ignored.
   */
  when?: { key: string; is?: string | true; otherwise?: string }
  /** Label of the form input; absent: the form has none. */
  label?: string
  hint?: string
  placeholder?: string
}

/** True if a field is read and shown, given the values of the other keys. */
export function isApplicable({ when }: FieldSchema, valueOf: (key: string) => unknown): boolean {
  if (!when) return true
  const value = valueOf(when.key)
  return when.is === undefined ? value !== undefined : value === when.is
}

/** Schema of a configuration: its keys in the order in which they are read and stored. */
export type ChannelSchema = Readonly<Record<string, FieldSchema>>

/** Parts that schemas of several channel types share. */
export const webhookUrl = { kind: 'url', isSecret: true, label: 'Webhook URL' } as const
export const httpHeaders = { kind: 'headers', isSecret: true, label: 'Headers' } as const
export const apiUrl = { kind: 'base_url', isDestination: true, label: 'API URL' } as const
export const serverUrl = { ...apiUrl, label: 'Server' } as const
export const credential = /^[\x21-\x7e]+$/
export const accessToken = {
  pattern: [credential, 'must be an access token: printable ASCII without spaces'],
  isSecret: true,
  label: 'Access token',
} as const
