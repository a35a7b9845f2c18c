import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { type SloData, sloDataOf, linkTo } from '../notification-data.ts'
import type { Draft } from '../outbox-store.ts'
import type { TemplateData } from '../templates/template-data.ts'
import { type Template, write } from '../templates/templates.ts'
import { alertDataOf } from './alert-data.ts'
import type { Standing } from './alert-states.ts'
import type { RuleOfChannel, SentNotification } from './alert-store.ts'

export type RaiseDeps = { clock: Clock; publicUrl: () => string; config: Pick<Config, 'notifyDedupWindowSeconds'> }

/** What is known of SLOs whose alerts go on or have ended: the rules in force, and who was told of these alerts already. */
export type Known = { standings: Standing[]; rules: RuleOfChannel[]; tellings: SentNotification[] }

/** The data of an SLO and one of its alerts, as an evaluation found them. */
function sloDataOfAlert({ slo, evaluation }: Standing, alert: AlertRow): SloData {
  const measured = {
    status: evaluation.status,
    current_value: evaluation.current,
    budget_used: evaluation.budgetUsed,
    measured_at: evaluation.atSeconds * 1000,
  }
  return sloDataOf(slo, measured, alertDataOf(evaluation.burnRates, alert))
}

/** To whom a notification goes, and as what. */
export type Envelope = Pick<
  Draft,
  'rule_id' | 'channel_id' | 'channel_type' | 'event' | 'alert_type' | 'priority' | 'max_retries'
>

/** A notification of an alert, in the words of a rule or the standard ones. */
export function draftOf(
  { publicUrl, nowMs }: { publicUrl: () => string; nowMs: number },
  standing: Standing,
  alert: AlertRow,
  envelope: Envelope,
  words: Template,
): Draft {
  const data = sloDataOfAlert(standing, alert)
  const story: TemplateData = {
    event: envelope.event,
    alertType: envelope.alert_type,
    priority: envelope.priority,
    sloId: standing.slo.id,
    slo: data,
    link: linkTo(publicUrl(), standing.slo.id),
    nowMs,
  }
  return {
    ...envelope,
    ...write(words, story),
    organization_id: alert.organization_id,
    slo_id: alert.slo_id,
    alert_id: alert.id,
    data,
    status: 'pending',
  }
}
