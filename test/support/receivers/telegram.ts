import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (error_code: number, description: string, parameters?: object) => ({
  status: error_code,
  body: { ok: false, error_code, description, ...(parameters && { parameters }) },
})

/** Answers of a Bot API server to sendMessage. Source: core.telegram.org/bots/api#making-requests, and observed servers. */
export const telegramRefusals = {
  no_chat: { ...failure(400, 'Bad Request: chat_id is empty'), becomes: 'failed' },
  chat_not_found: { ...failure(400, 'Bad Request: chat not found'), becomes: 'failed' },
  thread_not_found: { ...failure(400, 'Bad Request: message thread not found'), becomes: 'failed' },
  empty: { ...failure(400, 'Bad Request: message text is empty'), becomes: 'failed' },
  too_long: { ...failure(400, 'Bad Request: message is too long'), becomes: 'failed' },
  bad_markup: {
    ...failure(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0'),
    becomes: 'failed',
  },
  unauthorized: { ...failure(401, 'Unauthorized'), becomes: 'failed' },
  blocked: { ...failure(403, 'Forbidden: bot was blocked by the user'), becomes: 'failed' },
  kicked: { ...failure(403, 'Forbidden: bot was kicked from the supergroup chat'), becomes: 'failed' },
  not_found: { ...failure(404, 'Not Found'), becomes: 'failed' },
  too_many: {
    ...failure(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
    becomes: 'retry',
    wait: 35_000,
  },
  server_error: { ...failure(500, 'Internal Server Error'), becomes: 'retry' },
  bad_gateway: { status: 502, body: '<html>502 Bad Gateway</html>', becomes: 'retry' },
  not_ok: { status: 200, body: { ok: false, description: 'no' }, becomes: 'failed' },
} as const satisfies Record<string, Refusal>

export type Telegram = Receiver & {
  token: string
  /** Messages as users see them, in order; `html`: the text as sent. */
  shown: { chat: string; thread: number | undefined; text: string; html: string }[]
  /** Sets the answers of the next requests. */
  refuse(...refusals: Refusal[]): void
}

type Chats = { chats?: string[]; threads?: number[]; moved?: Record<string, number> }

/**
 * Accepts valid sendMessage requests. Stricter than the Bot API: each `&` must start an entity. `moved`: old chat ids to new
 * ones.
 */
export function startTelegram({
  chats = ['-1001234567890', '@ops_alerts'],
  threads = [3],
  moved = {},
}: Chats = {}): Telegram {
  const token = '123456:AAF-very_Secret0123456789abcdefghijk'
  const shown: Telegram['shown'] = []
  const receiver = startReceiver((request) => {
    const refusal = judge(request)
    if (refusal) return refuse(refusal)
    const { chat_id, message_thread_id, text } = request.json
    shown.push({ chat: String(chat_id), thread: message_thread_id, text: parsed(text) ?? '', html: text })
    return Response.json({ ok: true, result: { message_id: shown.length, date: 1_772_366_400, text: parsed(text) } })
  })

  function judge({ method, path, json }: Received): Refusal | null {
    const [, asked, action] = path.split('/')
    if (method !== 'POST' || action !== 'sendMessage') return telegramRefusals.not_found
    if (asked !== `bot${token}`) return telegramRefusals.unauthorized
    if (!json?.chat_id) return telegramRefusals.no_chat
    const chat = String(json.chat_id)
    const migrated = moved[chat]
    if (migrated !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat'
      return { ...failure(400, description, { migrate_to_chat_id: migrated }), becomes: 'failed' }
    }
    if (!chats.includes(chat) && !Object.values(moved).map(String).includes(chat))
      return telegramRefusals.chat_not_found
    const { message_thread_id: thread, text, parse_mode, link_preview_options, chat_id: _, ...other } = json
    if (thread !== undefined && !threads.includes(thread)) return telegramRefusals.thread_not_found
    const isKnown =
      parse_mode === 'HTML' && link_preview_options.is_disabled === true && Object.keys(other).length === 0
    const read = isKnown && typeof text === 'string' ? parsed(text) : null
    if (read === null) return telegramRefusals.bad_markup
    if (read.trim() === '') return telegramRefusals.empty
    return read.length > 4096 ? telegramRefusals.too_long : null
  }

  return {
    ...receiver,
    token,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' }
const piece = /<(\/?)(b|i|u|s|code|pre|a)(?: href="[^"<>]*")?>|&(?:lt|gt|amp|quot);|[^<>&]/gu

/** Text without its tags; null if a tag or an entity is not allowed, or a tag is not closed. */
function parsed(html: string): string | null {
  const open: string[] = []
  let text = ''
  let read = 0
  for (const { 0: whole, 1: slash, 2: tag } of html.matchAll(piece)) {
    read += whole.length
    if (tag === undefined) text += entities[whole] ?? whole
    else if (slash === '') open.push(tag)
    else if (open.pop() !== tag) return null
  }
  return read === html.length && open.length === 0 ? text : null
}
