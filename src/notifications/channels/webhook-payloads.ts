import { isoTime } from '../../clock.ts'
import { alertIn, type Message } from './channel.ts'

/**
 * What a `webhook` channel sends with `format: nines`, version "1": fields may be added, none is renamed or removed.
 *
 * - `version`: "1".
 * - `event`: `alert`, `recovery` (what an alert told of is over) or `message` (it stands for nothing).
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
 *   `began_at`, `ended_at` (null while it goes on), `threshold` (percent of the budget remaining, of `budget:…` alone),
 *   `burn_rate` (of `burn_rate:…` alone: `factor`, `long_window`, `short_window`, and the rates `long` and `short`).
 * - `forecast`: while an alert on the burn rate goes on and budget is left, `exhausted_in_seconds` (until it is used up), at
 *   `burn_rate`; `basis` says which burn rate that is, `basis_seconds` of how long; else null.
 * - `condition`: what is wrong with nines itself, which no SLO is about: `name`, `message` and `advice` (null when it is
 *   over); else null.
 * - `links`: `slo`, the page of the SLO; null where `slo` is.
 */
export function ninesPayload(message: Message) {
  const facts = message.slo?.facts
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
    slo:
      message.slo && facts
        ? {
            id: message.slo.id,
            name: facts.slo_name,
            description: facts.description,
            labels: facts.labels,
            target: facts.target,
            time_window: facts.time_window,
            status: facts.status,
            current_value: facts.current_value,
            measured_at: facts.measured_at,
          }
        : null,
    budget: facts ? { used: facts.error_budget_used, remaining: facts.error_budget_remaining } : null,
    alert: alertIn(message),
    forecast: facts?.forecast ?? null,
    condition: message.condition
      ? { name: message.condition.condition, message: message.condition.message, advice: message.condition.advice }
      : null,
    links: { slo: message.slo?.link ?? null },
  }
}
