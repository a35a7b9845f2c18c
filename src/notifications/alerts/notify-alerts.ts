import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import type { AlertRow, SloRow } from '../../db/tables/tables.ts'
import { contentHash, type Draft, listKnownContents, queueNotifications } from '../outbox-store.ts'
import { listSilencesInForce } from '../silences/silence-store.ts'
import { createSilenceIndex } from '../silences/silence-index.ts'
import type { Template } from '../templates/templates.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { causeOfAlert, readAlertName } from './alert-name.ts'
import {
  listRecentlyEnded,
  listLastNotified,
  listOutages,
  listRulesInForce,
  listSentFor,
  type RuleOfChannel,
  type SentNotification,
} from './alert-store.ts'
import { draftOf, type NotificationHeader, type SloAlerts } from './draft.ts'

export type NotifyDeps = { clock: Clock; publicUrl: () => string; config: Pick<Config, 'notifyDedupWindowSeconds'> }

/** SLOs with open or just ended alerts, their rules in force, and the earlier notifications of these alerts. */
type AlertsToNotify = { alerts: SloAlerts[]; rules: RuleOfChannel[]; sent: SentNotification[] }

/** Open alert and a rule that selects it. */
type Pair = { sloAlerts: SloAlerts; alert: AlertRow; rule: RuleOfChannel }

/** Longest time that a slower tier looks back for a faster one: its short window, which is below three days. */
const recentSeconds = 72 * 3600

/** Time after an outage until its last minute has been evaluated. */
const crossedLateSeconds = 120

/** Wait before an open alert whose notification failed is notified again: the receiver may be back, or reconfigured. */
const retryAfterFailureMs = 30 * 60_000

/** Writes the notifications of ended and of open alerts into the outbox. */
export async function queueAlertNotifications(deps: NotifyDeps, trx: Db, all: SloAlerts[]): Promise<void> {
  const alerts = all.filter(({ open, ended }) => open.length > 0 || ended.length > 0)
  if (alerts.length === 0) return
  const sloIds = alerts.map(({ slo }) => slo.id)
  const alertIds = alerts.flatMap(({ open, ended }) => [...open, ...ended].map(({ id }) => id))
  const toNotify = {
    alerts,
    rules: await listRulesInForce(trx, sloIds),
    sent: await listSentFor(trx, alertIds),
  }
  const recoveries = { ...toNotify, outages: await listOutages(trx, alerts) }
  const drafts = [...draftRecoveries(deps, recoveries), ...(await draftAlerts(deps, trx, toNotify))]
  if (drafts.length > 0) await queueNotifications(trx, drafts, deps.clock.now())
}

/**
 * Drafts one notification for each open, unacknowledged alert and each rule that selects it and has not notified of it yet. A
 * notification that is silenced, inhibited, throttled by the rule's interval or a recent duplicate is written at a later
 * evaluation, if the alert is still open then.
 */
async function draftAlerts(deps: NotifyDeps, trx: Db, { alerts, rules, sent }: AlertsToNotify): Promise<Draft[]> {
  const nowMs = deps.clock.now()
  const rulesOf = Map.groupBy(rules, ({ slo_id }) => slo_id)
  const notified = new Set(sent.filter((one) => isNotified(one, nowMs)).map(idOfSent))
  const open = alerts
    .flatMap((sloAlerts) => pairsOf(sloAlerts, rulesOf.get(sloAlerts.slo.id) ?? []))
    .filter((pair) => !notified.has(idOf(pair)))
  if (open.length === 0) return []
  const audible = await withoutSilenced(trx, open, alerts, nowMs)
  const due = await withoutInhibited(trx, audible, rulesOf)
  const ruleIds = due.map(({ rule }) => rule.id)
  const last = await listLastNotified(trx, ruleIds)
  const written = due.map((pair) => ({ pair, draft: draftOfPair(deps, pair, nowMs) }))
  const hashes = written.map(({ draft }) => contentHash(draft))
  const recentHashes = await listKnownContents(trx, hashes, nowMs - deps.config.notifyDedupWindowSeconds * 1000)
  const throttled = new Set(sent.filter(({ status }) => status === 'throttled').map(idOfSent))
  return written.flatMap(({ pair, draft }): Draft[] => {
    if (!isEarly(pair.rule, last, nowMs) && !recentHashes.has(contentHash(draft))) return [draft]
    return throttled.has(idOf(pair)) ? [] : [{ ...draft, status: 'throttled' }] // one entry in the history is enough
  })
}

