import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal, type Shown, unescaped } from './refusal.ts'

/** Documented answers of an incoming webhook. Sources: Slack's changelog of 2016-05-17, its pages on rate limits. */
export const slackRefusals = {
  invalid_payload: { status: 400, body: 'invalid_payload', outcome: 'failed' },
  no_text: { status: 400, body: 'no_text', outcome: 'failed' },
  user_not_found: { status: 400, body: 'user_not_found', outcome: 'failed' },
  action_prohibited: { status: 403, body: 'action_prohibited', outcome: 'failed' },
  invalid_token: { status: 403, body: 'invalid_token', outcome: 'failed' },
  channel_not_found: { status: 404, body: 'channel_not_found', outcome: 'failed' },
  no_service: { status: 404, body: 'no_service', outcome: 'failed' },
  channel_is_archived: { status: 410, body: 'channel_is_archived', outcome: 'failed' },
  rollup_error: { status: 500, body: 'rollup_error', outcome: 'retry' },
  rate_limited: {
    status: 429,
    headers: { 'retry-after': '30' },
    body: { retry_after: 1, ok: false, error: 'rate_limited' },
    outcome: 'retry',
    retryAfterMs: 30_000,
  },
  rate_limited_in_the_body: {
    status: 429,
    body: { retry_after: 7, ok: false, error: 'rate_limited' },
    outcome: 'retry',
    retryAfterMs: 7000,
  },
  not_ok: { status: 200, body: { ok: false, error: 'channel_not_found' }, outcome: 'failed' },
} as const satisfies Record<string, Refusal>

export type Slack = Receiver & {
  webhookUrl: string
  /** Messages as users see them, in order. */
  shown: (Shown & { channel: string | undefined })[]
  /** Sets the answers of the next requests. */
  refuse(...refusals: Refusal[]): void
}

const path = '/services/T0123ABCD/B0123ABCD/aVerySecretKeyOf24Letters'

/** Accepts valid Slack payloads. Stricter than Slack: anything it would silently fix or truncate is an `invalid_payload`. */
export function startSlack({ channels = ['#alerts'], archived = ['#old'] } = {}): Slack {
  const shown: Slack['shown'] = []
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(slackRefusals[refusal])
    shown.push({ ...seen(request.json.attachments[0]), channel: request.json.channel })
    return new Response('ok')
  })

  function refusalOf({ method, path: asked, headers, json }: Received): keyof typeof slackRefusals | null {
    if (asked !== path) return asked.startsWith(path.slice(0, 30)) ? 'invalid_token' : 'no_service'
    const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '')
    if (method !== 'POST' || !isJson || typeof json !== 'object' || json === null) return 'invalid_payload'
    if (!json.text && !json.attachments?.length) return 'no_text'
    if (archived.includes(json.channel)) return 'channel_is_archived'
    if (json.channel !== undefined && !channels.includes(json.channel)) return 'channel_not_found'
    return isPayload(json) ? null : 'invalid_payload'
  }

  return {
    ...receiver,
    webhookUrl: receiver.url + path,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

const payloadKeys = new Set(['channel', 'attachments'])
const texts = { fallback: 1024, title: 1024, text: 4000, title_link: 3000, color: 7, footer: 300 }

// oxlint-disable-next-line typescript/no-explicit-any -- a payload of unknown shape is checked
function isPayload(json: any): boolean {
  if (!Object.keys(json).every((key) => payloadKeys.has(key)) || json.attachments?.length !== 1) return false
  const { fields, ts, mrkdwn_in, ...rest } = json.attachments[0]
  return (
    Object.entries(rest).every(([key, text]) => isTextOf(text, Object.entries(texts).find(([k]) => k === key)?.[1])) &&
    [rest.title, rest.fallback, rest.text].every(isEscaped) &&
    /^#[0-9a-f]{6}$/.test(rest.color) &&
    (rest.title_link === undefined || URL.canParse(rest.title_link)) &&
    Number.isInteger(ts) &&
    Array.isArray(mrkdwn_in) &&
    // oxlint-disable-next-line typescript/no-explicit-any
    fields.every(({ title, value, short, ...other }: any) => {
      const isField = isTextOf(title, 300) && isTextOf(value, 4000) && [title, value].every(isEscaped)
      return isField && title !== '' && value !== '' && typeof short === 'boolean' && Object.keys(other).length === 0
    })
  )
}

function isTextOf(value: unknown, max = 0): boolean {
  return typeof value === 'string' && value.length <= max
}

function isEscaped(text: string): boolean {
  try {
    return unescaped(text) !== undefined
  } catch {
    return false
  }
}

// oxlint-disable-next-line typescript/no-explicit-any
function seen({ title, title_link = null, text, color, fields }: any): Shown {
  const data = fields.map((field: { title: string; value: string }) => [field.title, unescaped(field.value)])
  return {
    title: unescaped(title),
    link: title_link,
    text: unescaped(text),
    data: Object.fromEntries(data),
    colour: color,
  }
}
