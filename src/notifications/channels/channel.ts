import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { AlertSeverity, NotificationEvent, Priority } from '../../db/tables/tables.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { MailAllowance } from '../../mail.ts'
import type {
  AlertData,
  ConditionData,
  IncidentData,
  IncidentList,
  ListedIncident,
  ReportNotice,
  SloData,
} from '../notification-data.ts'
import type { Zone } from '../../zone.ts'
import { isUrgent } from '../alerts/alert-name.ts'
import { readTls, refuseTls, urlsOf, withTls } from './channel-tls.ts'
import type { Recipients } from '../recipients/recipients.ts'
import type { ChannelSchema } from './schemas/schema.ts'

/** Message for a channel to deliver. Each channel applies the length limits of its receiver. */
export type Message = {
  /** null: not in the history, such as a test. */
  id: number | null
  organizationId: number
  /** Equal for every attempt. */
  idempotencyKey: string
  event: NotificationEvent
  /** True for a message that only announces a rule or a report. Its priority is `low`, and channels that open incidents do not get it. */
  isAboutRule: boolean
  /** Equal for an alert, its recovery, and the same alert of the same SLO when it recurs. */
  alertKey: string
  /** Equal for all messages of one incident; outside of incidents, for one alert and its recovery only. */
  threadKey: string
  alertType: string
  priority: Priority
  /** Single line. */
  subject: string
  /** May have many lines. */
  text: string
  createdAtMs: number
  /** Zone of the organization, for a channel that writes times itself; absent: UTC. */
  zone?: Zone
  /** null: a test, a condition of nines itself, a list of incidents, or a report. */
  slo: { id: number; data: SloData; link: string } | null
  /** Set for a condition of nines itself. */
  condition?: ConditionData
  /** Set for a list of incidents. */
  list?: Omit<IncidentList, 'incidents'> & { incidents: ThreadedIncident[] }
  /** Set for the announcement of a report. */
  report?: ReportNotice['report']
}

/** Incident of a list, with the thread of the messages that are about it alone. */
export type ThreadedIncident = ListedIncident & { thread: string }

/** Data of the alert that a message is about; null: it is about none, or a list. */
export function alertIn({ slo, condition }: Pick<Message, 'slo' | 'condition'>): AlertData | null {
  return slo?.data.alert ?? condition?.alert ?? null
}

/** Incident of a message; null: it is about none, or a list. */
export function incidentIn({ slo }: Pick<Message, 'slo'>): IncidentData | null {
  return slo?.data.incident ?? null
}

/** Incident in the form of payloads. */
export function incidentOf(incident: IncidentData) {
  const { id, event, severity, began_at, recovered_at, relapses, state, cost, cause = null } = incident
  return { id, event, severity, began_at, recovered_at, relapses, state, cost, cause }
}

/** Severity of the alert or the incidents that a message is about; null: it is about none. */
export function severityIn(message: Pick<Message, 'slo' | 'condition' | 'list'>): AlertSeverity | null {
  const { list } = message
  return list ? (list.kind === 'warning' ? 'warning' : 'critical') : (alertIn(message)?.severity ?? null)
}

/** Page that a message leads to: its report, its incident, its incidents, or its SLO; `label`: of a button for it; null: none. */
export function linkOf(message: Pick<Message, 'slo' | 'list' | 'report'>): { url: string; label: string } | null {
  const { slo, list, report } = message
  if (report) return { url: report.link, label: 'Open the report' }
  if (list) return { url: list.link, label: 'Open the incidents' }
  const incident = incidentIn(message)
  if (incident?.link) return { url: incident.link, label: 'Open the incident' }
  return slo && { url: slo.link, label: 'Open the SLO' }
}

/** The link of a message whose text does not have it already, for receivers that have no other place for it; null: none. */
export function linkMissingIn(message: Pick<Message, 'slo' | 'list' | 'report' | 'text'>): string | null {
  const link = linkOf(message)
  return link && !message.text.includes(link.url) ? link.url : null
}

/**
 * Key under which a receiver keeps an incident. For an incident of nines: its thread and whether it is urgent. For an alert that belongs to
 * none: its `alertKey`, which its recovery shares. For a message: unique, or it would count as a repetition of the previous one. At most 250
 * characters, which every receiver accepts.
 */
export function receiverKey(message: Message): string {
  const { event, alertKey, threadKey, idempotencyKey } = message
  const severity = isUrgent({ severity: severityIn(message) }) ? 'critical' : 'warning'
  const key = incidentIn(message) ? `${threadKey}-${severity}` : alertKey
  return (event === 'message' ? idempotencyKey : key).slice(0, 250)
}

