import { t } from 'elysia'
import { isoTime } from '../clock.ts'
import { AppError } from '../errors.ts'
import { JsonBoundsError, parseJson } from '../http/bodies/json.ts'
import { BodyId, OneOf, readerOf } from '../http/schemas.ts'
import { detailOf } from '../http/openapi/operation.ts'
import type { WindowBudget } from '../slos/arithmetic/budget.ts'

/** Messages of the WebSocket: JSON objects `{type, data}`, one per text frame. */

const channels = ['status', 'metrics'] as const

/** Kinds of updates: `status` reports an SLO when its status changes, `metrics` whenever it has been evaluated. */
export type Channel = (typeof channels)[number]

/** Request of a client. */
type ClientMessage =
  | { type: 'subscribe'; subject: Subject; channels: Channel[] }
  | { type: 'unsubscribe'; subject: Subject }
  | { type: 'ping' }

/** Name of a state, its start in ISO 8601, its reason, and the current burn rate; null: not known. */
type StateFields = {
  state: string
  state_since: string | null
  state_reason: string | null
  burn_rate_now: number | null
}

/** State of an SLO. Values and the budget used are in percent; null: not known. */
export type SloUpdate = {
  sloId: number
  organizationId: number
  status: string
  stateFields: StateFields
  current: number | null
  target: number
  budgetUsed: number | null
  windowBudget: WindowBudget
  atMs: number
}

/** Notification that has been created, delivered or not. */
export type NotificationUpdate = {
  id: number
  organization_id: number
  slo_id: number
  alert_type: string
  priority: string
  subject: string
  message: string
  created_at: number
}

/** Acknowledgement of an alert; `acknowledged` null: it was withdrawn. `slo_id` null: a condition of nines itself. */
export type AcknowledgementUpdate = {
  alert_id: number
  organization_id: number
  slo_id: number | null
  acknowledged: { by: string; at: string; note: string } | null
}

/** An incident after a change; times in Unix seconds. */
export type IncidentUpdate = {
  id: number
  organization_id: number
  slo_id: number
  severity: string
  state: string
  began_at: number
  opened_at: number
  since: number
  recovered_at: number | null
  closed_at: number | null
  close_reason: string | null
  relapses: number
  cause: {
    label: string
    value: string
    failures_percent: number
    traffic_percent: number | null
    text: string
  } | null
  acknowledged: AcknowledgementUpdate['acknowledged']
}

/** Change of an incident that live clients get. */
export type IncidentEvent = 'opened' | 'changed' | 'closed'

/** Subject of a subscription: an SLO by its id, or all SLOs of the organization, including those created later. */
export type Subject = number | 'all'

const channelsText = `1 to ${channels.length} of ${channels.join(', ')}`
const unknownFieldsAllowed = { additionalProperties: true }
const Named = t.Object(
  { slo_id: t.Optional(BodyId('SLO')), all: t.Optional(t.Literal(true, { description: 'true' })) },
  unknownFieldsAllowed,
)
const Subscription = t.Composite(
  [
    Named,
    t.Object({
      channels: t.Optional(
        t.Array(OneOf(channels), { minItems: 1, maxItems: channels.length, description: channelsText }),
      ),
    }),
  ],
  unknownFieldsAllowed,
)
const readNamed = readerOf(t.Object({ data: Named }, unknownFieldsAllowed))
const readSubscription = readerOf(t.Object({ data: Subscription }, unknownFieldsAllowed))

/** Parses a message of a client. Throws `invalid` with a sentence on what must hold. The `data` of a `ping` is ignored. */
export function readClientMessage(text: string): ClientMessage {
  const message = parse(text)
  try {
    switch (message.type) {
      case 'subscribe': {
        const { data } = readSubscription(message)
        return { type: 'subscribe', subject: subjectOf(data), channels: [...new Set(data.channels ?? channels)] }
      }
      case 'unsubscribe':
        return { type: 'unsubscribe', subject: subjectOf(readNamed(message).data) }
      case 'ping':
        return { type: 'ping' }
    }
  } catch (cause) {
    if (!(cause instanceof AppError)) throw cause
    throw new AppError('invalid', cause.details ?? cause.message, { cause })
  }
  throw new AppError('invalid', 'type: must be one of subscribe, unsubscribe, ping')
}

function subjectOf({ slo_id, all }: typeof Named.static): Subject {
  if (all === true) return 'all'
  if (slo_id === undefined) throw new AppError('invalid', 'data.slo_id: must be the SLO id, a whole number from 1')
  return slo_id
}

function parse(text: string): { type?: unknown } {
  try {
    const value: unknown = parseJson(text)
    if (typeof value === 'object' && value !== null) return value
  } catch (cause) {
    if (cause instanceof JsonBoundsError) throw new AppError('invalid', cause.message, { cause })
  } // anything else is reported below
  throw new AppError('invalid', 'must be a JSON object with type and data')
}

export function confirmation(subject: Subject, channels: Channel[], clientId: string): string {
  return wire('subscription_confirmed', { ...named(subject), channels, client_id: clientId })
}

