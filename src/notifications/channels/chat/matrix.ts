import { type ChannelDeps, defineChannel, type Message, type Outcome } from '../channel.ts'
import { escaped, marks, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { baseUrl, matching, required } from '../configuration.ts'
import { at, cut, cutTo, exchange, type HttpRequest, outcomeOf, unlessConfirmed } from '../http.ts'

type Configuration = { homeserver_url: string; access_token: string; room_id: string }

const token = matching(/^[\x21-\x7e]+$/, 'an access token: printable ASCII without spaces')
const roomMessage = 'the id of a room, which begins with ! (in Element: room settings, Advanced)'
const room = matching(/^![^\s/]{1,254}$/, roomMessage)

/**
 * Rooms of Matrix, by the client-server API (spec.matrix.org/latest/client-server-api): the user of the access token has to be
 * in the room, and what it sends is not encrypted. The transaction id is the same at every attempt, so that none is shown twice.
 * A recovery replies to the alert that it ends, if that is one of the last messages of the user there.
 */
export const matrix = defineChannel<Configuration>({
  product: null,
  read: (given) => ({
    homeserver_url: required(given, 'homeserver_url', baseUrl, 'must be the URL of the homeserver'),
    access_token: required(given, 'access_token', token, 'must be the access token of the user that sends'),
    room_id: required(given, 'room_id', room, `must be ${roomMessage}`),
  }),
  secrets: ['access_token'],
  destinations: ['homeserver_url'],
  opensIncidents: false,

  async send(deps, configuration, message, signal) {
    const ask = asker(deps, configuration, signal)
    const inRoom = `/rooms/${encodeURIComponent(configuration.room_id)}`
    const alertId = message.event === 'recovery' ? await alertEnded(ask, inRoom, message) : undefined
    const path = `${inRoom}/send/m.room.message/${encodeURIComponent(message.idempotencyKey)}`
    const got = await ask(path, { method: 'PUT', body: bodyOf(message, alertId) })
    if ('broken' in got) return got.broken
    const { json } = got.answer
    const waitMs = at(json, 'retry_after_ms')
    const outcome: Outcome = outcomeOf(got.answer, deps, typeof waitMs === 'number' ? waitMs : 0)
    return unlessConfirmed(outcome, typeof at(json, 'event_id') === 'string', 'Matrix')
  },
})

type Ask = (path: string, request: HttpRequest) => ReturnType<typeof exchange>

function asker(deps: ChannelDeps, { homeserver_url, access_token }: Configuration, signal: AbortSignal): Ask {
  const headers = { authorization: `Bearer ${access_token}` }
  const api = `${homeserver_url}/_matrix/client/v3`
  return (path, request) => exchange(deps, api + path, { ...request, headers }, signal)
}

const read = { method: 'GET', maxBytes: 1024 * 1024 } as const
const looked = 50

/** The id of the event that is the alert; undefined where it is not found, which is no reason not to send. */
async function alertEnded(ask: Ask, inRoom: string, { threadKey }: Message): Promise<string | undefined> {
  const who = await ask('/account/whoami', read)
  const sender = 'answer' in who ? at(who.answer.json, 'user_id') : undefined
  if (typeof sender !== 'string') return undefined
  const filter = encodeURIComponent(JSON.stringify({ types: ['m.room.message'], senders: [sender] }))
  const got = await ask(`${inRoom}/messages?dir=b&limit=${looked}&filter=${filter}`, read)
  const events = 'answer' in got ? at(got.answer.json, 'chunk') : undefined
  const isAlert = (event: unknown) =>
    at(event, 'content', ours, 'thread') === threadKey && at(event, 'content', ours, 'event') === 'alert'
  const id = Array.isArray(events) ? at(events.find(isAlert), 'event_id') : undefined
  return typeof id === 'string' ? id : undefined
}

/** The field of an event by which nines finds it again. */
const ours = 'nines'

/** Of an event there may be 65,536; the server adds its own fields. */
const maxBytes = 60_000
const maxTitle = 500
const maxField = 300

function bodyOf(message: Message, alertId: string | undefined): string {
  const body = (text: string) => JSON.stringify(contentOf(message, text, alertId))
  return body(cutTo(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

function contentOf(message: Message, text: string, alertId: string | undefined) {
  const title = `${marks[toneOf(message)]} ${cut(titleOf(message), maxTitle)}`
  const fields = sloFields(message).map(({ name, value }) => `${name}: ${cut(value, maxField)}`)
  const link = message.slo ? [message.slo.link] : []
  const parts = [text, fields.join('\n'), ...link].filter((part) => part !== '')
  return {
    msgtype: 'm.text',
    body: [title, ...parts].join('\n\n'),
    format: 'org.matrix.custom.html',
    formatted_body: [`<strong>${html(title)}</strong>`, ...parts.map(html)].map((part) => `<p>${part}</p>`).join(''),
    // names in a text call nobody
    'm.mentions': {},
    ...(alertId !== undefined && { 'm.relates_to': { 'm.in_reply_to': { event_id: alertId } } }),
    [ours]: { thread: message.threadKey, event: message.event },
  }
}

function html(text: string): string {
  return escaped(text).replaceAll('\n', '<br>')
}
