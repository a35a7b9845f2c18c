import { type ChannelDeps, defineChannel, linkMissingIn, type Message, type Outcome } from '../channel.ts'
import { escaped, marks, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { type ConfigurationOf, readFields } from '../configuration.ts'
import { matrix as schema } from '../schemas/chat.ts'
import {
  jsonValueAt,
  truncate,
  truncateToFit,
  exchange,
  type HttpRequest,
  outcomeOf,
  unlessConfirmed,
} from '../http.ts'

type Configuration = ConfigurationOf<typeof schema>

/**
 * Matrix rooms, through the client-server API (spec.matrix.org/latest/client-server-api). The user of the access token must be
 * in the room; messages are not encrypted. The transaction id stays the same for every attempt, so that a retry shows no
 * duplicate. A recovery replies to its alert if that is among the last 50 messages of the user in the room.
 */
export const matrix = defineChannel({
  product: null,
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, configuration, message, signal) {
    const call = callsOf(deps, configuration, signal)
    const inRoom = `/rooms/${encodeURIComponent(configuration.room_id)}`
    const alertEventId = message.event === 'recovery' ? await findAlertEvent(call, inRoom, message) : undefined
    const path = `${inRoom}/send/m.room.message/${encodeURIComponent(message.idempotencyKey)}`
    const exchanged = await call(path, { method: 'PUT', body: bodyOf(message, alertEventId) })
    if ('failure' in exchanged) return exchanged.failure
    const { json } = exchanged.answer
    const waitMs = jsonValueAt(json, 'retry_after_ms')
    const outcome: Outcome = outcomeOf(exchanged.answer, deps, typeof waitMs === 'number' ? waitMs : 0)
    return unlessConfirmed(outcome, typeof jsonValueAt(json, 'event_id') === 'string', 'Matrix')
  },
})

type MatrixCall = (path: string, request: HttpRequest) => ReturnType<typeof exchange>

function callsOf(deps: ChannelDeps, { homeserver_url, access_token }: Configuration, signal: AbortSignal): MatrixCall {
  const headers = { authorization: `Bearer ${access_token}` }
  const api = `${homeserver_url}/_matrix/client/v3`
  return (path, request) => exchange(deps, api + path, { ...request, headers }, signal)
}

const getRequest = { method: 'GET', maxBytes: 1024 * 1024 } as const
const searchedMessages = 50

/** Id of the event that holds the alert; undefined if not found, in which case the recovery is sent without a reply. */
async function findAlertEvent(call: MatrixCall, inRoom: string, { threadKey }: Message): Promise<string | undefined> {
  const account = await call('/account/whoami', getRequest)
  const sender = 'answer' in account ? jsonValueAt(account.answer.json, 'user_id') : undefined
  if (typeof sender !== 'string') return undefined
  const filter = encodeURIComponent(JSON.stringify({ types: ['m.room.message'], senders: [sender] }))
  const exchanged = await call(`${inRoom}/messages?dir=b&limit=${searchedMessages}&filter=${filter}`, getRequest)
  const events = 'answer' in exchanged ? jsonValueAt(exchanged.answer.json, 'chunk') : undefined
  const isAlert = (event: unknown) =>
    jsonValueAt(event, 'content', ownField, 'thread') === threadKey &&
    jsonValueAt(event, 'content', ownField, 'event') === 'alert'
  const id = Array.isArray(events) ? jsonValueAt(events.find(isAlert), 'event_id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** Event field by which nines finds its own messages. */
const ownField = 'nines'

/** Limit for the content: an event has at most 65,536 bytes, and the server adds its own fields. */
const maxBytes = 60_000
const maxTitle = 500
const maxField = 300

function bodyOf(message: Message, alertEventId: string | undefined): string {
  const body = (text: string) => JSON.stringify(contentOf(message, text, alertEventId))
  return body(truncateToFit(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

function contentOf(message: Message, text: string, alertEventId: string | undefined) {
  const title = `${marks[toneOf(message)]} ${truncate(titleOf(message), maxTitle)}`
  const fields = sloFields(message).map(({ name, value }) => `${name}: ${truncate(value, maxField)}`)
  const parts = [text, fields.join('\n'), linkMissingIn(message) ?? ''].filter((part) => part !== '')
  return {
    msgtype: 'm.text',
    body: [title, ...parts].join('\n\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [`<strong>${html(title)}</strong>`, ...parts.map(html)].map((part) => `<p>${part}</p>`).join(''),
    // so that names in the text mention nobody
    'm.mentions': {},
    ...(alertEventId !== undefined && { 'm.relates_to': { 'm.in_reply_to': { event_id: alertEventId } } }),
    [ownField]: { thread: message.threadKey, event: message.event },
  }
}

function html(text: string): string {
  return escaped(text).replaceAll('\n', '<br>')
}
