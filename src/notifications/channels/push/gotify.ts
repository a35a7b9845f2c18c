import type { Priority } from '../../../db/tables/tables.ts'
import { defineChannel, type Message } from '../channel.ts'
import { titleOf } from '../chat-text.ts'
import { baseUrl, matching, required } from '../configuration.ts'
import { jsonValueAt, exchange, outcomeOf, unlessConfirmed } from '../http.ts'

const token = matching(/^[\x21-\x7e]+$/, 'the token of an application: printable ASCII without spaces')

/**
 * Applications of a Gotify server (gotify.net/api-docs, "createMessage"). A message can be deleted only by the id that the
 * server gave it, so a recovery is a separate message. There is no length limit.
 */
export const gotify = defineChannel({
  product: null,
  read: (given) => ({
    server_url: required(given, 'server_url', baseUrl, 'must be the URL of the Gotify server'),
    app_token: required(given, 'app_token', token, 'must be the token of an application'),
  }),
  secrets: ['app_token'],
  destinations: ['server_url'],
  opensIncidents: false,

  async send(deps, { server_url, app_token }, message, signal) {
    const request = { json: contentOf(message), headers: { 'x-gotify-key': app_token } }
    const got = await exchange(deps, `${server_url}/message`, request, signal)
    if ('broken' in got) return got.broken
    return unlessConfirmed(
      outcomeOf(got.answer, deps),
      typeof jsonValueAt(got.answer.json, 'id') === 'number',
      'Gotify',
    )
  },
})

/** Gotify priorities: apps are silent below 4, and loud from 8 on. */
const ofPriority: Record<Priority, number> = { low: 2, medium: 5, high: 8, critical: 10 }

function contentOf(message: Message) {
  const title = titleOf(message)
  return {
    title,
    message: message.text.trim() || title,
    priority: ofPriority[message.event === 'recovery' ? 'medium' : message.priority],
    extras: {
      'client::display': { contentType: 'text/plain' },
      ...(message.slo && { 'client::notification': { click: { url: message.slo.link } } }),
    },
  }
}
