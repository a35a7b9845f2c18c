import { createHmac } from 'node:crypto'
import { alertmanagerPayload } from './alertmanager.ts'
import { alertIn, defineChannel, incidentIn, incidentOf, type Message } from './channel.ts'
import type { ConditionData } from '../notification-data.ts'
import { headers, type FieldReader, readFields, invalidField } from './configuration.ts'
import { exchange, outcomeOf } from './http.ts'
import { webhook as schema } from './schemas/email-and-webhook.ts'
import { isoTime } from '../../clock.ts'

/**
 * POSTs JSON to a URL: `ninesPayload`, or `alertmanagerPayload` with `format: alertmanager`. Any 2xx is an acknowledgement;
 * redirects are not followed and fail. `webhookRequests` (`webhook-document.ts`) has headers, signature and payload.
 */
export const webhook = defineChannel({
  product: null,
  schema,
  read: (input) => readFields(schema, input, { headers: ownHeaders }),
  opensIncidents: false,
  keepsAlerts: true,
  async send(deps, { webhook_url, format, secret, headers: configured = {} }, message, signal) {
    const payload = format === 'nines' ? ninesPayload(message) : alertmanagerPayload(message, deps)
    const body = JSON.stringify(payload)
    const requestHeaders = {
      ...configured,
      'idempotency-key': message.idempotencyKey,
      'x-nines-event': message.event,
      ...(secret !== undefined && { 'x-nines-signature': signature(secret, body, deps.clock.now()) }),
    }
    const result = await exchange(deps, webhook_url, { body, headers: requestHeaders }, signal)
    return 'failure' in result ? result.failure : outcomeOf(result.answer, deps)
  },
})

const ownHeaders: FieldReader<Record<string, string>> = (input, key) => {
  const customHeaders = headers(input, key)
  const ours = Object.keys(customHeaders ?? {}).find((name) => /^x-nines-/i.test(name))
  if (ours !== undefined) throw invalidField(key, `cannot have ${ours}, which nines sets itself`)
  return customHeaders
}

function signature(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/** Payload of `format: nines`, version "1". A new field is described in `webhook-document.ts`. */
function ninesPayload(message: Message) {
  const { slo } = message
  const incident = incidentIn(message)
  const data = slo?.data
  return {
    version: '1',
    event: message.event,
    id: message.id,
    idempotency_key: message.idempotencyKey,
    dedup_key: incidentIn(message) ? message.threadKey : message.alertKey,
    thread: message.threadKey,
    alert_type: message.alertType,
    priority: message.priority,
    subject: message.subject,
    message: message.text,
    created_at: isoTime(message.createdAtMs),
    slo: slo && sloOf(slo),
    budget: data
      ? {
          used: data.error_budget_used,
          remaining: data.error_budget_remaining,
          estimated: data.error_budget_estimated ?? false, // of notifications from before there were estimates
        }
      : null,
    alert: alertIn(message),
    forecast: data?.forecast ?? null,
    condition: message.condition ? conditionOf(message.condition) : null,
    incident: incident && incidentOf(incident),
    incidents: message.list?.incidents ?? null,
    ...(message.report && { report: reportOf(message.report) }),
    links: { slo: slo?.link ?? null, incident: message.list?.link ?? incident?.link ?? null },
  }
}

function reportOf({ id, name, title, starts_at, ends_at, link }: NonNullable<Message['report']>) {
  return { id, name, title, starts_at, ends_at, link }
}

function conditionOf({ condition: name, message, advice, certificate }: ConditionData) {
  return { name, message, advice, ...(certificate && { certificate }) }
}

function sloOf({ id, data }: NonNullable<Message['slo']>) {
  const { slo_name: name, description, labels, target, time_window, status, current_value, measured_at } = data
  return { id, name, description, labels, target, time_window, status, current_value, measured_at }
}
