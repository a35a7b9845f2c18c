import { type ChannelDeps, defineChannel, linkMissingIn, type Message, type Outcome } from '../channel.ts'
import { titleOf, type Tone, toneOf } from '../chat-text.ts'
import { type ConfigurationOf, readFields, invalidField } from '../configuration.ts'
import { apprise as schema } from '../schemas/push.ts'
import { exchange, type HttpAnswer, outcomeOf, errorTextIn } from '../http.ts'

type Configuration = ConfigurationOf<typeof schema>

/**
 * Apprise API (github.com/caronc/apprise-api), which forwards a message to the configured services: with `key`, to the URLs
 * stored there, or to those of them with a `tag`; with `urls`, to these. Its response covers all of them: if one fails, all get
 * the message again with the next attempt.
 */
export const apprise = defineChannel({
  product: null,
  schema,
  read: (input) => withTarget(readFields(schema, input)),
  opensIncidents: false,

  async send(deps, { api_url, key, tag, urls, headers = {} }, message, signal) {
    const json = { ...contentOf(message), ...(urls === undefined ? tag !== undefined && { tag } : { urls }) }
    const path = key === undefined ? '/notify/' : `/notify/${key}`
    const exchanged = await exchange(
      deps,
      api_url + path,
      { json, headers: { accept: 'application/json', ...headers } },
      signal,
    )
    return 'failure' in exchanged ? exchanged.failure : outcomeOfAnswer(exchanged.answer, deps)
  },
})

/** Outcome of a response. 204: nothing is configured to forward to. 424: at least one service did not get the message. */
function outcomeOfAnswer(answer: HttpAnswer, deps: ChannelDeps): Outcome {
  const { status: statusCode, json } = answer
  if (statusCode === 204) {
    return {
      outcome: 'failed',
      statusCode,
      error: 'the receiver answered 204: nothing is configured for this key or tag',
    }
  }
  if (statusCode === 424)
    return { outcome: 'retry', statusCode, error: `the receiver answered 424${errorTextIn(json)}` }
  const outcome = outcomeOf(answer, deps)
  return outcome.outcome === 'delivered' ? { ...outcome, outcome: 'sent' } : outcome
}

const types: Record<Tone, string> = { red: 'failure', amber: 'warning', green: 'success', grey: 'info' }

function contentOf(message: Message) {
  const title = titleOf(message)
  const text = message.text.trim() || title
  const link = linkMissingIn(message)
  return { title, body: link === null ? text : `${text}\n\n${link}`, type: types[toneOf(message)], format: 'text' }
}

/** Returns a configuration with either a key, and perhaps a tag, or URLs; throws `invalid`. */
function withTarget(configuration: Configuration): Configuration {
  const { key, tag, urls } = configuration
  if (key !== undefined && urls !== undefined)
    throw invalidField('urls', 'cannot be sent with key: send one of the two')
  if (key !== undefined) return configuration
  if (urls === undefined) throw invalidField('key', 'is required, or urls')
  if (tag !== undefined) throw invalidField('tag', 'cannot be sent without key')
  if (!/^[a-z][\w+.-]*:\/\/\S/i.test(urls)) throw invalidField('urls', 'must be URLs of Apprise, separated by commas')
  return configuration
}
