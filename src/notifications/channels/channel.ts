import { createHash } from 'node:crypto'
import type { Clock } from '../../clock.ts'
import type { NotificationEvent, Priority } from '../../db/tables/tables.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { MailAllowance } from '../../mail.ts'
import type { AlertData, ConditionData, SloData } from '../notification-data.ts'
import type { Recipients } from '../recipients/recipients.ts'

/** What a channel is to deliver. A receiver's own limits of length are the channel's business. */
export type Message = {
  /** null: in no history, as a test. */
  id: number | null
  organizationId: number
  /** The same at every attempt. */
  idempotencyKey: string
  event: NotificationEvent
  /** It says that there is a rule, and is never above the lowest severity; what opens incidents gets none. */
  isAboutRule: boolean
  /** The same for an alert and its recovery, and for the same alert of the same SLO when it comes again. */
  alertKey: string
  /** The same for an alert and its recovery only. */
  threadKey: string
  alertType: string
  priority: Priority
  /** One line. */
  subject: string
  /** May have many lines. */
  text: string
  createdAtMs: number
  /** null: a test, or of nines itself. */
  slo: { id: number; data: SloData; link: string } | null
  /** Of nines itself. */
  condition?: ConditionData
}

/** What an alert or its recovery is about; null for a message. */
export function alertIn({ slo, condition }: Pick<Message, 'slo' | 'condition'>): AlertData | null {
  return slo?.data.alert ?? condition?.alert ?? null
}

/**
 * Under which key a receiver keeps an incident: one for an alert and its recovery; a message has one of its own, or it
 * would pass for a repetition of the one before. At most 250 characters, which every receiver takes.
 */
export function incidentKey({ event, alertKey, idempotencyKey }: Message): string {
  return (event === 'message' ? idempotencyKey : alertKey).slice(0, 250)
}

/** A name for an alert and its recovery, or for one message, where receivers take few characters: 32 hexadecimal digits. */
export function threadName({ threadKey }: Pick<Message, 'threadKey'>): string {
  return createHash('sha256').update(threadKey).digest('hex').slice(0, 32)
}

/** The outcome of an attempt. `error` is for people and for the history; `attempt` takes secrets out. */
export type Outcome =
  /** `delivered`: the receiver itself acknowledged; `sent`: a relay has taken it. `note`: what is still worth knowing. */
  | { outcome: 'delivered' | 'sent'; statusCode: number | null; note?: string }
  /** Another attempt may succeed, but not sooner than the receiver said. */
  | { outcome: 'retry'; statusCode: number | null; error: string; retryAfterMs?: number }
  /** Nothing was sent, by a bound of nines' own: no attempt, and no trouble of the receiver. */
  | { outcome: 'held'; error: string; waitMs: number }
  /** The same request would be refused again. */
  | { outcome: 'failed'; statusCode: number | null; error: string }

/**
 * `smtp`: the instance's own server (SMTP_URL), and its sender; `recipients` and `allowance`: whom it may mail, and how often.
 * `publicUrl`: where nines itself is.
 */
export type ChannelDeps = {
  outbound: Outbound
  clock: Clock
  smtp: { url: string | null; from: string }
  recipients: Recipients
  allowance: MailAllowance
  publicUrl: () => string
}

/** A configuration as it was sent or stored: JSON. */
export type Given = Record<string, unknown>

type Definition<C extends Given> = {
  /** The product that the type is made for, in lower case; the API takes it as a name of the type. null: there is none, or the type has its name. */
  product: string | null
  /** Checks a configuration and gives what of it is kept; throws `invalid('configuration.KEY', 'must …')`. */
  read(given: Given): C
  /** Keys masked in responses: their text, the values of a record of texts, or of a URL what follows the host. */
  secrets: readonly (keyof C & string)[]
  /** Keys that say where the secrets are sent: with another value, a masked secret is refused. */
  destinations: readonly (keyof C & string)[]
  /** An alert opens an incident there, which its recovery closes: with the configuration that opened it. */
  opensIncidents: boolean
  /** It takes messages of the event `acknowledgement`, and acknowledges the incident of the alert; absent: it never gets one. */
  acknowledgesIncidents?: boolean
  /** One attempt; never throws but for `signal`. */
  send(deps: ChannelDeps, configuration: C, message: Message, signal: AbortSignal): Promise<Outcome>
}

/** A type of channel, whatever its configuration is. */
export type ChannelType = Definition<Given>

/** What a file of this folder exports, to be listed in `index.ts`. */
export function defineChannel<C extends Given>(definition: Definition<C>): ChannelType {
  const { read, send, ...rest } = definition
  const known = new WeakMap<Given, C>() // one is opened once and used many times
  const readOnce = (given: Given): C => {
    const configuration = known.get(given) ?? read(given)
    known.set(given, configuration)
    return configuration
  }
  return {
    ...rest,
    read,
    send: async (deps, configuration, message, signal) => send(deps, readOnce(configuration), message, signal),
  }
}