export function unsubscription(subject: Subject, message: string): string {
  return wire('unsubscription_confirmed', { ...named(subject), message })
}

function named(subject: Subject) {
  return subject === 'all' ? { all: true } : { slo_id: subject }
}

export function sloUpdate({
  sloId,
  status,
  current,
  target,
  budgetUsed,
  windowBudget,
  atMs,
  stateFields,
}: SloUpdate): string {
  return wire('slo_update', {
    slo_id: sloId,
    status,
    ...stateFields,
    current_value: current,
    target_value: target,
    error_budget_used: budgetUsed,
    window_percent_used: windowBudget.usedPercent,
    window_percent_estimated: windowBudget.isEstimated,
    timestamp: isoTime(atMs),
  })
}

export function notification({
  id,
  slo_id,
  alert_type,
  priority,
  subject,
  message,
  created_at,
}: NotificationUpdate): string {
  const timestamp = isoTime(created_at)
  return wire('notification', { notification_id: id, slo_id, alert_type, priority, subject, message, timestamp })
}

export function acknowledgement({ alert_id, slo_id, acknowledged }: AcknowledgementUpdate): string {
  return wire('acknowledgement', { alert_id, slo_id, acknowledged })
}

export function incident(update: IncidentUpdate, event: IncidentEvent): string {
  const { id, slo_id, severity, state, began_at, since, recovered_at, closed_at, close_reason } = update
  return wire('incident', {
    incident_id: id,
    slo_id,
    event,
    severity,
    state,
    began_at: isoTime(began_at * 1000),
    since: isoTime(since * 1000),
    recovered_at: recovered_at === null ? null : isoTime(recovered_at * 1000),
    closed_at: closed_at === null ? null : isoTime(closed_at * 1000),
    close_reason,
    relapses: update.relapses,
    cause: update.cause,
    acknowledged: update.acknowledged,
  })
}

export function pong(nowMs: number, clientId: string): string {
  return wire('pong', { timestamp: isoTime(nowMs), client_id: clientId })
}

export function problem(message: string): string {
  return wire('error', { message })
}

function wire(type: string, data: object): string {
  return JSON.stringify({ type, data })
}

const description = `A WebSocket; each text frame holds one JSON object \`{type, data}\`. The token comes in the \`Authorization\` header, else as
\`bearer.<token>\` beside \`nines.v1\` in \`Sec-WebSocket-Protocol\`, else as \`?token=\`.

| from the client | \`data\` |
| --- | --- |
| \`subscribe\` | \`slo_id\`, or \`all: true\` for all SLOs of the organization, and \`channels\`: \`status\` (when the status or the state changes), \`metrics\` (whenever it is evaluated), or both, as where there are none |
| \`unsubscribe\` | \`slo_id\`, or \`all: true\` |
| \`ping\` | |

| from nines | \`data\` |
| --- | --- |
| \`subscription_confirmed\` | \`slo_id\` or \`all\`, \`channels\`, \`client_id\` |
| \`unsubscription_confirmed\` | \`slo_id\` or \`all\`, \`message\`; an SLO that was deleted ends its subscriptions |
| \`slo_update\` | \`slo_id\`, \`status\`, \`state\`, \`state_since\`, \`state_reason\`, \`burn_rate_now\`, \`current_value\`, \`target_value\`, \`error_budget_used\`, \`window_percent_used\`, \`window_percent_estimated\`, \`timestamp\` |
| \`notification\` | \`notification_id\`, \`slo_id\`, \`alert_type\`, \`priority\`, \`subject\`, \`message\`, \`timestamp\`; of nines itself, which is no SLO, none are sent |
| \`acknowledgement\` | \`alert_id\`, \`slo_id\`, \`acknowledged\`: \`by\`, \`at\` and \`note\`, or null where it was withdrawn; of nines itself (\`slo_id\` null) to who has subscribed to \`all\` |
| \`incident\` | \`incident_id\`, \`slo_id\`, \`event\` (\`opened\`, \`changed\` or \`closed\`), \`severity\`, \`state\`, \`began_at\`, \`since\`, \`recovered_at\`, \`closed_at\`, \`close_reason\`, \`relapses\`, \`cause\`, \`acknowledged\`; to all subscribers of the SLO, whatever their channels |
| \`pong\` | \`timestamp\`, \`client_id\` |
| \`error\` | \`message\` |

A connection ends with code 4401 once its token is no longer good, 1001 when nines stops, 1008 after more than 2,000 messages
in a minute (one of several kilobytes counts for each), 1009 after a message over 64 KiB; one that leaves 1 MiB unread is cut off.`

export const reference = {
  ...detailOf('subscribe', 'Changes as they happen', {
    description,
    101: { description: 'The connection is a WebSocket from here on' },
    403: 'The page that connects is of an origin that is not allowed',
    426: 'The request is not a WebSocket handshake',
    429: 'Too many requests, or the user has 100 connections',
    503: 'nines is stopping, or has as many connections as it can',
  }),
  parameters: [
    {
      name: 'token',
      in: 'query',
      description: 'for clients that can send it in no header; addresses end up in logs',
      schema: { type: 'string' as const },
    },
  ],
}
