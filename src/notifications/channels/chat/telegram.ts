import { type ChannelDeps, defineChannel, linkMissingIn, type Message } from '../channel.ts'
import { escaped, marks, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { singleLine, type FieldReader, readFields, invalidField } from '../configuration.ts'
import { telegram as schema } from '../schemas/chat.ts'
import { jsonValueAt, truncate, exchange, outcomeOf, failureIn2xx, requestedWaitMs } from '../http.ts'

/** Telegram bots, through `sendMessage` of the Bot API. Source: core.telegram.org/bots/api. */
export const telegram = defineChannel({
  product: 'telegram',
  schema,
  read: (input) => readFields(schema, input, { chat_id: chatId, message_thread_id: threadId }),
  opensIncidents: false,

  async send(deps, { api_url, bot_token, chat_id, message_thread_id }, message, signal) {
    const content = { text: html(message), parse_mode: 'HTML', link_preview_options: { is_disabled: true } }
    const sendTo = (chat: string | number) => {
      const json = { chat_id: chat, message_thread_id, ...content }
      return call(deps, `${api_url}/bot${bot_token}/sendMessage`, json, signal)
    }
    const { outcome, movedTo } = await sendTo(chat_id)
    if (typeof movedTo !== 'number' || !isChat(movedTo)) return outcome
    const { outcome: outcomeAtNewId } = await sendTo(movedTo)
    if (outcomeAtNewId.outcome !== 'delivered') return outcomeAtNewId
    return {
      ...outcomeAtNewId,
      note: `the chat has moved: its chat_id is ${movedTo} now, the configured one is outdated`,
    }
  },
})

/** Calls the Bot API. `movedTo`: new id of a chat that was migrated, as in the response. */
async function call(deps: ChannelDeps, url: string, json: unknown, signal: AbortSignal) {
  const exchanged = await exchange(deps, url, { json }, signal)
  if ('failure' in exchanged) return { outcome: exchanged.failure, movedTo: undefined }
  const { json: answered } = exchanged.answer
  const retryAfterMs = requestedWaitMs(jsonValueAt(answered, 'parameters', 'retry_after'))
  const outcome = failureIn2xx(exchanged.answer) ?? outcomeOf(exchanged.answer, deps, retryAfterMs)
  return { outcome, movedTo: jsonValueAt(answered, 'parameters', 'migrate_to_chat_id') }
}

/** Limit in characters, counted after the entities are parsed. */
const maxText = 4096
const maxTitle = 256
const maxField = 300

function html(message: Message): string {
  const title = `${marks[toneOf(message)]} ${truncate(titleOf(message), maxTitle)}`
  const fields = sloFields(message).map(({ name, value }) => `${name}: ${truncate(value, maxField)}`)
  const link = linkMissingIn(message)
  const end = [...fields, ...(link === null ? [] : [link])].join('\n')
  const room = maxText - [title, end].join('\n\n').length - 2
  const parts = [`<b>${escaped(title)}</b>`, escaped(truncate(message.text.trim(), room)), escaped(end)]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Chat id as text or number; sent in the form in which it was configured. */
const chatId: FieldReader<string | number> = (input, key) => {
  const value = typeof input[key] === 'number' ? input[key] : singleLine(100)(input, key)
  if (value === undefined || isChat(value)) return value
  throw invalidField(key, schema.chat_id.requirement)
}

function isChat(value: string | number): boolean {
  if (typeof value === 'string' && /^@[A-Za-z]\w{3,31}$/.test(value)) return true
  const id = typeof value === 'number' || /^-?[1-9]\d*$/.test(value) ? Number(value) : 0
  return Number.isInteger(id) && id !== 0 && Math.abs(id) < 2 ** 52
}

const threadId: FieldReader<number> = (input, key) => {
  const value = typeof input[key] === 'number' ? input[key] : singleLine(20)(input, key)
  if (value === undefined) return undefined
  const id = /^\d+$/.test(String(value)) ? Number(value) : 0
  if (!Number.isSafeInteger(id) || id < 1) throw invalidField(key, 'must be the id of a topic, a whole number above 0')
  return id
}
