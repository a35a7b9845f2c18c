import { type Clock, minuteMs } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import { type AlertType, causeOf } from '../causes.ts'
import { contentHash, type Draft, listKnownContents, queueNotifications } from '../outbox-store.ts'
import { listRulesInForce, type RuleInForce } from '../rules/rules-in-force.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import { listSentInLists } from '../incidents/storm-store.ts'
import { queueListEnds, queueWithLists } from '../incidents/storm.ts'
import { deployOf } from '../incidents/incident-deploy.ts'
import { type DeployBefore, listDeploysBefore } from '../incidents/incident-deploy-store.ts'
import { draftIncidentRecoveries, draftLowerSeverityRecoveries } from '../incidents/draft-incident-recoveries.ts'
import { type IncidentMessage, selectIncidentMessages } from '../incidents/incident-messages.ts'
import { isInhibited } from '../incidents/inhibition.ts'
import { listLowerSeverityRecoveries } from '../incidents/lower-severity-recovery-store.ts'
import { causeOfAlert, priorityOf, readAlertName } from './alert-name.ts'
import {
  listAlertsOfIncidents,
  listRecentlyEnded,
  listLastNotified,
  listSentFor,
  ruleOfSlo,
  type SentNotification,
} from './alert-store.ts'
import { type AlertsToNotify, draftOf, type Pair, type SloAlerts } from './draft.ts'
import { type DraftFacts, readDraftFacts } from './draft-facts.ts'
import { draftRecoveries } from './draft-recoveries.ts'

export type NotifyDeps = { clock: Clock; publicUrl: () => string; config: Pick<Config, 'notifyDedupWindowSeconds'> }
type DraftDeps = NotifyDeps & DraftFacts

/** Longest time since an alert has ended in which it can still inhibit another one. */
const inhibitionLookbackSeconds = 72 * 3600

/** Wait before an open alert whose notification failed is notified again: the receiver may be back, or reconfigured. */
const retryAfterFailureMs = 30 * minuteMs

/** Writes the notifications of ended and of open alerts into the outbox. */
export async function queueAlertNotifications(deps: NotifyDeps, trx: Db, all: SloAlerts[]): Promise<void> {
  const alerts = all.filter(({ open, ended, hasRecovered }) => open.length > 0 || ended.length > 0 || hasRecovered)
  if (alerts.length === 0) return
  const sloIds = alerts.map(({ slo }) => slo.id)
  const allAlerts = alerts.flatMap(({ open, ended }) => [...open, ...ended])
  const incidentIds = [
    ...allAlerts.map(({ incident_id }) => incident_id),
    ...alerts.map(({ incident }) => incident?.id ?? null),
  ]
  const rules = await listRulesInForce(trx, sloIds)
  const alertIds = allAlerts.map(({ id }) => id)
  const sent = await listSent(
    trx,
    alertIds,
    [...new Set(incidentIds)].filter((id) => id !== null),
  )
  const toNotify = { alerts, rules, sent }
  const slos = alerts.map(({ slo }) => slo)
  const draftDeps = { ...deps, ...(await readDraftFacts(trx, deps.publicUrl, slos)) }
  const recovered = alerts.flatMap(({ incident, hasRecovered }) => (incident && hasRecovered ? [incident.id] : []))
  const alertsOfIncidents = recovered.length > 0 ? await listAlertsOfIncidents(trx, recovered) : []
  // ids of earlier recoveries of the lower severity, sent to tools that open a second incident when the severity rises
  const lowerRecoveries =
    recovered.length > 0 ? await listLowerSeverityRecoveries(trx, recovered) : new Map<string, number>()
  const drafts = [
    ...draftRecoveries(draftDeps, toNotify),
    ...draftIncidentRecoveries(draftDeps, { ...toNotify, alertsOfIncidents, lowerRecoveries }),
    ...(await draftAlerts(draftDeps, trx, toNotify)),
  ]
  if (drafts.length > 0) await queueWithLists(deps, trx, drafts)
  await queueNotifications(trx, await draftLowerSeverityRecoveries(draftDeps, trx, toNotify, drafts), deps.clock.now())
  await queueListEnds(deps, trx, recovered)
}

