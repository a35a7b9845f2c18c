import { defineChannel, linkOf, type Message, threadName } from '../channel.ts'
import { escaped, marks, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { googleChat as schema } from '../schemas/chat.ts'
import { jsonValueAt, truncate, truncateToFit, exchange, outcomeOf, unlessConfirmed } from '../http.ts'

/**
 * Incoming webhooks of a Google Chat space; the URL is the credential. An alert starts a thread, and its recovery replies
 * there. The request id stays the same for every attempt, so that a retry shows no duplicate. A space accepts one message per
 * second. Sources: developers.google.com/workspace/chat (quickstart/webhooks, api/reference/rest/v1/spaces.messages/create).
 */
export const googleChat = defineChannel({
  product: null,
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, { webhook_url }, message, signal) {
    const url = new URL(webhook_url)
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
    url.searchParams.set('requestId', message.idempotencyKey)
    const exchanged = await exchange(deps, url.href, { body: bodyOf(message) }, signal)
    if ('failure' in exchanged) return exchanged.failure
    return unlessConfirmed(
      outcomeOf(exchanged.answer, deps),
      typeof jsonValueAt(exchanged.answer.json, 'name') === 'string',
      'Google Chat',
    )
  },
})

/** Google Chat accepts at most 32,000 bytes per message. */
const maxBytes = 30_000
const maxTitle = 300
const maxField = 300

function bodyOf(message: Message): string {
  const body = (text: string) => JSON.stringify(contentOf(message, text))
  return body(truncateToFit(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

/** Message as a card without `text`: mentions in a text written by users could notify everybody in the space. */
function contentOf(message: Message, text: string) {
  const title = `${marks[toneOf(message)]} ${truncate(titleOf(message), maxTitle)}`
  const fields = sloFields(message).map(({ name, value }) => ({
    decoratedText: { topLabel: name, text: escaped(truncate(value, maxField)) },
  }))
  const link = linkOf(message)
  const onClick = link && { openLink: { url: link.url } }
  const sections = [
    ...(text === '' ? [] : [[{ textParagraph: { text: escaped(text).replaceAll('\n', '<br>') } }]]),
    ...(fields.length === 0 ? [] : [fields]),
    ...(link && onClick ? [[{ buttonList: { buttons: [{ text: link.label, onClick }] } }]] : []),
  ]
  return {
    thread: { threadKey: threadName(message) },
    cardsV2: [{ cardId: 'nines', card: { header: { title }, sections: sections.map((widgets) => ({ widgets })) } }],
  }
}
