import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (status: number, error: string, errorDescription: string) => ({
  status,
  body: { error, errorCode: status, errorDescription },
})

/** Documented answers of createMessage. Source: docs/spec.json of gotify/server. */
export const gotifyRefusals = {
  bad_message: { ...failure(400, 'Bad Request', "Field 'message' is required"), outcome: 'failed' },
  unauthorized: {
    ...failure(401, 'Unauthorized', 'you need to provide a valid access token or user credentials to access this api'),
    outcome: 'failed',
  },
  forbidden: {
    ...failure(403, 'Forbidden', 'you are not allowed to access this api'),
    outcome: 'failed',
  },
  not_found: { ...failure(404, 'Not Found', 'page not found'), outcome: 'failed' },
  server_error: { ...failure(500, 'Internal Server Error', 'database is locked'), outcome: 'retry' },
  bad_gateway: { status: 502, body: '<html>502 Bad Gateway</html>', outcome: 'retry' },
  another_product: {
    status: 200,
    body: '<html>Welcome</html>',
    outcome: 'failed',
    error: 'the receiver answered 200, but not as Gotify does',
  },
} as const satisfies Record<string, Refusal>

type Shown = { title: string; message: string; priority: number; click: string | undefined }

export type Gotify = Receiver & {
  token: string
  /** Messages that the app shows, in order. */
  shown: Shown[]
  refuse(...refusals: Refusal[]): void
}

const keys = new Set(['title', 'message', 'priority', 'extras'])

/** Accepts valid Gotify messages. Stricter than Gotify: fields and extras that it would ignore are a bad request. */
export function startGotify(): Gotify {
  const token = 'AsQ3cretOfApp_1'
  const shown: Shown[] = []
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(gotifyRefusals[refusal])
    const { title, message, priority, extras } = request.json
    shown.push({ title, message, priority, click: extras['client::notification']?.click.url })
    return Response.json({ id: shown.length, appid: 1, message, title, priority, date: '2026-03-01T12:00:00Z' })
  })

  function refusalOf({ method, path, headers, json }: Received): keyof typeof gotifyRefusals | null {
    if (method !== 'POST' || path !== '/message') return 'not_found'
    if (headers.get('x-gotify-key') !== token) return 'unauthorized'
    if (!headers.get('content-type')?.startsWith('application/json')) return 'bad_message'
    if (!Object.keys(json).every((key) => keys.has(key))) return 'bad_message'
    if (typeof json.message !== 'string' || json.message === '' || typeof json.title !== 'string') return 'bad_message'
    if (!Number.isInteger(json.priority) || json.priority < 0 || json.priority > 10) return 'bad_message'
    const { 'client::display': display, 'client::notification': notification, ...more } = json.extras
    if (display?.contentType !== 'text/plain' || Object.keys(more).length > 0) return 'bad_message'
    return notification === undefined || URL.canParse(notification.click.url) ? null : 'bad_message'
  }

  return {
    ...receiver,
    token,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}
