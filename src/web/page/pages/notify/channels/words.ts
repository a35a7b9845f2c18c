import { formatClockSeconds, plural } from '../../../format.ts'

/** Result of a test: its time, and the sentences of the server. */
export function testedSentences(atMs: number, text: string): string {
  return `Test at ${formatClockSeconds(atMs)}. ${text}`
}

/** Message after a channel was switched. */
export function switchedText(name: string, isOn: boolean): string {
  return isOn ? `${name}: switched on.` : `${name}: switched off.`
}

export function testLabel(channel: string): string {
  return `Test ${channel}`
}

/** Recipients of mails who have not confirmed their address. */
export function notConfirmedWords(addresses: readonly string[]): string {
  return `Not confirmed yet: ${addresses.join(', ')}`
}

/** Recipients who declined mails. */
export function declinedWords(addresses: readonly string[]): string {
  return `Want no mail: ${addresses.join(', ')}`
}

/** Title of the form of a new channel. */
export function newChannelTitle(product: string): string {
  return `New channel: ${product}`
}

/** Hint of a stored secret. `host`: that of the URL; null: the secret is no URL. */
export function storedHint(host: string | null): string {
  return host === null ? 'Stored. Fill it in to replace it.' : `Stored for ${host}. Fill it in to replace it.`
}

/** Label of the field for the name of a channel, which confirms its deletion. */
export function typeLabel(channel: string): string {
  return `Type ${channel}`
}

/** Consequences of the deletion of a channel. `rules`: number of rules that notify through it. */
export function lossSentences(isDefault: boolean, rules: number): string {
  return [
    ...(isDefault ? ['This channel is notified of every SLO.'] : []),
    ...(rules > 0
      ? [
          plural(
            rules,
            'A rule notifies through this channel, and is deleted with it.',
            '# rules notify through this channel, and are deleted with it.',
          ),
        ]
      : []),
    'This cannot be undone.',
  ].join(' ')
}

/** Label of a field that may be empty. */
export function optionalLabel(field: string): string {
  return `${field} (optional)`
}
