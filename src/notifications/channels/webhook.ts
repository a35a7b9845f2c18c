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
 * redirects are not followed and fail. Headers: the configured ones (such as Authorization), `Idempotency-Key` (equal for every
 * attempt), `X-Nines-Event` (alert, recovery, message) and, with a `secret`, `X-Nines-Signature: t=<Unix seconds>,v1=<hex>`. To
 * verify it: refuse a `t` more than five minutes away, compute the HMAC-SHA256 of `<t>.<body>` with the secret (as UTF-8, with
 * the raw body bytes before parsing), and compare it with `v1` in constant time.
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
    const sent = {
      ...configured,
      'idempotency-key': message.idempotencyKey,
      'x-nines-event': message.event,
      ...(secret !== undefined && { 'x-nines-signature': signature(secret, body, deps.clock.now()) }),
    }
    const result = await exchange(deps, webhook_url, { body, headers: sent }, signal)
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

/**
 * Payload of a `webhook` channel with `format: nines`, version "1": fields may be added, none is renamed or removed.
 *
 * - `version`: "1".
 * - `event`: `alert`, `recovery` (an alert has ended) or `message` (without an alert).
 * - `id`: id of the notification in the history; null for a test, and for a condition sent while the database cannot be written.
 * - `idempotency_key`: equal for every attempt, also in the header Idempotency-Key.
 * - `dedup_key`: equal for an alert, its recovery, and the same alert of the same SLO when it recurs; for all messages of an incident.
 * - `thread`: equal for an alert and its recovery only.
 * - `alert_type`, `priority` (low, medium, high, critical), `subject` (one line), `message` (may have many lines).
 * - `created_at`: ISO 8601, like all times here.
 * - `slo`: `id`, `name`, `description`, `labels`, `target` (percent), `time_window`, `status`, `current_value` (percent over
 *   the current window; null: not known), `measured_at`; null for a test and for a condition of nines itself.
 * - `budget`: `used` and `remaining`, in percent of the error budget of the whole window; overspent: above 100 and below 0; each
 *   null if not known; `estimated`: true while a tenth of the window does not exist yet, for events; null if `slo` is null.
 * - `alert`: the alert of an alert or a recovery, otherwise null: `name`, `severity` (warning, critical, page, ticket),
 *   `began_at`, `ended_at` (null while firing), `acknowledged` (`by`, `at`, `note`; null: not acknowledged), `outage` (only for
 *   `down`: `reason`, `is_up` once it has ended, and `stopped`, why nothing checks any more),
 *   `threshold` (percent of the budget remaining, only for `budget:…`),
 *   `burn_rate` (only for `burn_rate:…`: `factor`, `long_window`, `short_window`, and the rates `long` and `short`).
 * - `forecast`: while a burn rate alert fires and budget remains, `exhausted_in_seconds` (until the budget is used up) at
 *   `burn_rate`; `basis` names that burn rate, `basis_seconds` is its window; otherwise null.
 * - `condition`: a problem of nines itself, independent of SLOs: `name`, `message` and `advice` (null once it has ended); of a
 *   certificate also `certificate`: `names`, `issuer`, `server`, `fingerprint`, `expires_at`, `used_by` (`kind`, `id`, `name`), and `end`
 *   once nothing uses it (`is_renewed`, `valid_until` of the new one; null while it is used); otherwise null.
 * - `incident`: the incident of an alert or a recovery, otherwise null: `id`, `event` (`opened`, `rose`, `again`, `flapping`, `recovered`),
 *   `severity` (warning, critical: the highest so far), `began_at`, `recovered_at` (null while it fails), `relapses`, `state` of the SLO,
 *   `cause` (`label`, `value`, `failures_percent`, `traffic_percent`, `text`; null: not known), and `cost` once it has recovered: `percent`
 *   of the budget, and where time is counted `bad_seconds` of `allowed_seconds`.
 * - `incidents`: of a list of incidents, otherwise null; each with `id`, `event`, `severity`, `began_at`, `recovered_at`, `slo_id`, `slo_name`.
 * - `report`: only of the announcement of a report: `id`, `name`, `title`, `starts_at`, `ends_at`, `link`.
 * - `links`: `slo` and `incident`, their pages; null if there is none. Of a list `incident` is the page of all.
 */
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
