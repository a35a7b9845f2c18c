import { defineChannel, type Message } from './channel.ts'
import { escaped, factsShown, hexColourOf, titleOf } from './chat-text.ts'
import { httpUrl, line, required } from './configuration.ts'
import { at, exchange, outcomeOf, summary, waitMs } from './http.ts'

/**
 * Incoming webhooks as Slack has them: the URL is the credential, and only the body `ok` says that a message was taken.
 * Sources: docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, docs.slack.dev/legacy/legacy-messaging.
 */
export const chatHookA = defineChannel({
  read: (given) => ({
    webhook_url: required(given, 'webhook_url', httpUrl, 'wanted the URL of an incoming webhook'),
    channel: line(100)(given, 'channel'),
  }),
  secrets: ['webhook_url'],
  destinations: [],
  opensIncidents: false,

  async send(deps, { webhook_url, channel }, message, signal) {
    const got = await exchange(deps, webhook_url, { json: { channel, attachments: [attachment(message)] } }, signal)
    if ('broken' in got) return got.broken
    const { status, text, json } = got.answer
    const outcome = outcomeOf(got.answer, deps, waitMs(at(json, 'retry_after')))
    if (outcome.outcome !== 'delivered' || (status === 200 && text.trim() === 'ok')) return outcome
    return { outcome: 'failed', statusCode: status, error: `the receiver answered ${status}, not ok${summary(text)}` }
  },
})

const mostTitle = 1024
const mostText = 4000

function attachment(message: Message) {
  const title = escaped(titleOf(message), mostTitle)
  return {
    fallback: title,
    color: hexColourOf(message),
    title,
    title_link: message.slo?.link,
    text: escaped(message.text, mostText),
    fields: factsShown(message).map(({ name, value }) => ({
      title: name,
      value: escaped(value, mostText),
      short: true,
    })),
    mrkdwn_in: [],
    footer: 'nines',
    ts: Math.floor(message.createdAtMs / 1000),
  }
}