/** Hash of `threadKey`, for receivers that accept few characters: 32 hexadecimal digits. */
export function threadName({ threadKey }: Pick<Message, 'threadKey'>): string {
  return createHash('sha256').update(threadKey).digest('hex').slice(0, 32)
}

/** Outcome of an attempt. `error` is for people and for the history; `attempt` removes secrets from it. */
export type Outcome =
  /** `delivered`: the receiver itself acknowledged; `sent`: a relay accepted it. `note`: remark for the history. */
  | { outcome: 'delivered' | 'sent'; statusCode: number | null; note?: string }
  /** Another attempt may succeed, but not before `retryAfterMs`, if the receiver set it. */
  | { outcome: 'retry'; statusCode: number | null; error: string; retryAfterMs?: number }
  /** Nothing was sent because of a limit in nines: neither an attempt nor a failure of the receiver. */
  | { outcome: 'held'; error: string; waitMs: number }
  /** A repeated request would be refused again. */
  | { outcome: 'failed'; statusCode: number | null; error: string }

/**
 * Dependencies of channels. `smtp`: the instance's mail server (SMTP_URL) and its sender; `recipients` and `allowance`: whom it
 * may mail, and how often; `publicUrl`: base URL of nines; `reportFile`: the HTML file of a report, null where it is gone or too large.
 */
export type ChannelDeps = {
  outbound: Outbound
  clock: Clock
  smtp: { url: string | null; from: string }
  recipients: Recipients
  allowance: MailAllowance
  publicUrl: () => string
  reportFile: (organizationId: number, reportId: number) => Promise<{ filename: string; content: string } | null>
}

/** Configuration as it was sent or stored: JSON. */
export type ConfigurationInput = Record<string, unknown>

type Definition<C extends ConfigurationInput> = {
  /** Product name in lower case, which the API accepts as another name of the type; null: there is no other name. */
  product: string | null
  schema: ChannelSchema
  /** Validates a configuration and returns the part to store; throws `invalid('configuration.KEY', 'must …')`. */
  read(input: ConfigurationInput): C
  /** True if an alert opens an incident at the receiver. Its recovery closes it, with the configuration that opened it. */
  opensIncidents: boolean
  /** False if it sends by another protocol than HTTP; absent: its configuration may have `tls`, which every request gets. */
  sendsHttp?: boolean
  /** True if receivers keep each alert by its key until it is ended; absent: they keep none. */
  keepsAlerts?: boolean
  /** True if it accepts the event `acknowledgement`, to acknowledge the incident; absent: it never gets one. */
  acknowledgesIncidents?: boolean
  /** Makes one attempt; throws only if `signal` aborts. */
  send(deps: ChannelDeps, configuration: C, message: Message, signal: AbortSignal): Promise<Outcome>
}

/** Channel type with any configuration. `secrets`, `destinations`: the keys with `isSecret`, `isDestination` in its schema. */
export type ChannelType = Definition<ConfigurationInput> & {
  secrets: readonly string[]
  destinations: readonly string[]
}

/** Defines a channel type, to be listed in `index.ts`. */
export function defineChannel<C extends ConfigurationInput>(definition: Definition<C>): ChannelType {
  const { read: readOwn, send, ...rest } = definition
  const read = (input: ConfigurationInput): C => {
    if (rest.sendsHttp === false) refuseTls(input)
    const own = readOwn(input)
    const tls = rest.sendsHttp === false ? null : readTls(input, urlsOf(rest.schema, own))
    return tls ? { ...own, tls } : own
  }
  const memoized = new WeakMap<ConfigurationInput, C>() // a configuration is opened once and used many times
  const readOnce = (input: ConfigurationInput): C => {
    const configuration = memoized.get(input) ?? read(input)
    memoized.set(input, configuration)
    return configuration
  }
  const keysWith = (property: 'isSecret' | 'isDestination') =>
    Object.entries(rest.schema).flatMap(([key, field]) => (field[property] ? [key] : []))
  return {
    ...rest,
    secrets: keysWith('isSecret'),
    destinations: keysWith('isDestination'),
    read,
    async send(deps, input, message, signal) {
      const configuration = readOnce(input)
      return send({ ...deps, outbound: withTls(deps.outbound, configuration) }, configuration, message, signal)
    },
  }
}
