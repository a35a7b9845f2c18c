import { isoTime } from '../../../clock.ts'
import { defineChannel, type Message } from '../channel.ts'
import { colours, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { discord as schema } from '../schemas/chat.ts'
import { jsonValueAt, cut, exchange, outcomeOf, waitMs } from '../http.ts'

/**
 * Discord webhooks; the URL is the credential. Sent with `wait=true`: otherwise Discord reports no error for a message that it
 * could not save. Sources: discord.com/developers/docs/resources/webhook#execute-webhook, …/topics/rate-limits.
 */
export const discord = defineChannel({
  product: 'discord',
  schema,
  read: (given) => readFields(schema, given),
  opensIncidents: false,

  async send(deps, configuration, message, signal) {
    const url = new URL(configuration.webhook_url)
    url.searchParams.set('wait', 'true')
    const json = { username: configuration.username, embeds: [embed(message)], allowed_mentions: { parse: [] } }
    const got = await exchange(deps, url.href, { json }, signal)
    if ('broken' in got) return got.broken
    const { headers, json: answered } = got.answer
    const resetMs = waitMs(Number(headers.get('x-ratelimit-reset-after')))
    return outcomeOf(got.answer, deps, Math.max(resetMs, waitMs(jsonValueAt(answered, 'retry_after'))))
  },
})

/** Limits in characters; together they stay below the 6000 that all embeds of a message may have. */
const max = { title: 256, description: 4096, value: 200 }

function embed(message: Message) {
  const link = message.slo?.link
  const isPublic = link !== undefined && /^https?:\/\/[^/:]+\.[a-z]{2,}[/:]/i.test(link)
  const fields = sloFields(message)
  // Discord refuses a message with a URL whose host has no top-level domain
  if (link !== undefined && !isPublic) fields.push({ name: 'Link', value: link })
  return {
    title: cut(titleOf(message), max.title),
    url: isPublic ? link : undefined,
    description: cut(message.text, max.description) || undefined,
    color: colours[toneOf(message)],
    fields: fields.map(({ name, value }) => ({ name, value: cut(value, max.value), inline: true })),
    footer: { text: 'nines' },
    timestamp: isoTime(message.createdAtMs),
  }
}
