import { isoTime } from '../../../clock.ts'
import { defineChannel, linkMissingIn, linkOf, type Message } from '../channel.ts'
import { colours, sloFields, titleOf, toneOf } from '../chat-text.ts'
import { readFields } from '../configuration.ts'
import { discord as schema } from '../schemas/chat.ts'
import { jsonValueAt, truncate, exchange, outcomeOf, requestedWaitMs } from '../http.ts'

/**
 * Discord webhooks; the URL is the credential. Sent with `wait=true`: otherwise Discord reports no error for a message that it
 * could not save. Sources: discord.com/developers/docs/resources/webhook#execute-webhook, …/topics/rate-limits.
 */
export const discord = defineChannel({
  product: 'discord',
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,

  async send(deps, configuration, message, signal) {
    const url = new URL(configuration.webhook_url)
    url.searchParams.set('wait', 'true')
    const json = { username: configuration.username, embeds: [embed(message)], allowed_mentions: { parse: [] } }
    const exchanged = await exchange(deps, url.href, { json }, signal)
    if ('failure' in exchanged) return exchanged.failure
    const { headers, json: answerJson } = exchanged.answer
    const resetMs = requestedWaitMs(Number(headers.get('x-ratelimit-reset-after')))
    return outcomeOf(exchanged.answer, deps, Math.max(resetMs, requestedWaitMs(jsonValueAt(answerJson, 'retry_after'))))
  },
})

/**
 * Limits in characters; together they stay below the 6000 that all embeds of a message may have. `value`: before markup is escaped, which
 * takes at most as many again and is only in the name of the SLO.
 */
const max = { title: 256, description: 4096, value: 200 }

/** URLs, as Discord links them without reading markup in them; characters of its markup; and those that begin a block at the start of a line. */
const markup =
  /https?:\/\/[^\s<]+[^\s<.,:;"')\]]|[\\*_~`|[<]|(?<=^[^\S\n]*)[#>+-](?=[\s#>])|(?<=^[^\S\n]*\d+)\.(?=\s)/gm

/** Text that Discord shows as it is, cut to `length` characters including backslashes; a cut is marked by `…`. */
function literal(text: string, length = Infinity): string {
  const whole = text.replaceAll(markup, (found) => (found.length > 1 ? found : `\\${found}`))
  if (whole.length <= length) return whole
  return `${whole.slice(0, length - 1).replace(/[\uD800-\uDBFF]$|(?<=(?:^|[^\\])(?:\\\\)*)\\$/, '')}…`
}

function embed(message: Message) {
  const link = linkOf(message)?.url
  const isPublic = link !== undefined && /^https?:\/\/[^/:]+\.[a-z]{2,}[/:]/i.test(link)
  const fields = sloFields(message)
  // Discord rejects a message with a URL whose host has no top-level domain
  if (link !== undefined && !isPublic && linkMissingIn(message)) fields.push({ name: 'Link', value: link })
  return {
    title: literal(titleOf(message), max.title),
    url: isPublic ? link : undefined,
    description: literal(message.text, max.description) || undefined,
    color: colours[toneOf(message)],
    fields: fields.map(({ name, value }) => ({ name, value: literal(truncate(value, max.value)), inline: true })),
    footer: { text: 'nines' },
    timestamp: isoTime(message.createdAtMs),
  }
}
