import { isoTime } from '../../clock.ts'
import type { AlertRow, IncidentRow, SloRow } from '../../db/tables/tables.ts'
import type { Evaluation } from '../../evaluation/evaluation-store.ts'
import type { Outage } from '../../evaluation/outage.ts'
import { windowBudget, type WindowBudget } from '../../slos/arithmetic/budget.ts'
import type { BurnRate } from '../../slos/arithmetic/burn-rates.ts'
import { windowName } from '../../slos/arithmetic/windows.ts'
import { utc } from '../../zone.ts'
import { type IncidentFigures, withIncident } from '../incidents/incident-data.ts'
import { acknowledgedOf, type AlertData, type IncidentDeploy, linkTo, sloDataOf } from '../notification-data.ts'
import type { Draft } from '../outbox-store.ts'
import { type Template, renderTexts } from '../templates/templates.ts'
import { readAlertName, tierName } from './alert-name.ts'
import { type DraftFacts, withTeamPolicy } from './draft-facts.ts'
import type { RuleInForce } from '../rules/rules-in-force.ts'
import type { SentNotification } from './alert-store.ts'

/** Parts of an evaluation that notifications contain. */
export type EvaluationSummary = Pick<
  Evaluation,
  'atSeconds' | 'status' | 'current' | 'budgetUsed' | 'windowShare' | 'totalEvents' | 'burnRates' | 'outage' | 'recent'
>

/** Budget used of the whole window, which notifications show and thresholds are compared with. */
export function windowBudgetOf(
  { target }: SloRow,
  { budgetUsed, windowShare, totalEvents }: Pick<EvaluationSummary, 'budgetUsed' | 'windowShare' | 'totalEvents'>,
): WindowBudget {
  return windowBudget(budgetUsed, target, { windowShare, countsEvents: totalEvents !== null })
}

/** Alerts of an SLO to notify of. `open`: continuing and new ones; `ended`: those that have just ended, or whose recovery is resent. */
export type SloAlerts = {
  slo: SloRow
  evaluation: EvaluationSummary
  open: AlertRow[]
  ended: AlertRow[]
  /** The open incident, or the one that has just been closed. */
  incident: IncidentRow | null
  /** Figures of the incident; null if no evaluation caused this: closed by hand, resent, or no longer evaluated. */
  figures: IncidentFigures | null
  /** Deploy before the incident, if it is to be named. */
  deploy?: IncidentDeploy | undefined
  /**
   * True if the recovery of the incident is to be notified: it has just recovered, was closed before its recovery was notified, or
   * its recovery is resent.
   */
  hasRecovered: boolean
}

/** SLOs with open or just ended alerts, their rules in force, and the earlier notifications of these alerts. */
export type AlertsToNotify = { alerts: SloAlerts[]; rules: RuleInForce[]; sent: SentNotification[] }

/** Open alert and a rule that selects it. */
export type Pair = { sloAlerts: SloAlerts; alert: AlertRow; rule: RuleInForce }

/** Recipient, kind and settings of a notification. */
export type NotificationHeader = Pick<
  Draft,
  'rule_id' | 'channel_id' | 'channel_type' | 'event' | 'alert_type' | 'priority' | 'max_retries' | 'incident'
>

/** Evaluation with unknown values, for an SLO that is not evaluated. */
export function unknownEvaluation(atSeconds: number): EvaluationSummary {
  const nothing = { current: null, budgetUsed: null, windowShare: null, totalEvents: null }
  return { atSeconds, status: 'unknown', ...nothing, burnRates: [], outage: null, recent: null }
}

/** Drafts a notification of an alert, with the texts of a rule or the default texts. */
export function draftOf(
  { publicUrl, zones, teamPolicies, nowMs }: DraftFacts & { nowMs: number },
  {
    slo,
    evaluation,
    incident,
    figures,
    deploy,
  }: Pick<SloAlerts, 'slo' | 'evaluation' | 'incident' | 'figures' | 'deploy'>,
  alert: AlertRow,
  header: NotificationHeader,
  template: Template,
): Draft {
  const { event, alert_type: alertType, priority } = header
  const measured = {
    status: evaluation.status,
    current_value: evaluation.current,
    budget_used: evaluation.budgetUsed,
    window_share: evaluation.windowShare,
    total_events: evaluation.totalEvents,
    measured_at: evaluation.atSeconds * 1000,
  }
  const alertData = alertDataOf(evaluation.burnRates, alert, evaluation.outage)
  const aboutSlo = sloDataOf(withTeamPolicy(slo, { teamPolicies }), measured, alertData)
  const data =
    incident && header.incident
      ? withIncident(aboutSlo, {
          incident,
          header: header.incident,
          evaluation,
          figures,
          deploy,
          publicUrl: publicUrl(),
        })
      : { ...aboutSlo, incident: null }
  const link = linkTo(publicUrl(), slo.id)
  const zone = zones.get(alert.organization_id) ?? utc
  return {
    ...header,
    ...renderTexts(template, { event, alertType, priority, sloId: slo.id, slo: data, link, zone, nowMs }),
    organization_id: alert.organization_id,
    slo_id: alert.slo_id,
    alert_id: alert.id,
    data,
    status: 'pending',
  }
}

/** Template data of an alert; `burnRates` and `outage`: those of its SLO from the latest evaluation. */
export function alertDataOf(burnRates: BurnRate[], alert: AlertRow, outage: Outage | null = null): AlertData {
  const name = readAlertName(alert.name)
  const tier = burnRates.find((rate) => tierName(rate) === alert.name)
  return {
    name: alert.name,
    severity: alert.severity,
    began_at: isoTime(alert.began_at * 1000),
    ended_at: alert.ended_at === null ? null : isoTime(alert.ended_at * 1000),
    acknowledged: acknowledgedOf(alert),
    outage:
      name.kind === 'down'
        ? {
            reason: alert.reason,
            is_up: outage?.isDown === false,
            ...(outage?.stopped !== undefined && { stopped: outage.stopped }),
          }
        : null,
    threshold: name.kind === 'budget' ? name.threshold : null,
    burn_rate: tier
      ? {
          factor: tier.factor,
          long_window: windowName(tier.long_seconds),
          short_window: windowName(tier.short_seconds),
          long: tier.long,
          short: tier.short,
        }
      : null,
  }
}