/** Earlier notifications of these alerts and incidents, oldest first, also those that list several incidents. */
async function listSent(trx: Db, alertIds: number[], incidentIds: number[]): Promise<SentNotification[]> {
  const ofOne = await listSentFor(trx, { alertIds, incidentIds })
  const inLists = incidentIds.length > 0 ? await listSentInLists(trx, incidentIds) : []
  return inLists.length === 0 ? ofOne : [...ofOne, ...inLists].toSorted((one, other) => one.id - other.id)
}

/**
 * Drafts one notification for each open, unacknowledged alert and each rule that selects it, unless the rule's channel has been
 * notified of it, by whichever rule. A notification that is silenced, inhibited, throttled by the rule's interval or a recent
 * duplicate is written at a later evaluation, if the alert is still open then.
 */
async function draftAlerts(deps: DraftDeps, trx: Db, { alerts, rules, sent }: AlertsToNotify): Promise<Draft[]> {
  const nowMs = deps.clock.now()
  const rulesOf = Map.groupBy(rules, ({ slo_id }) => slo_id)
  const notified = new Set(sent.filter((one) => isNotified(one, nowMs)).map(keyOfSent))
  const openPairs = alerts
    .flatMap((sloAlerts) => pairsOf(sloAlerts, rulesOf.get(sloAlerts.slo.id) ?? []))
    .filter((pair) => !notified.has(keyOf(pair)))
  if (openPairs.length === 0) return []
  const unsilenced = await withoutSilenced(trx, openPairs, alerts, nowMs)
  const uninhibited = await withoutInhibited(trx, unsilenced, rulesOf)
  const due = selectIncidentMessages(
    uninhibited,
    sent.filter((one) => isNotified(one, nowMs)),
  )
  const dueRules = due.map(({ pair }) => pair.rule)
  const last = await listLastNotified(trx, dueRules, nowMs)
  const ofIncidents = due.flatMap(({ incident }) => incident?.id ?? [])
  const deploys = await listDeploysBefore(trx, ofIncidents)
  const written = due.map((one) => ({ pair: one.pair, draft: draftOfPair(deps, withDeploy(one, deploys), nowMs) }))
  const hashes = written.map(({ draft }) => contentHash(draft))
  const recentHashes = await listKnownContents(trx, hashes, nowMs - deps.config.notifyDedupWindowSeconds * 1000)
  const throttled = new Set(sent.filter(({ status }) => status === 'throttled').map(keyOfSent))
  return written.flatMap(({ pair, draft }): Draft[] => {
    const { rule } = pair
    const lastMs = last.get(ruleOfSlo(rule.id, rule.slo_id))
    if (!isWithinInterval(rule, lastMs, nowMs) && !recentHashes.has(contentHash(draft))) return [draft]
    return throttled.has(keyOf(pair)) ? [] : [{ ...draft, status: 'throttled' }] // one entry in the history is enough
  })
}

function withDeploy(message: IncidentMessage, deploys: Map<number, DeployBefore>): IncidentMessage {
  const row = message.incident ? deploys.get(message.incident.id) : undefined
  if (!row) return message
  const { pair } = message
  return { ...message, pair: { ...pair, sloAlerts: { ...pair.sloAlerts, deploy: deployOf(row) } } }
}

/** True if this notification makes another one unnecessary for now. */
export function isNotified({ status, updated_at }: SentNotification, nowMs: number): boolean {
  return status !== 'throttled' && (status !== 'failed' || nowMs < updated_at + retryAfterFailureMs)
}

/** True if the rule's minimum interval has not passed since it last notified of an alert of the SLO. */
export function isWithinInterval(
  { min_interval_seconds }: Pick<RuleInForce, 'min_interval_seconds'>,
  lastMs = -Infinity,
  nowMs: number,
): boolean {
  return lastMs <= nowMs && nowMs < lastMs + min_interval_seconds * 1000 // the clock may be set back
}

