import type { Priority } from '../../../db/tables/tables.ts'
import { type ChannelDeps, defineChannel, linkOf, type Message, type Outcome, threadName } from '../channel.ts'
import { titleOf } from '../chat-text.ts'
import { type ConfigurationOf, readFields } from '../configuration.ts'
import { pushover as schema } from '../schemas/push.ts'
import { jsonValueAt, truncate, exchange, type HttpAnswer, outcomeOf, unlessConfirmed } from '../http.ts'

type Configuration = ConfigurationOf<typeof schema>

/**
 * Pushover's Message API (pushover.net/api). Without `emergency` the highest priority is 1, which also sounds in quiet hours.
 * With it, an alert of priority `critical` is repeated until somebody acknowledges it in the app; its recovery or
 * acknowledgement cancels the repetition by a tag (pushover.net/api/receipts).
 */
export const pushover = defineChannel({
  product: null,
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: false,
  acknowledgesIncidents: true,

  async send(deps, configuration, message, signal) {
    const isAcknowledged = message.event === 'acknowledgement'
    if (configuration.emergency && (isAcknowledged || message.event === 'recovery')) {
      const path = `/1/receipts/cancel_by_tag/${threadName(message)}.json`
      const cancelled = await post(deps, configuration, path, {}, signal)
      if (isAcknowledged || cancelled.outcome === 'retry') return cancelled
    }
    if (isAcknowledged) return { outcome: 'delivered', statusCode: null, note: 'nothing is repeated: nothing to end' }
    return post(deps, configuration, '/1/messages.json', contentOf(configuration, message), signal)
  },
})

async function post(
  deps: ChannelDeps,
  { api_url, app_token }: Configuration,
  path: string,
  content: Content,
  signal: AbortSignal,
): Promise<Outcome> {
  const body = new URLSearchParams({ token: app_token, ...texts(content) }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const exchanged = await exchange(deps, api_url + path, { body, headers }, signal)
  if ('failure' in exchanged) return exchanged.failure
  const outcome = outcomeOf(exchanged.answer, deps, untilReset(exchanged.answer, deps))
  return unlessConfirmed(outcome, jsonValueAt(exchanged.answer.json, 'status') === 1, 'Pushover')
}

type Content = Record<string, string | number | undefined>

function texts(content: Content): Record<string, string> {
  const defined = Object.entries(content).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined.map(([name, value]) => [name, String(value)]))
}

/** Retry delay in ms: at least the 5 s that Pushover requires; after 429, until the monthly quota resets. */
function untilReset({ status, headers }: HttpAnswer, { clock }: ChannelDeps): number {
  const resetMs = status === 429 ? Number(headers.get('x-limit-app-reset')) * 1000 - clock.now() : 0
  return Math.max(5000, resetMs)
}

const max = { message: 1024, title: 250, url: 512, urlTitle: 100 }

/** Pushover priorities: low is quiet; all show a notification. */
const priorities: Record<Priority, number> = { low: -1, medium: 0, high: 1, critical: 1 }

function contentOf(configuration: Configuration, message: Message): Content {
  const { user_key, device, sound, emergency, retry_seconds, expire_seconds } = configuration
  const { event, priority, slo, createdAtMs } = message
  const title = titleOf(message)
  const link = linkOf(message)
  const urlTitle = slo?.data.slo_name ?? link?.label ?? ''
  return {
    user: user_key,
    title: truncate(title, max.title),
    message: truncate(message.text.trim() || title, max.message),
    priority: event === 'recovery' ? 0 : priorities[priority],
    timestamp: Math.floor(createdAtMs / 1000),
    device,
    sound,
    ...(link && link.url.length <= max.url && { url: link.url, url_title: truncate(urlTitle, max.urlTitle) }),
    ...(emergency &&
      event === 'alert' &&
      priority === 'critical' && {
        priority: 2,
        retry: retry_seconds,
        expire: expire_seconds,
        tags: threadName(message),
      }),
  }
}
