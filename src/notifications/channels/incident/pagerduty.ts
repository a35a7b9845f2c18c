import { isoTime } from '../../../clock.ts'
import type { AlertSeverity, Priority } from '../../../db/tables/tables.ts'
import {
  alertIn,
  type ChannelDeps,
  defineChannel,
  receiverKey,
  linkOf,
  type Message,
  type Outcome,
  severityIn,
} from '../channel.ts'
import { detailsOf } from '../chat-text.ts'
import { type ConfigurationOf, readFields } from '../configuration.ts'
import { pagerduty as schema } from '../schemas/incident.ts'
import { truncate, exchange, outcomeOf } from '../http.ts'

type Configuration = ConfigurationOf<typeof schema>
type Severity = NonNullable<Configuration['severity']>

/**
 * PagerDuty's Events API v2 (developer.pagerduty.com/docs/events-api-v2). An alert or a message triggers an incident, the
 * acknowledgement of an alert acknowledges it, and its recovery resolves it. The severity is the configured one; without it the
 * alert's (page and critical are `critical`, ticket and warning are `warning`); without an alert it follows the priority.
 * `api_url` defaults to the US service; `https://events.eu.pagerduty.com` is the European one.
 */
export const pagerduty = defineChannel({
  product: 'pagerduty',
  schema,
  read: (input) => readFields(schema, input),
  opensIncidents: true,
  acknowledgesIncidents: true,
  async send(deps, configuration, message, signal) {
    const { api_url = 'https://events.pagerduty.com' } = configuration
    const body = bodyOf(deps, configuration, message)
    const result = await exchange(deps, `${api_url}/v2/enqueue`, { body }, signal)
    return 'failure' in result ? result.failure : withLongerRetry(outcomeOf(result.answer, deps))
  },
})

function bodyOf(deps: ChannelDeps, { routing_key, severity }: Configuration, message: Message): string {
  const key = { routing_key, dedup_key: receiverKey(message) }
  if (message.event === 'recovery') return JSON.stringify({ ...key, event_action: 'resolve' })
  if (message.event === 'acknowledgement') return JSON.stringify({ ...key, event_action: 'acknowledge' })
  const data = message.slo?.data
  const link = linkOf(message)
  const group = data?.labels.service ?? data?.labels.team
  const payload = {
    summary: truncate(message.subject, 1024),
    source: new URL(deps.publicUrl()).host,
    severity: severity ?? severityOf(message),
    timestamp: alertIn(message)?.began_at ?? isoTime(message.createdAtMs),
    ...(data && { component: data.slo_name }),
    ...(group !== undefined && { group }),
    class: message.alertType,
    custom_details: {
      message: message.text,
      priority: message.priority,
      ...(data && detailsOf(data)),
      ...message.condition,
      ...(message.list && { incidents: message.list.incidents }),
    },
  }
  const event = {
    ...key,
    event_action: 'trigger',
    payload,
    ...(link && { links: [{ href: link.url, text: truncate(data?.slo_name ?? link.label, 200) }] }),
    client: 'nines',
    client_url: link?.url ?? deps.publicUrl(),
  }
  const body = JSON.stringify(event)
  if (Buffer.byteLength(body) <= maxBytes) return body
  return JSON.stringify({ ...event, payload: { ...payload, custom_details: { message: tooLong } } })
}

const maxBytes = 512 * 1024
const tooLong = 'The details were left out: with them the event is larger than 512 KB. The link has them.'

const severityByAlert: Record<AlertSeverity, Severity> = {
  page: 'critical',
  critical: 'critical',
  ticket: 'warning',
  warning: 'warning',
}
const severityByPriority: Record<Priority, Severity> = {
  critical: 'critical',
  high: 'error',
  medium: 'warning',
  low: 'info',
}

function severityOf(message: Message): Severity {
  const severity = severityIn(message)
  return severity ? severityByAlert[severity] : severityByPriority[message.priority]
}

/** Outcome with a wait of 30 s after 429, as PagerDuty advises. */
function withLongerRetry(outcome: Outcome): Outcome {
  return outcome.outcome === 'retry' && outcome.statusCode === 429 ? { retryAfterMs: 30_000, ...outcome } : outcome
}
