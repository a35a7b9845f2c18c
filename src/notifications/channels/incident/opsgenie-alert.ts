import type { Priority } from '../../../db/tables/tables.ts'
import { isText } from '../../../http/schemas.ts'
import { alertIn, type ConfigurationInput, incidentIn, linkMissingIn, type Message } from '../channel.ts'
import { detailsOf as dataOf } from '../chat-text.ts'
import { type ConfigurationOf, entriesOf, type FieldReader, invalidField } from '../configuration.ts'
import { truncate } from '../http.ts'
import { opsgenie as schema } from '../schemas/incident.ts'

type Responder = { type: 'team' | 'user' | 'escalation' | 'schedule'; id?: string; name?: string; username?: string }

/** With `mode: genie` it has an `api_key`, with `mode: jsm` a `cloud_id`, an `email` and an `api_token`. */
export type Configuration = ConfigurationOf<typeof schema, { responders: typeof readResponders }>

/** Request body that creates an alert, within the limits of Opsgenie; JSM calls `details` `extraProperties`. */
export function alertOf({ mode, responders, tags, priority }: Configuration, message: Message, alias: string) {
  const missingLink = linkMissingIn(message)
  const link = missingLink === null ? '' : `\n\n${missingLink}`
  return {
    message: truncate(message.subject, 130),
    alias,
    description: truncate(message.text, 15_000 - link.length) + link,
    ...(responders && { responders }),
    ...(tags && { tags }),
    [mode === 'jsm' ? 'extraProperties' : 'details']: detailsOf(message),
    ...(message.slo && { entity: truncate(message.slo.data.slo_name, 512) }),
    source: 'nines',
    priority: priority ?? priorities[message.priority],
  }
}

/** Request body that closes or acknowledges an alert. */
export function actionBody(message: Message) {
  return { source: 'nines', note: truncate(`${message.subject}\n${message.text}`, 25_000) }
}

const priorities: Record<Priority, string> = { critical: 'P1', high: 'P2', medium: 'P3', low: 'P4' }
const maxOfDetails = 8000

/** Template data as texts, as many as the limit allows; the labels of the SLO come last. */
function detailsOf({ slo, condition, alertType }: Message): Record<string, string> {
  const { slo_name, description: _, labels = {}, alert: __, ...rest } = slo ? dataOf(slo.data) : {}
  const incident = incidentIn({ slo })
  const alert = alertIn({ slo, ...(condition && { condition }) })
  const details = Object.entries({
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
    incident_id: incident?.id,
    incident_event: incident?.event,
    cause: incident?.cause?.text,
    ...Object.fromEntries(Object.entries(labels).map(([name, value]) => [`label.${name}`, value])),
  }).flatMap(([key, value]): [string, string][] =>
    value === undefined || value === null || typeof value === 'object' ? [] : [[key, String(value)]],
  )
  let length = 0
  return Object.fromEntries(details.filter(([key, value]) => (length += key.length + value.length) <= maxOfDetails))
}

/** Reads responders. Opsgenie accepts the id of each, or the username of a user or the name of the others; JSM only the id. */
export const readResponders: FieldReader<Responder[]> = (input, key) =>
  entriesOf(input, key, schema.responders)?.map((value, index) => {
    const path = `${key}.${index}`
    const responder: ConfigurationInput = typeof value === 'object' && value !== null ? { ...value } : {}
    const type = types.find((known) => known === responder['type'])
    if (!type) throw invalidField(`${path}.type`, `must be one of ${types.join(', ')}`)
    const named = type === 'user' ? 'username' : 'name'
    const keys = input['mode'] === 'jsm' ? (['id'] as const) : (['id', named] as const)
    const nameKey = keys.find((known) => responder[known] !== undefined)
    const name = nameKey && responder[nameKey]
    if (!nameKey || typeof name !== 'string' || !isText(name, { max: 200 })) {
      throw invalidField(path, `must be the ${keys.join(' or the ')} of the ${type}`)
    }
    return { type, [nameKey]: name.trim() }
  })

const types = ['team', 'user', 'escalation', 'schedule'] as const