/** True if this notification makes another one unnecessary for now. */
export function isNotified({ status, updated_at }: SentNotification, nowMs: number): boolean {
  return status !== 'throttled' && (status !== 'failed' || nowMs < updated_at + retryAfterFailureMs)
}

/** True if the rule's minimum interval has not passed since it last notified of an alert; `last` by rule id, in ms. */
export function isEarly(
  { id, min_interval_seconds }: Pick<RuleOfChannel, 'id' | 'min_interval_seconds'>,
  last: Map<number | null, number>,
  nowMs: number,
): boolean {
  const lastMs = last.get(id) ?? -Infinity
  return lastMs <= nowMs && nowMs < lastMs + min_interval_seconds * 1000 // the clock may be set back
}

/** Pairs open alerts with the rules that select them, without acknowledged ones: nobody is notified of them again. */
function pairsOf(sloAlerts: SloAlerts, rules: RuleOfChannel[]): Pair[] {
  const unacknowledged = sloAlerts.open.filter(({ acknowledged_at }) => acknowledged_at === null)
  return unacknowledged.flatMap((alert) =>
    rules.filter((rule) => selects(rule, alert)).map((rule) => ({ sloAlerts, alert, rule })),
  )
}

function selects({ cause, severity }: RuleOfChannel, alert: AlertRow): boolean {
  return cause === causeOfAlert(alert) && (severity === null || severity === alert.severity)
}

async function withoutSilenced(trx: Db, pairs: Pair[], alerts: SloAlerts[], nowMs: number): Promise<Pair[]> {
  const silences = createSilenceIndex(await listSilencesInForce(trx, nowMs))
  const silenced = new Set(alerts.filter(({ slo }) => silences.covering(slo).length > 0))
  return pairs.filter(({ sloAlerts }) => !silenced.has(sloAlerts))
}

/**
 * Removes inhibited alerts. A tier can be inhibited by every tier that has a rule; anything else only by an alert with a rule for
 * the same channel: a channel with a rule for 25 % and none for 0 % is notified if both are crossed at once.
 */
async function withoutInhibited(trx: Db, pairs: Pair[], rulesOf: Map<number | null, RuleOfChannel[]>): Promise<Pair[]> {
  const sloIds = [...new Set(pairs.map(({ sloAlerts }) => sloAlerts.slo.id))]
  const ended = sloIds.length > 0 ? await listRecentlyEnded(trx, sloIds, recentSeconds) : []
  const endedOf = Map.groupBy(ended, ({ slo_id }) => slo_id)
  return pairs.filter(({ sloAlerts: { slo, evaluation, open }, alert, rule }) => {
    const rules = rulesOf.get(slo.id) ?? []
    const isBetweenTiers = (other: AlertRow) =>
      [alert, other].every(({ name }) => readAlertName(name).kind === 'burn_rate')
    const others = [...open, ...(endedOf.get(slo.id) ?? [])].filter((other) =>
      rules.some(
        (another) => (isBetweenTiers(other) || another.channel_id === rule.channel_id) && selects(another, other),
      ),
    )
    return !isInhibited(slo, alert, others, evaluation.atSeconds)
  })
}

/**
 * True if a more severe alert of the same SLO fires or did recently. `others`: open and recently ended alerts that rules notify
 * of; `atSeconds`: now.
 *
 * - A slower tier waits while a faster one fires, and then for as long as its own short window reaches back into that time. If
 *   it still fires then, the budget keeps burning. Otherwise every outage would notify of all tiers, one by one.
 * - Only the lowest crossed threshold of a budget is notified, and none while the budget recovers.
 * - Everything waits while the SLO is down, and a tier or the status then for as long as its window reaches back into the outage. A
 *   threshold that the outage crossed is in the notification of its end.
 */
