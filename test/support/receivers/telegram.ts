import { type Received, type Receiver, startReceiver } from '../receiver.ts'
import { refuse, type Refusal } from './refusal.ts'

const failure = (error_code: number, description: string, parameters?: object) => ({
  status: error_code,
  body: { ok: false, error_code, description, ...(parameters && { parameters }) },
})

/** Answers of a Bot API server to sendMessage. Source: core.telegram.org/bots/api#making-requests, and observed servers. */
export const telegramRefusals = {
  no_chat: { ...failure(400, 'Bad Request: chat_id is empty'), outcome: 'failed' },
  chat_not_found: { ...failure(400, 'Bad Request: chat not found'), outcome: 'failed' },
  thread_not_found: { ...failure(400, 'Bad Request: message thread not found'), outcome: 'failed' },
  empty: { ...failure(400, 'Bad Request: message text is empty'), outcome: 'failed' },
  too_long: { ...failure(400, 'Bad Request: message is too long'), outcome: 'failed' },
  bad_markup: {
    ...failure(400, 'Bad Request: can\'t parse entities: Unsupported start tag "x" at byte offset 0'),
    outcome: 'failed',
  },
  unauthorized: { ...failure(401, 'Unauthorized'), outcome: 'failed' },
  blocked: { ...failure(403, 'Forbidden: bot was blocked by the user'), outcome: 'failed' },
  kicked: { ...failure(403, 'Forbidden: bot was kicked from the supergroup chat'), outcome: 'failed' },
  not_found: { ...failure(404, 'Not Found'), outcome: 'failed' },
  too_many: {
    ...failure(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
    outcome: 'retry',
    retryAfterMs: 35_000,
  },
  server_error: { ...failure(500, 'Internal Server Error'), outcome: 'retry' },
  bad_gateway: { status: 502, body: '<html>502 Bad Gateway</html>', outcome: 'retry' },
  not_ok: { status: 200, body: { ok: false, description: 'no' }, outcome: 'failed' },
} as const satisfies Record<string, Refusal>

export type Telegram = Receiver & {
  token: string
  /** Messages as users see them, in order; `html`: the text as sent. */
  shown: { chat: string; thread: number | undefined; text: string; html: string }[]
  /** Sets the answers of the next requests. */
  refuse(...refusals: Refusal[]): void
}

type ChatOptions = { chats?: string[]; threads?: number[]; moved?: Record<string, number> }

/**
 * Starts a Bot API server that accepts valid sendMessage requests. Stricter than the real one: each `&` must start an entity.
 * `chats` and `threads`: ids that exist. `moved`: new ids of groups that became supergroups, by their old ids.
 */
export function startTelegram({
  chats = ['-1001234567890', '@ops_alerts'],
  threads = [3],
  moved = {},
}: ChatOptions = {}): Telegram {
  const token = '123456:AAF-very_Secret0123456789abcdefghijk'
  const shown: Telegram['shown'] = []
  const receiver = startReceiver((request) => {
    const refusal = refusalOf(request)
    if (refusal) return refuse(refusal)
    const { chat_id, message_thread_id, text } = request.json
    shown.push({ chat: String(chat_id), thread: message_thread_id, text: plainTextOf(text) ?? '', html: text })
    return Response.json({
      ok: true,
      result: { message_id: shown.length, date: 1_772_366_400, text: plainTextOf(text) },
    })
  })

  function refusalOf({ method, path, json }: Received): Refusal | null {
    const [, bot, action] = path.split('/')
    if (method !== 'POST' || action !== 'sendMessage') return telegramRefusals.not_found
    if (bot !== `bot${token}`) return telegramRefusals.unauthorized
    if (!json?.chat_id) return telegramRefusals.no_chat
    const chat = String(json.chat_id)
    const newId = moved[chat]
    if (newId !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat'
      return { ...failure(400, description, { migrate_to_chat_id: newId }), outcome: 'failed' }
    }
    if (!chats.includes(chat) && !Object.values(moved).map(String).includes(chat))
      return telegramRefusals.chat_not_found
    const { message_thread_id: thread, text, parse_mode, link_preview_options, chat_id: _, ...other } = json
    if (thread !== undefined && !threads.includes(thread)) return telegramRefusals.thread_not_found
    const hasExpectedOptions =
      parse_mode === 'HTML' && link_preview_options.is_disabled === true && Object.keys(other).length === 0
    const plainText = hasExpectedOptions && typeof text === 'string' ? plainTextOf(text) : null
    if (plainText === null) return telegramRefusals.bad_markup
    if (plainText.trim() === '') return telegramRefusals.empty
    return plainText.length > 4096 ? telegramRefusals.too_long : null
  }

  return {
    ...receiver,
    token,
    shown,
    refuse: (...refusals) => receiver.next(...refusals.map((refusal) => () => refuse(refusal))),
  }
}

const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&amp;': '&', '&quot;': '"' }
/** A tag, an entity, or one other character. */
const piece = /<(\/?)(b|i|u|s|code|pre|a)(?: href="[^"<>]*")?>|&(?:lt|gt|amp|quot);|[^<>&]/gu

/** Text without its tags; null if a tag or an entity is not allowed, or a tag is not closed. */
function plainTextOf(html: string): string | null {
  const openTags: string[] = []
  let text = ''
  let matched = 0 // characters
  for (const { 0: whole, 1: slash, 2: tag } of html.matchAll(piece)) {
    matched += whole.length
    if (tag === undefined) text += entities[whole] ?? whole
    else if (slash === '') openTags.push(tag)
    else if (openTags.pop() !== tag) return null
  }
  return matched === html.length && openTags.length === 0 ? text : null
}
