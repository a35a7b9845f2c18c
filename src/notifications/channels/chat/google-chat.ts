import { defineChannel, type Message, threadName } from '../channel.ts'
import { escaped, marks, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { httpUrl, required } from '../configuration.ts'
import { at, cut, cutTo, exchange, outcomeOf, unlessConfirmed } from '../http.ts'

/**
 * Incoming webhooks of a space of Google Chat: the URL is the credential. An alert begins a thread, in which its recovery
 * replies. The request id is the same at every attempt, so that none is shown twice. A space takes one message a second.
 * Sources: developers.google.com/workspace/chat (quickstart/webhooks, api/reference/rest/v1/spaces.messages/create).
 */
export const googleChat = defineChannel({
  product: null,
  read: (given) => ({
    webhook_url: required(given, 'webhook_url', httpUrl, 'must be the URL of a webhook of a space'),
  }),
  secrets: ['webhook_url'],
  destinations: [],
  opensIncidents: false,

  async send(deps, { webhook_url }, message, signal) {
    const url = new URL(webhook_url)
    url.searchParams.set('messageReplyOption', 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
    url.searchParams.set('requestId', message.idempotencyKey)
    const got = await exchange(deps, url.href, { body: bodyOf(message) }, signal)
    if ('broken' in got) return got.broken
    return unlessConfirmed(outcomeOf(got.answer, deps), typeof at(got.answer.json, 'name') === 'string', 'Google Chat')
  },
})

/** A message has at most 32,000. */
const maxBytes = 30_000
const maxTitle = 300
const maxField = 300

function bodyOf(message: Message): string {
  const body = (text: string) => JSON.stringify(contentOf(message, text))
  return body(cutTo(message.text.trim(), (text) => Buffer.byteLength(body(text)) <= maxBytes))
}

/** A card, and no text beside it: in a text, what people wrote could call everybody in the space. */
function contentOf(message: Message, text: string) {
  const title = `${marks[toneOf(message)]} ${cut(titleOf(message), maxTitle)}`
  const fields = sloFields(message).map(({ name, value }) => ({
    decoratedText: { topLabel: name, text: escaped(cut(value, maxField)) },
  }))
  const onClick = message.slo && { openLink: { url: message.slo.link } }
  const sections = [
    ...(text === '' ? [] : [[{ textParagraph: { text: escaped(text).replaceAll('\n', '<br>') } }]]),
    ...(fields.length === 0 ? [] : [fields]),
    ...(onClick ? [[{ buttonList: { buttons: [{ text: 'Open the SLO', onClick }] } }]] : []),
  ]
  return {
    thread: { threadKey: threadName(message) },
    cardsV2: [{ cardId: 'nines', card: { header: { title }, sections: sections.map((widgets) => ({ widgets })) } }],
  }
}