function isInhibited(slo: SloRow, alert: AlertRow, others: AlertRow[], atSeconds: number): boolean {
  const own = readAlertName(alert.name)
  return others.some((other) => {
    const that = readAlertName(other.name)
    if (that.kind === 'down' && own.kind !== 'down') {
      if (other.ended_at === null) return true
      if (own.kind === 'budget') return alert.began_at <= other.ended_at + crossedLateSeconds
      const reach = own.kind === 'burn_rate' ? own.shortSeconds : windowSeconds(currentWindow(slo.time_window))
      return atSeconds < other.ended_at + reach
    }
    if (own.kind === 'burn_rate' && that.kind === 'burn_rate') {
      const isFaster = that.longSeconds < own.longSeconds
      return isFaster && (other.ended_at === null || atSeconds < other.ended_at + own.shortSeconds)
    }
    if (own.kind === 'budget' && that.kind === 'budget') {
      return that.threshold < own.threshold && (other.ended_at === null || other.ended_at > alert.began_at)
    }
    return false
  })
}

function draftOfPair({ publicUrl }: NotifyDeps, { sloAlerts, alert, rule }: Pair, nowMs: number): Draft {
  const { id, channel_id, channel_type, alert_type, priority, max_retries } = rule
  const envelope = { rule_id: id, channel_id, channel_type, event: 'alert', alert_type, priority, max_retries } as const
  return draftOf({ publicUrl, nowMs }, sloAlerts, alert, envelope, rule)
}

function idOf({ alert, rule }: Pair): string {
  return `${alert.id} ${rule.id}`
}

function idOfSent({ alert_id, rule_id }: SentNotification): string {
  return `${alert_id} ${rule_id}`
}

/**
 * Drafts the recovery notifications of ended alerts, silenced or not: one to every channel that was notified of the alert. A
 * `down` alert, and a `status` alert without an outage, also notify all channels with a rule for recoveries; such a rule also
 * provides the texts. Other channels that the alert never reached get no recovery.
 */
export function draftRecoveries(
  { clock, publicUrl }: Pick<NotifyDeps, 'clock' | 'publicUrl'>,
  { alerts, rules, sent, outages }: AlertsToNotify & { outages: AlertRow[] },
): Draft[] {
  const nowMs = clock.now()
  const recoveryRules = rules.filter(({ cause }) => cause === 'recovery')
  const rulesOf = Map.groupBy(recoveryRules, ({ slo_id }) => slo_id)
  const reachedBy = Map.groupBy(sent.filter(isReached), ({ alert_id }) => alert_id)
  return alerts.flatMap((sloAlerts) =>
    sloAlerts.ended.flatMap((alert) =>
      recipientsOf(alert, outages, reachedBy.get(alert.id) ?? [], rulesOf.get(sloAlerts.slo.id) ?? []).map(
        ({ envelope, template }) => draftOf({ publicUrl, nowMs }, sloAlerts, alert, envelope, template),
      ),
    ),
  )
}

/** True if the alert reached a channel that still exists. To a disabled one the recovery fails and can be retried. */
export function isReached({ status, channel_enabled }: SentNotification): boolean {
  return status !== 'throttled' && status !== 'failed' && channel_enabled !== null
}

type RecoveryRecipient = { envelope: NotificationHeader; template: Template }

/** Channels that were notified of the firing alert. Those with a rule for recoveries use that rule. */
function recipientsOf(
  alert: AlertRow,
  outages: AlertRow[],
  sent: SentNotification[],
  rules: RuleOfChannel[],
): RecoveryRecipient[] {
  const notified = new Map(sent.map((one) => [one.channel_id, one]))
  const isOfOutage = outages.some((one) => one.slo_id === alert.slo_id && (one.ended_at ?? Infinity) >= alert.began_at)
  const isForAll = alert.name === 'down' || (alert.name === 'status' && !isOfOutage)
  const withRule = rules.filter(({ channel_id }) => isForAll || notified.has(channel_id))
  for (const { channel_id } of withRule) notified.delete(channel_id)
  return [
    ...[...notified.values()].map((one) => {
      const alert_type = one.alert_type === 'slo_below_target' ? 'slo_recovery' : 'recovery'
      const envelope = { ...envelopeOf(one), alert_type, rule_id: one.rule_id }
      return { envelope, template: { subject: null, message: null } }
    }),
    ...withRule.map((rule) => ({ envelope: { ...envelopeOf(rule), rule_id: rule.id }, template: rule })),
  ]
}

function envelopeOf({ channel_id, channel_type, alert_type, priority, max_retries }: RuleOfChannel | SentNotification) {
  return { channel_id, channel_type, alert_type, priority, max_retries, event: 'recovery' } as const
}
