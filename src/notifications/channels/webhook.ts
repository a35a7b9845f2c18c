import { createHmac } from 'node:crypto'
import { alertmanagerPayload } from './alertmanager.ts'
import { defineChannel, type Given, alertIn, type Message } from './channel.ts'
import { headers, httpUrl, line, oneOf, required, wrong } from './configuration.ts'
import { exchange, outcomeOf } from './http.ts'
import { isoTime } from '../../clock.ts'

type Configuration = {
  webhook_url: string
  format: 'nines' | 'alertmanager'
  headers?: Record<string, string>
  secret?: string
}

/**
 * POSTs JSON to a URL: `ninesPayload`, or `alertmanagerPayload` with `format: alertmanager`. Any 2xx is an
 * acknowledgement; redirects are not followed and fail. Headers: those configured (Authorization, say),
 * `Idempotency-Key` (the same at every attempt), `X-Nines-Event` (alert, recovery, message) and, with a `secret`,
 * `X-Nines-Signature: t=<Unix seconds>,v1=<hex>`. To verify it: refuse a `t` more than five minutes away, take the
 * HMAC-SHA256 of `<t>.<body>` with the secret (its UTF-8, and the body's bytes as they came, before they are parsed), and
 * compare it with `v1` in constant time.
 */
export const webhook = defineChannel<Configuration>({
  product: null,
  read(given) {
    const secret = line()(given, 'secret')
    const own = ownHeaders(given)
    return {
      webhook_url: required(given, 'webhook_url', httpUrl, 'must be the http(s) URL to send to'),
      format: oneOf('nines', 'alertmanager')(given, 'format') ?? 'nines',
      ...(own && { headers: own }),
      ...(secret !== undefined && { secret }),
    }
  },
  secrets: ['webhook_url', 'headers', 'secret'],
  destinations: ['webhook_url'],
  opensIncidents: false,
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
    return 'broken' in result ? result.broken : outcomeOf(result.answer, deps)
  },
})

function ownHeaders(given: Given) {
  const own = headers(given, 'headers')
  const ours = Object.keys(own ?? {}).find((name) => /^x-nines-/i.test(name))
  if (ours !== undefined) throw wrong('headers', `must be given without ${ours}, which nines sets itself`)
  return own
}

function signature(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000)
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

/**
 * What a `webhook` channel sends with `format: nines`, version "1": fields may be added, none is renamed or removed.
 *
 * - `version`: "1".
 * - `event`: `alert`, `recovery` (an alert has ended) or `message` (of no alert).
 * - `id`: of the notification in the history; null for a test.
 * - `idempotency_key`: the same at every attempt, also in the header Idempotency-Key.
 * - `dedup_key`: the same for an alert and its recovery, and when the same alert of the same SLO comes again.
 * - `thread`: the same for an alert and its recovery only.
 * - `alert_type`, `priority` (low, medium, high, critical), `subject` (one line), `message` (maybe many lines).
 * - `created_at`: ISO 8601, as all times here.
 * - `slo`: `id`, `name`, `description`, `labels`, `target` (percent), `time_window`, `status`, `current_value` (percent
 *   over the current window; null: not known), `measured_at`; null for a test, and where nines itself is meant.
 * - `budget`: `used` and `remaining`, percents of the error budget, beyond 100 and below 0 where it is overspent; each
 *   null while it is not known; null where `slo` is.
 * - `alert`: what an alert or its recovery is about, else null: `name`, `severity` (warning, critical, page, ticket),
 *   `began_at`, `ended_at` (null while it goes on), `acknowledged` (`by`, `at`, `note`; null: by nobody), `threshold` (percent of the budget remaining, of `budget:…` alone),
 *   `burn_rate` (of `burn_rate:…` alone: `factor`, `long_window`, `short_window`, and the rates `long` and `short`).
 * - `forecast`: while an alert on the burn rate goes on and budget is left, `exhausted_in_seconds` (until it is used up), at
 *   `burn_rate`; `basis` says which burn rate that is, `basis_seconds` of how long; else null.
 * - `condition`: what is wrong with nines itself, which no SLO is about: `name`, `message` and `advice` (null when it
 *   has ended); else null.
 * - `links`: `slo`, the page of the SLO; null where `slo` is.
 */
function ninesPayload(message: Message) {
  const { slo } = message
  const data = slo?.data
  return {
    version: '1',
    event: message.event,
    id: message.id,
    idempotency_key: message.idempotencyKey,
    dedup_key: message.alertKey,
    thread: message.threadKey,
    alert_type: message.alertType,
    priority: message.priority,
    subject: message.subject,
    message: message.text,
    created_at: isoTime(message.createdAtMs),
    slo: slo && sloOf(slo),
    budget: data ? { used: data.error_budget_used, remaining: data.error_budget_remaining } : null,
    alert: alertIn(message),
    forecast: data?.forecast ?? null,
    condition: message.condition
      ? { name: message.condition.condition, message: message.condition.message, advice: message.condition.advice }
      : null,
    links: { slo: message.slo?.link ?? null },
  }
}

function sloOf({ id, data }: NonNullable<Message['slo']>) {
  const { slo_name: name, description, labels, target, time_window, status, current_value, measured_at } = data
  return { id, name, description, labels, target, time_window, status, current_value, measured_at }
}
