import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (status: number, errcode: string, error: string, more?: object) => ({
  status,
  body: { errcode, error, ...more },
})

/** Standard errors. Source: the client-server API of Matrix, "Standard error response" and "Rate limiting". */
export const matrixRefusals = {
  bad_json: { ...failure(400, 'M_BAD_JSON', 'The event is malformed'), outcome: 'failed' },
  unknown_token: { ...failure(401, 'M_UNKNOWN_TOKEN', 'Unrecognised access token'), outcome: 'failed' },
  missing_token: { ...failure(401, 'M_MISSING_TOKEN', 'Missing access token'), outcome: 'failed' },
  not_in_room: { ...failure(403, 'M_FORBIDDEN', 'User not in room'), outcome: 'failed' },
  not_found: { ...failure(404, 'M_UNRECOGNIZED', 'Unrecognized request'), outcome: 'failed' },
  too_large: { ...failure(413, 'M_TOO_LARGE', 'event too large'), outcome: 'failed' },
  too_many: { ...failure(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests'), outcome: 'retry' },
  too_many_by_body: {
    ...failure(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests', { retry_after_ms: 2500 }),
    outcome: 'retry',
    retryAfterMs: 2500,
  },
  too_many_by_header: {
    ...failure(429, 'M_LIMIT_EXCEEDED', 'Too Many Requests'),
    headers: { 'retry-after': '3' },
    outcome: 'retry',
    retryAfterMs: 3000,
  },
  server_error: { ...failure(500, 'M_UNKNOWN', 'Internal server error'), outcome: 'retry' },
  bad_gateway: { status: 502, body: '<html></html>', outcome: 'retry' },
  another_product: {
    status: 200,
    body: '<html>Welcome</html>',
    outcome: 'failed',
    error: 'the receiver answered 200, but not as Matrix does',
  },
} as const satisfies Record<string, Refusal>

/** A room event, as stored by the server. */
type Event = { event_id: string; type: string; sender: string; content: Record<string, unknown> }

export type Matrix = Receiver & {
  token: string
  room: string
  /** Events of the room, in order. */
  events: Event[]
  refuse(...refusals: Refusal[]): void
}

const sender = '@nines:example.org'
const keys = new Set(['msgtype', 'body', 'format', 'formatted_body', 'm.mentions', 'm.relates_to', 'nines'])

/** A homeserver with one room: send, messages and whoami. An event with a repeated transaction id is not stored again. */
export function startMatrix(): Matrix {
  const token = 'syt_bmluZXM_s3cretToken_1x2y3z'
  const room = '!abc-def:example.org'
  const events: Event[] = []
  const sent = new Map<string, string>()
  const receiver = startReceiver((request) => {
    const { method, path, headers, json } = request
    const authorization = headers.get('authorization')
    if (authorization === null) return refuse(matrixRefusals.missing_token)
    if (authorization !== `Bearer ${token}`) return refuse(matrixRefusals.unknown_token)
    const url = new URL(path, 'http://matrix.example')
    const [, prefix, at = '', action, type, transaction] =
      /^(\/_matrix\/client\/v3\/(?:rooms\/([^/]+)\/(send|messages)|account\/whoami))(?:\/([^/]+)\/([^/]+))?$/
        .exec(url.pathname)
        ?.map((part) => part && decodeURIComponent(part)) ?? []
    if (prefix === undefined) return refuse(matrixRefusals.not_found)
    if (action === undefined) return Response.json({ user_id: sender })
    if (at !== room) return refuse(matrixRefusals.not_in_room)
    if (method === 'GET') return Response.json({ chunk: page(url.searchParams), start: 's1', end: 's2' })
    if (method !== 'PUT' || type !== 'm.room.message' || !transaction) return refuse(matrixRefusals.not_found)
    const refusal = refusalOf(request)
    if (refusal) return refuse(matrixRefusals[refusal])
    const event_id = sent.get(transaction) ?? `$event${events.length + 1}`
    if (!sent.has(transaction)) events.push({ event_id, type, sender, content: json })
    sent.set(transaction, event_id)
    return Response.json({ event_id })
  })

  /** Events that match the filter, newest first. */
  function page(query: URLSearchParams): Event[] {
    const { types, senders } = JSON.parse(query.get('filter') ?? '{}')
    if (query.get('dir') !== 'b') return []
    const found = events.filter((event) => types.includes(event.type) && senders.includes(event.sender))
    return found.toReversed().slice(0, Number(query.get('limit')))
  }

  return {
    ...receiver,
    token,
    room,
    events,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

function refusalOf({ json, text }: Received): keyof typeof matrixRefusals | null {
  if (Buffer.byteLength(text) > 65_000) return 'too_large'
  if (typeof json !== 'object' || !Object.keys(json).every((key) => keys.has(key))) return 'bad_json'
  const isText = json.msgtype === 'm.text' && typeof json.body === 'string' && json.body !== ''
  const isHtml = json.format === 'org.matrix.custom.html' && isMarkup(json.formatted_body)
  const reply = json['m.relates_to']?.['m.in_reply_to']
  const isReply = json['m.relates_to'] === undefined || typeof reply.event_id === 'string'
  return isText && isHtml && isReply && Object.keys(json['m.mentions']).length === 0 ? null : 'bad_json'
}

/** True if the HTML has only the tags that nines writes; texts of users must be escaped. */
function isMarkup(html: unknown): boolean {
  const rest = typeof html === 'string' ? html.replace(/<\/?(?:p|strong)>|<br>|&(?:amp|lt|gt);/g, '') : '<'
  return !/[<>&]/.test(rest)
}
