import { defineChannel, linkOf, type Message } from '../channel.ts'
import { escaped, sloFields, hexColourOf, titleOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { slack as schema } from '../schemas/chat.ts'
import { jsonValueAt, exchange, outcomeOf, failureIn2xx, requestedWaitMs } from '../http.ts'

/**
 * Incoming webhooks of Slack and compatible products; the URL is the credential. Slack answers 200 with the body `ok`,
 * compatible products any 2xx.
 * Sources: docs.slack.dev/messaging/sending-messages-using-incoming-webhooks, docs.slack.dev/legacy/legacy-messaging.
 */
export const slack = defineChannel({
  product: 'slack',
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, { webhook_url, channel }, message, signal) {
    const exchanged = await exchange(
      deps,
      webhook_url,
      { json: { channel, attachments: [attachment(message)] } },
      signal,
    )
    if ('failure' in exchanged) return exchanged.failure
    const { text, json } = exchanged.answer
    const code = text.trim()
    const answer = errorCodes.has(code) ? { ...exchanged.answer, json: { error: code } } : exchanged.answer
    return failureIn2xx(answer) ?? outcomeOf(answer, deps, requestedWaitMs(jsonValueAt(json, 'retry_after')))
  },
})

/** Slack error codes; the response body is nothing but the code. */
const errorCodes = new Set([
  'action_prohibited',
  'channel_is_archived',
  'channel_is_limited_access',
  'channel_not_found',
  'invalid_payload',
  'invalid_token',
  'no_active_hooks',
  'no_service',
  'no_service_id',
  'no_team',
  'no_text',
  'posting_to_general_channel_denied',
  'rate_limited',
  'rollup_error',
  'team_disabled',
  'too_many_attachments',
  'user_not_found',
])

const maxTitleCharacters = 1024
const maxTextCharacters = 4000

function attachment(message: Message) {
  const title = escaped(titleOf(message), maxTitleCharacters)
  return {
    fallback: title,
    color: hexColourOf(message),
    title,
    title_link: linkOf(message)?.url,
    text: escaped(message.text, maxTextCharacters),
    fields: sloFields(message).map(({ name, value }) => ({
      title: name,
      value: escaped(value, maxTextCharacters),
      short: true,
    })),
    mrkdwn_in: [],
    footer: 'nines',
    ts: Math.floor(message.createdAtMs / 1000),
  }
}