/**
 * Pairs open alerts with the rules that select them, without acknowledged ones, nor those of an acknowledged incident: nobody is
 * notified of them again.
 */
function pairsOf(sloAlerts: SloAlerts, rules: RuleInForce[]): Pair[] {
  const { incident } = sloAlerts
  const unacknowledged = sloAlerts.open.filter(
    ({ acknowledged_at, incident_id }) =>
      acknowledged_at === null && !(incident_id === incident?.id && incident?.acknowledged_at),
  )
  return unacknowledged.flatMap((alert) =>
    rules.filter((rule) => selects(rule, alert)).map((rule) => ({ sloAlerts, alert, rule })),
  )
}

/** True if a rule selects an alert. Default channels are notified of outages, not of the status. */
export function selects(
  { cause, severity, by }: Pick<RuleInForce, 'cause' | 'severity' | 'by'>,
  alert: Pick<AlertRow, 'name' | 'severity'>,
): boolean {
  if (by === 'default' && cause === 'violation' && alert.name !== 'down') return false
  return cause === causeOfAlert(alert) && (severity === null || severity === alert.severity)
}

async function withoutSilenced(trx: Db, pairs: Pair[], alerts: SloAlerts[], nowMs: number): Promise<Pair[]> {
  const silences = createSilenceIndex(await listSilencesInForce(trx, nowMs))
  const silenced = new Set(alerts.filter(({ slo }) => silences.covering(slo).length > 0))
  return pairs.filter(({ sloAlerts }) => !silenced.has(sloAlerts))
}

/**
 * Removes inhibited alerts. A tier can be inhibited by every tier that has a rule, and by every outage that is over: its failures are
 * in the tier's windows. Anything else is inhibited only by an alert with a rule for the same channel: a channel with a rule for 25 %
 * and none for 0 % is notified if both are crossed at once.
 */
async function withoutInhibited(trx: Db, pairs: Pair[], rulesOf: Map<number | null, RuleInForce[]>): Promise<Pair[]> {
  const sloIds = [...new Set(pairs.map(({ sloAlerts }) => sloAlerts.slo.id))]
  const ended = sloIds.length > 0 ? await listRecentlyEnded(trx, sloIds, inhibitionLookbackSeconds) : []
  const endedOf = Map.groupBy(ended, ({ slo_id }) => slo_id)
  return pairs.filter(({ sloAlerts: { slo, evaluation, open }, alert, rule }) => {
    const rules = rulesOf.get(slo.id) ?? []
    const isBetweenTiers = (other: AlertRow) =>
      [alert, other].every(({ name }) => readAlertName(name).kind === 'burn_rate')
    const isPastOutage = ({ name, ended_at }: AlertRow) =>
      name === 'down' && ended_at !== null && readAlertName(alert.name).kind === 'burn_rate'
    const others = [...open, ...(endedOf.get(slo.id) ?? [])].filter(
      (other) =>
        isPastOutage(other) ||
        rules.some(
          (another) => (isBetweenTiers(other) || another.channel_id === rule.channel_id) && selects(another, other),
        ),
    )
    return !isInhibited(slo, alert, others, evaluation.atSeconds)
  })
}

function draftOfPair(deps: DraftDeps, { pair, incident }: IncidentMessage, nowMs: number): Draft {
  const { sloAlerts, alert, rule } = pair
  const { id, channel_id, channel_type, alert_type, max_retries } = rule
  const priority = priorityOf(rule.priority, alert)
  const header = { rule_id: id, channel_id, channel_type, event: 'alert', alert_type, priority, max_retries } as const
  return draftOf({ ...deps, nowMs }, sloAlerts, alert, { ...header, incident }, rule)
}

/** Key of what a channel is notified of once: an alert and its cause, by whichever rule. A warning and a violation are two. */
function keyOf({ alert, rule }: Pair): string {
  return `${alert.id} ${rule.channel_id} ${rule.cause}`
}

function keyOfSent({ alert_id, channel_id, alert_type }: SentNotification): string {
  return `${alert_id} ${channel_id} ${causeOf[alert_type as AlertType]}`
}
