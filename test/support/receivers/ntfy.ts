import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (code: number, error: string) => {
  const status = Math.floor(code / 100)
  return { status, body: { code, http: status, error } }
}

/** Documented answers to publishing a message. Source: server/errors.go of ntfy. */
export const ntfyRefusals = {
  bad_priority: { ...failure(40007, 'invalid priority parameter'), outcome: 'failed' },
  bad_topic: { ...failure(40009, 'invalid request: topic invalid'), outcome: 'failed' },
  no_attachments: { ...failure(40014, 'invalid request: attachments not allowed'), outcome: 'failed' },
  bad_json: { ...failure(40017, 'invalid request: request body must be message JSON'), outcome: 'failed' },
  bad_sequence: { ...failure(40049, 'invalid request: sequence ID invalid'), outcome: 'failed' },
  unauthorized: { ...failure(40101, 'unauthorized'), outcome: 'failed' },
  forbidden: { ...failure(40301, 'forbidden'), outcome: 'failed' },
  not_found: { ...failure(40401, 'page not found'), outcome: 'failed' },
  too_large: { ...failure(41303, 'JSON body too large'), outcome: 'failed' },
  too_many: { ...failure(42901, 'limit reached: too many requests, please be nice'), outcome: 'retry' },
  too_many_a_day: { ...failure(42908, 'limit reached: daily message quota reached'), outcome: 'retry' },
  server_error: { ...failure(50001, 'internal server error'), outcome: 'retry' },
  another_product: {
    status: 200,
    body: '<html>Welcome</html>',
    outcome: 'failed',
    error: 'the receiver answered 200, but not as ntfy does',
  },
  too_many_until: {
    ...failure(42901, 'limit reached: too many requests, please be nice'),
    headers: { 'retry-after': '40' },
    outcome: 'retry',
    retryAfterMs: 40_000,
  },
} as const satisfies Record<string, Refusal>

type Notification = { title: string; message: string; priority: number; tags: string[]; click: string | undefined }

export type Ntfy = Receiver & {
  /** Notifications that the app shows, by sequence id. A later message of a sequence replaces the earlier one. */
  shown: Map<string, Notification>
  refuse(...refusals: Refusal[]): void
}

const keys = new Set(['topic', 'title', 'message', 'priority', 'tags', 'click', 'sequence_id'])

/** Accepts valid ntfy messages for one topic. Stricter than ntfy: unknown fields and tags that are no emojis are bad JSON. */
export function startNtfy({ topic = 'alerts', authorization = null as string | null } = {}): Ntfy {
  const shown: Ntfy['shown'] = new Map()
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(ntfyRefusals[refusal])
    const { sequence_id, title, message, priority, tags, click } = request.json
    shown.set(sequence_id, { title, message, priority, tags, click })
    return Response.json({ id: `id${shown.size}`, time: 1_772_366_400, event: 'message', topic, title, message })
  })

  function refusalOf({ method, path, headers, json }: Received): keyof typeof ntfyRefusals | null {
    if (method !== 'POST' || path !== '/') return 'not_found'
    if (typeof json !== 'object' || !Object.keys(json).every((key) => keys.has(key))) return 'bad_json'
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(json.topic)) return 'bad_topic'
    if (headers.get('authorization') !== authorization) return authorization === null ? 'unauthorized' : 'forbidden'
    if (json.topic !== topic) return 'forbidden'
    if (![1, 2, 3, 4, 5].includes(json.priority)) return 'bad_priority'
    if (!/^[-_A-Za-z0-9]{1,64}$/.test(json.sequence_id)) return 'bad_sequence'
    if (typeof json.title !== 'string' || typeof json.message !== 'string' || json.message === '') return 'bad_json'
    if (!Array.isArray(json.tags) || !json.tags.every((tag: string) => emojis.has(tag))) return 'bad_json'
    if (json.click !== undefined && !URL.canParse(json.click)) return 'bad_json'
    return Buffer.byteLength(json.message) > 4096 ? 'no_attachments' : null
  }

  return {
    ...receiver,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

/** From the emoji list in ntfy's documentation. */
const emojis = new Set(['rotating_light', 'warning', 'white_check_mark', 'information_source'])
