import type { Priority } from '../../../db/tables/tables.ts'
import { isText } from '../../../http/schemas.ts'
import { alertIn, type ConfigurationInput, type Message } from '../channel.ts'
import { oneOf, wrong } from '../configuration.ts'
import { cut } from '../http.ts'

type Mode = 'genie' | 'jsm'
type Responder = { type: 'team' | 'user' | 'escalation' | 'schedule'; id?: string; name?: string; username?: string }

/** Parts of a configuration that are sent with each alert. */
export type Alert = { responders?: Responder[]; tags?: string[]; priority?: 'P1' | 'P2' | 'P3' | 'P4' | 'P5' }

export function readAlertOptions(given: ConfigurationInput, mode: Mode): Alert {
  const responders = list(given, 'responders', 50, (value, at) => readResponder(value, at, mode))
  const tags = list(given, 'tags', 20, readTag)
  const priority = oneOf('P1', 'P2', 'P3', 'P4', 'P5')(given, 'priority')
  return { ...(responders && { responders }), ...(tags && { tags }), ...(priority && { priority }) }
}

/** Request body that creates an alert, within the limits of Opsgenie; JSM calls `details` `extraProperties`. */
export function alertOf({ mode, responders, tags, priority }: Alert & { mode: Mode }, message: Message, alias: string) {
  const link = message.slo ? `\n\n${message.slo.link}` : ''
  return {
    message: cut(message.subject, 130),
    alias,
    description: cut(message.text, 15_000 - link.length) + link,
    ...(responders && { responders }),
    ...(tags && { tags }),
    [mode === 'jsm' ? 'extraProperties' : 'details']: detailsOf(message),
    ...(message.slo && { entity: cut(message.slo.data.slo_name, 512) }),
    source: 'nines',
    priority: priority ?? ofPriority[message.priority],
  }
}

/** Request body that closes or acknowledges an alert. */
export function actionBody(message: Message) {
  return { source: 'nines', note: cut(`${message.subject}\n${message.text}`, 25_000) }
}

const ofPriority: Record<Priority, string> = { critical: 'P1', high: 'P2', medium: 'P3', low: 'P4' }
const maxOfDetails = 8000

/** Template data as texts, as many as the limit allows; the labels of the SLO come last. */
function detailsOf({ slo, condition, alertType }: Message): Record<string, string> {
  const { slo_name, description: _, labels = {}, alert: __, ...rest } = slo?.data ?? {}
  const alert = alertIn({ slo, ...(condition && { condition }) })
  const known = Object.entries({
    alert_type: alertType,
    slo: slo_name,
    slo_id: slo?.id,
    ...rest,
    condition: condition?.condition,
    advice: condition?.advice,
    alert: alert?.name,
    severity: alert?.severity,
    began_at: alert?.began_at,
    acknowledged_by: alert?.acknowledged?.by,
    ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`label.${name}`, value])),
  }).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[key, String(value)]],
  )
  let length = 0
  return Object.fromEntries(known.filter(([key, value]) => (length += key.length + value.length) <= maxOfDetails))
}

/** Reads a list; `at` names the item in errors. */
function list<T>(
  given: ConfigurationInput,
  key: string,
  max: number,
  read: (value: unknown, at: string) => T,
): T[] | undefined {
  const value = given[key]
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > max) throw wrong(key, `must be a list of at most ${max}`)
  return value.map((item, index) => read(item, `${key}.${index}`))
}

function readTag(value: unknown, at: string): string {
  if (typeof value !== 'string' || !isText(value, { max: 50 })) throw wrong(at, 'must be 1 to 50 characters')
  return value.trim()
}

/** Reads a responder. Opsgenie accepts its id, or the username of a user or the name of the others; JSM only the id. */
function readResponder(value: unknown, at: string, mode: Mode): Responder {
  const given: ConfigurationInput = typeof value === 'object' && value !== null ? { ...value } : {}
  const type = types.find((known) => known === given.type)
  if (!type) throw wrong(`${at}.type`, `must be one of ${types.join(', ')}`)
  const keys = mode === 'jsm' ? (['id'] as const) : (['id', type === 'user' ? 'username' : 'name'] as const)
  const key = keys.find((known) => given[known] !== undefined)
  const named = key && given[key]
  if (!key || typeof named !== 'string' || !isText(named, { max: 200 })) {
    throw wrong(at, `must be the ${keys.join(' or the ')} of the ${type}`)
  }
  return { type, [key]: named.trim() }
}

const types = ['team', 'user', 'escalation', 'schedule'] as const
