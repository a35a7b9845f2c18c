import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal, type Shown } from './refusal.ts'

/** Documented answers of a webhook. Source: discord.com/developers/docs (webhooks, rate limits, opcodes and codes). */
export const discordRefusals = {
  empty_message: { status: 400, body: { message: 'Cannot send an empty message', code: 50_006 }, outcome: 'failed' },
  invalid_form: { status: 400, body: { message: 'Invalid Form Body', code: 50_035 }, outcome: 'failed' },
  invalid_token: { status: 401, body: { message: 'Invalid Webhook Token', code: 50_027 }, outcome: 'failed' },
  missing_access: { status: 403, body: { message: 'Missing Access', code: 50_001 }, outcome: 'failed' },
  unknown_webhook: { status: 404, body: { message: 'Unknown Webhook', code: 10_015 }, outcome: 'failed' },
  unknown_channel: { status: 404, body: { message: 'Unknown Channel', code: 10_003 }, outcome: 'failed' },
  rate_limited: {
    status: 429,
    headers: { 'retry-after': '65', 'x-ratelimit-reset-after': '64.57', 'x-ratelimit-scope': 'user' },
    body: { message: 'You are being rate limited.', retry_after: 64.57, global: false },
    outcome: 'retry',
    retryAfterMs: 65_000,
  },
  rate_limited_in_the_body: {
    status: 429,
    body: { message: 'You are being rate limited.', retry_after: 0.65, global: true },
    outcome: 'retry',
    retryAfterMs: 650,
  },
  rate_limited_in_the_bucket: {
    status: 429,
    headers: { 'x-ratelimit-reset-after': '2.5' },
    body: 'error code: 1015',
    outcome: 'retry',
    retryAfterMs: 2500,
  },
  server_error: { status: 500, body: { message: '500: Internal Server Error', code: 0 }, outcome: 'retry' },
  bad_gateway: { status: 502, body: '<html>Bad gateway</html>', outcome: 'retry' },
} as const satisfies Record<string, Refusal>

export type Discord = Receiver & {
  webhookUrl: string
  /** Messages as users see them, in order. */
  shown: (Shown & { username: string; thread: string | null })[]
  /** Sets the answers of the next requests. */
  refuse(...refusals: Refusal[]): void
}

const id = '123456789012345678'
const token = 'a-very_secret-token-0123456789'

/** Accepts valid Discord webhook requests. Without `wait=true` a success is a 204 without a body. */
export function startDiscord({ threads = ['555'] } = {}): Discord {
  const shown: Discord['shown'] = []
  const receiver = startReceiver((request) => {
    const url = new URL(request.path, 'http://localhost')
    const isWaiting = url.searchParams.get('wait') === 'true'
    const thread = url.searchParams.get('thread_id')
    const refusal = refusalOf(request, url)
    const problems = refusal ? [] : problemsOf(request.json)
    if (refusal) return refuse(discordRefusals[refusal])
    if (thread !== null && !threads.includes(thread)) return refuse(discordRefusals.unknown_channel)
    if (problems.length > 0) {
      const { body } = discordRefusals.invalid_form
      return refuse({ ...discordRefusals.invalid_form, body: { ...body, errors: { _errors: problems } } })
    }
    const { username = 'nines', embeds } = request.json
    shown.push({ ...seen(embeds[0]), username, thread })
    return isWaiting
      ? Response.json({ id: String(shown.length), type: 0, embeds })
      : new Response(null, { status: 204 })
  })
  return {
    ...receiver,
    webhookUrl: `${receiver.url}/api/webhooks/${id}/${token}`,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

function refusalOf({ method, json }: Received, { pathname }: URL): keyof typeof discordRefusals | null {
  if (!pathname.startsWith(`/api/webhooks/${id}/`)) return 'unknown_webhook'
  if (pathname !== `/api/webhooks/${id}/${token}`) return 'invalid_token'
  if (method !== 'POST' || typeof json !== 'object' || json === null) return 'invalid_form'
  return json.content || json.embeds?.length ? null : 'empty_message'
}

/** Checks documented lengths, types and URLs. Mentions must be off: nines never mentions anybody. */
// oxlint-disable-next-line typescript/no-explicit-any -- a payload of unknown shape is checked
function problemsOf({ username, content, embeds = [], allowed_mentions, ...other }: any): string[] {
  const problems: string[] = Object.keys(other).map((key) => `${key}: unknown`)
  const text = (name: string, value: unknown, max: number, min = 1) => {
    const isFine = typeof value === 'string' && value.trim().length >= min && value.length <= max
    if (!isFine) problems.push(`${name}: Must be between ${min} and ${max} in length.`)
    return isFine ? value.length : 0
  }
  if (username !== undefined) text('username', username, 80)
  if (/clyde|discord/i.test(username)) problems.push('username: Username cannot contain "discord"')
  if (content !== undefined) text('content', content, 2000)
  if (JSON.stringify(allowed_mentions) !== '{"parse":[]}') problems.push('allowed_mentions: somebody may be called')
  if (embeds.length > 10) problems.push('embeds: Must be 10 or fewer in length.')
  let characters = 0
  for (const { title, url, description, color, fields = [], footer, timestamp, ...rest } of embeds) {
    problems.push(...Object.keys(rest).map((key) => `embeds.${key}: unknown`))
    characters += text('title', title, 256)
    if (description !== undefined) characters += text('description', description, 4096)
    characters += text('footer', footer.text, 2048)
    if (url !== undefined && !/^https?:\/\/[^/]+\.[a-z]{2,}(?::\d+)?\//.test(url))
      problems.push('url: Not a well formed URL.')
    if (!Number.isInteger(color) || color < 0 || color > 0xff_ff_ff) problems.push('color: not a colour')
    if (new Date(timestamp).toISOString() !== timestamp) problems.push('timestamp: not ISO 8601')
    if (fields.length > 25) problems.push('fields: Must be 25 or fewer in length.')
    for (const { name, value, inline } of fields) {
      characters += text('fields.name', name, 256) + text('fields.value', value, 1024)
      if (typeof inline !== 'boolean') problems.push('fields.inline: Must be either true or false.')
    }
  }
  if (characters > 6000) problems.push('embeds: Embed size exceeds maximum size of 6000')
  return problems
}

// oxlint-disable-next-line typescript/no-explicit-any
function seen({ title, url = null, description = '', color, fields }: any): Shown {
  const data = fields.map((field: { name: string; value: string }) => [field.name, withoutMarkup(field.value)])
  const colour = `#${color.toString(16).padStart(6, '0')}`
  return {
    title: withoutMarkup(title),
    link: url,
    text: withoutMarkup(description),
    data: Object.fromEntries(data),
    colour,
  }
}

const block = /^[^\S\n]*(?:#{1,3}|-#|>|>>>|[-+]|\d+\.)\s/m
const linked = /^https?:\/\/[^\s<]+[^\s<.,:;"')\]]/

/** Text as Discord shows it; throws if some of it is markup. Source: support.discord.com, "Markdown Text 101". */
function withoutMarkup(text: string): string {
  if (block.test(text)) throw new Error(`a block: ${text}`)
  let shown = ''
  for (let rest = text; rest !== '';) {
    const [part = ''] = linked.exec(rest) ?? /^\\[^\p{L}\p{N}\s]/u.exec(rest) ?? /^./su.exec(rest) ?? []
    if (/^[*_~`|[<]$/.test(part)) throw new Error(`markup: ${rest}`)
    shown += /^\\./.test(part) ? part.slice(1) : part
    rest = rest.slice(part.length)
  }
  return shown
}
