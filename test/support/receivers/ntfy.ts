import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (code: number, error: string) => {
  const status = Math.floor(code / 100)
  return { status, body: { code, http: status, error } }
}

/** Documented answers to publishing a message. Source: server/errors.go of ntfy. */
export const ntfyRefusals = {
  bad_priority: { ...failure(40007, 'invalid priority parameter'), becomes: 'failed' },
  bad_topic: { ...failure(40009, 'invalid request: topic invalid'), becomes: 'failed' },
  no_attachments: { ...failure(40014, 'invalid request: attachments not allowed'), becomes: 'failed' },
  bad_json: { ...failure(40017, 'invalid request: request body must be message JSON'), becomes: 'failed' },
  bad_sequence: { ...failure(40049, 'invalid request: sequence ID invalid'), becomes: 'failed' },
  unauthorized: { ...failure(40101, 'unauthorized'), becomes: 'failed' },
  forbidden: { ...failure(40301, 'forbidden'), becomes: 'failed' },
  not_found: { ...failure(40401, 'page not found'), becomes: 'failed' },
  too_large: { ...failure(41303, 'JSON body too large'), becomes: 'failed' },
  too_many: { ...failure(42901, 'limit reached: too many requests, please be nice'), becomes: 'retry' },
  too_many_a_day: { ...failure(42908, 'limit reached: daily message quota reached'), becomes: 'retry' },
  server_error: { ...failure(50001, 'internal server error'), becomes: 'retry' },
  another_product: { status: 200, body: '<html>Welcome</html>', becomes: 'failed' },
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
    const refusal = judge(request)
    if (refusal) return refuse(ntfyRefusals[refusal])
    const { sequence_id, title, message, priority, tags, click } = request.json
    shown.set(sequence_id, { title, message, priority, tags, click })
    return Response.json({ id: `id${shown.size}`, time: 1_772_366_400, event: 'message', topic, title, message })
  })

  function judge({ method, path, headers, json }: Received): keyof typeof ntfyRefusals | null {
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
