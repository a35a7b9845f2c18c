import type { Priority } from '../../../db/tables/tables.ts'
import { defineChannel, linkOf, type Message } from '../channel.ts'
import { titleOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { gotify as schema } from '../schemas/push.ts'
import { jsonValueAt, exchange, outcomeOf, unlessConfirmed } from '../http.ts'

/**
 * Applications of a Gotify server (gotify.net/api-docs, "createMessage"). A message can be deleted only by the id that the
 * server gave it, so a recovery is a separate message. There is no length limit.
 */
export const gotify = defineChannel({
  product: null,
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, { server_url, app_token }, message, signal) {
    const request = { json: contentOf(message), headers: { 'x-gotify-key': app_token } }
    const exchanged = await exchange(deps, `${server_url}/message`, request, signal)
    if ('failure' in exchanged) return exchanged.failure
    return unlessConfirmed(
      outcomeOf(exchanged.answer, deps),
      typeof jsonValueAt(exchanged.answer.json, 'id') === 'number',
      'Gotify',
    )
  },
})

/** Gotify priorities: apps are silent below 4, and loud from 8 on. */
const priorities: Record<Priority, number> = { low: 2, medium: 5, high: 8, critical: 10 }

function contentOf(message: Message) {
  const title = titleOf(message)
  const link = linkOf(message)
  return {
    title,
    message: message.text.trim() || title,
    priority: priorities[message.event === 'recovery' ? 'medium' : message.priority],
    extras: {
      'client::display': { contentType: 'text/plain' },
      ...(link && { 'client::notification': { click: { url: link.url } } }),
    },
  }
}
