import type { Priority } from '../../../db/tables/tables.ts'
import { defineChannel, linkOf, type Message, threadName } from '../channel.ts'
import { type Tone, titleOf, toneOf } from '../chat-text.ts'
import { type ConfigurationOf, readFields, invalidField } from '../configuration.ts'
import { ntfy as schema } from '../schemas/push.ts'
import { jsonValueAt, truncate, truncateToFit, exchange, outcomeOf, unlessConfirmed } from '../http.ts'

type Configuration = ConfigurationOf<typeof schema>

/**
 * Topics of ntfy, published as JSON (its documentation, "Publishing"). A notification has a sequence id, shared by an alert and
 * its recovery. Apps replace the alert with later notifications of the sequence (ntfy 2.16; an older server shows both), so a
 * repeated attempt shows no second notification. If the topic is not protected, its name is the credential.
 */
export const ntfy = defineChannel({
  product: null,
  schema,
  read: (input) => withWholeCredentials(readFields(schema, input)),
  opensIncidents: false,

  async send(deps, { server_url, topic: to, ...credentials }, message, signal) {
    const headers = authorizationOf(credentials)
    const exchanged = await exchange(deps, server_url, { json: { topic: to, ...contentOf(message) }, headers }, signal)
    if ('failure' in exchanged) return exchanged.failure
    return unlessConfirmed(
      outcomeOf(exchanged.answer, deps),
      typeof jsonValueAt(exchanged.answer.json, 'id') === 'string',
      'ntfy',
    )
  },
})

/** Limit in bytes; a longer message arrives as a file. */
const maxMessage = 4096
const maxTitle = 250

const priorities: Record<Priority, number> = { low: 2, medium: 3, high: 4, critical: 5 }
/** Names of emojis that ntfy shows before the title. */
const tags: Record<Tone, string> = {
  red: 'rotating_light',
  amber: 'warning',
  green: 'white_check_mark',
  grey: 'information_source',
}

function contentOf(message: Message) {
  const title = titleOf(message)
  const text = message.text.trim() || title
  return {
    title: truncate(title, maxTitle),
    message: truncateToFit(text, (part) => Buffer.byteLength(part) <= maxMessage),
    priority: priorities[message.event === 'recovery' ? 'medium' : message.priority],
    tags: [tags[toneOf(message)]],
    click: linkOf(message)?.url,
    sequence_id: threadName(message),
  }
}

/** Returns a configuration whose credentials are a token, a user name with a password, or none; throws `invalid`. */
function withWholeCredentials(configuration: Configuration): Configuration {
  const { access_token, username, password } = configuration
  if (access_token !== undefined && username !== undefined) {
    throw invalidField('access_token', 'cannot be sent with username: send one of the two')
  }
  if (username === undefined && password !== undefined) throw invalidField('username', 'is required with password')
  if (username !== undefined && password === undefined) throw invalidField('password', 'is required with username')
  return configuration
}

function authorizationOf({ access_token, username, password }: Partial<Configuration>): Record<string, string> {
  if (access_token !== undefined) return { authorization: `Bearer ${access_token}` }
  if (username === undefined) return {}
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }
}
