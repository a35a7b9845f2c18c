import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow } from '../../db/tables/tables.ts'
import {
  endAlerts,
  insertAlerts,
  listLastNotified,
  listSentFor,
  ruleOfSlo,
  type SentNotification,
} from '../alerts/alert-store.ts'
import { isWithinInterval, isNotified } from '../alerts/notify-alerts.ts'
import { type Draft, queueNotifications } from '../outbox-store.ts'
import {
  conditionAlertName,
  conditionDraft,
  type DraftOptions,
  draftConditionRecoveries,
  recipientOf,
} from './condition-draft.ts'
import {
  type ConditionRule,
  findFirstOrganization,
  listConditionRules,
  listOpenConditions,
  setReason,
  type ConditionState,
} from './condition-store.ts'
import type { DirectDelivery } from './direct-delivery.ts'
import type { Zone } from '../../zone.ts'

type Deps = {
  db: Database
  clock: Clock
  publicUrl: () => string
  /** Conditions whose state is known. */
  reported: () => ConditionState[]
  /** Part of the message of a condition that only this organization may read; empty: there is none. */
  detailOf: (condition: string, organizationId: number) => string
  direct: DirectDelivery
  /** Called after the commit. */
  onQueued: () => void
}

/**
 * Notifies the first organization of the conditions of nines itself. Call it every few seconds. Every channel with a rule for
 * them is notified once when a condition begins, and again when it ends. The decision is based on the stored alerts, rules and
 * notifications, so that a restart or a kill neither loses nor repeats one. A condition that held before a restart continues if
 * it still holds, and ends once it is known not to hold.
 */
export function createConditionNotifier(deps: Deps): { run(): Promise<void> } {
  const { db, reported, detailOf, direct, onQueued } = deps

  function detailed(conditions: ConditionState[], organizationId: number): DetailedCondition[] {
    return conditions.map(({ holds, ...one }) => {
      const detail = holds ? detailOf(one.name, organizationId) : ''
      const isDetailed = detail !== ''
      return { ...one, isDetailed, holds: holds && { ...holds, message: `${holds.message}${detail}` } }
    })
  }

  async function runWith(
    organization: Organization,
    conditions: DetailedCondition[],
    rules: ConditionRule[],
  ): Promise<void> {
    if (direct.isBusy()) return // a notification that is being sent must not be queued too
    const sent = direct.sent()
    const isQuiet = conditions.every(({ holds }) => holds === null) && sent.length === 0
    if (isQuiet && (await listOpenConditions(db.read, organization.id)).length === 0) return
    const queued = await db.write.transaction().execute(async (trx) => {
      const drafts = await followConditions(deps, trx, { organization, conditions, rules, sent })
      return drafts.length === 0 ? [] : queueNotifications(trx, drafts, deps.clock.now())
    })
    direct.markRecorded(sent, conditions)
    if (queued.some(({ status }) => status === 'pending')) onQueued()
  }

  return {
    async run() {
      const conditions = reported()
      try {
        const organization = await findFirstOrganization(db.read)
        if (!organization) return
        const rules = await listConditionRules(db.read, organization.id)
        direct.remember(rules, organization.zone)
        await runWith(organization, detailed(conditions, organization.id), rules)
      } catch (error) {
        direct.send(conditions)
        throw error
      }
    },
  }
}

type Organization = { id: number; zone: Zone }

/** `isDetailed`: its message names what fails, and changes with it. */
type DetailedCondition = ConditionState & { isDetailed: boolean }

type ConditionInputs = {
  organization: Organization
  conditions: DetailedCondition[]
  rules: ConditionRule[]
  sent: ReturnType<DirectDelivery['sent']>
}

/** Opens and ends alerts, and returns the notifications to queue. */
async function followConditions(deps: Deps, trx: Db, inputs: ConditionInputs): Promise<Draft[]> {
  const nowMs = deps.clock.now()
  const { id, zone } = inputs.organization
  const options = { publicUrl: deps.publicUrl(), zone, nowMs }
  const { open, ended } = await updateAlerts(trx, inputs, nowMs)
  const sent = await listSentFor(trx, { alertIds: idsOf(open), incidentIds: [] })
  const begins = await draftBegins(trx, inputs, { open, sent }, options)
  const sentDirectly = begins.filter(({ status }) => status === 'sent')
  return [...begins, ...draftConditionRecoveries({ ended, sent, sentDirectly }, id, options)]
}

/** Opens and ends alerts. `open`: previous and new ones; `ended`: those of them that end now. */
async function updateAlerts(trx: Db, { organization, conditions, sent }: ConditionInputs, nowMs: number) {
  const nowSeconds = Math.floor(nowMs / 1000)
  const before = await listOpenConditions(trx, organization.id)
  const openNames = new Set(before.map(({ name }) => name))
  const newAlerts = conditions.flatMap(({ name, severity, holds }) => {
    const sinceMs = holds?.sinceMs ?? sent.find(({ condition }) => condition === name)?.sinceMs
    if (sinceMs === undefined || openNames.has(conditionAlertName(name))) return []
    const began_at = Math.floor(sinceMs / 1000)
    const reason = holds?.message ?? null
    return [
      { organization_id: organization.id, slo_id: null, name: conditionAlertName(name), severity, began_at, reason },
    ]
  })
  for (const { name, isDetailed, holds } of conditions) {
    const alert = isDetailed && before.find((one) => one.name === conditionAlertName(name))
    if (alert && holds && alert.reason !== holds.message) await setReason(trx, alert.id, holds.message)
  }
  const open = [...before, ...(newAlerts.length > 0 ? await insertAlerts(trx, newAlerts) : [])]
  const past = new Set(conditions.filter(({ holds }) => holds === null).map(({ name }) => conditionAlertName(name)))
  const ended = open
    .filter(({ name }) => past.has(name))
    .map((alert): AlertRow => ({ ...alert, ended_at: Math.max(nowSeconds, alert.began_at) })) // the clock may be set back
  if (ended.length > 0) await endAlerts(trx, idsOf(ended), nowSeconds)
  return { open, ended }
}

/** Drafts one notification for each open, unacknowledged alert and each rule that has not notified of it. */
async function draftBegins(
  trx: Db,
  { conditions, rules, sent: direct }: ConditionInputs,
  { open, sent }: { open: AlertRow[]; sent: SentNotification[] },
  options: DraftOptions,
): Promise<Draft[]> {
  const { nowMs } = options
  const holding = new Map(conditions.map(({ name, holds }) => [conditionAlertName(name), holds]))
  const notified = new Set(sent.filter((one) => isNotified(one, nowMs)).map((one) => `${one.alert_id} ${one.rule_id}`))
  const sentNow = new Set(direct.map(({ condition, ruleId }) => `${conditionAlertName(condition)} ${ruleId}`))
  const all = rules.map(({ rule }) => rule)
  const last = await listLastNotified(trx, all, nowMs)
  const unacknowledged = open.filter(({ acknowledged_at }) => acknowledged_at === null)
  const pairs = unacknowledged.flatMap((alert) => rules.map((one) => ({ alert, one })))
  return pairs.flatMap(({ alert, one }): Draft[] => {
    if (notified.has(`${alert.id} ${one.rule.id}`)) return []
    const holds = holding.get(alert.name) ?? null
    const isSent = sentNow.has(`${alert.name} ${one.rule.id}`)
    if (!isSent && (holds === null || isWithinInterval(one.rule, last.get(ruleOfSlo(one.rule.id, null)), nowMs)))
      return []
    const about = { alert, message: holds?.message ?? null, advice: holds?.advice ?? null }
    const draft = conditionDraft(recipientOf(one), about, options)
    return [isSent ? { ...draft, status: 'sent' } : draft]
  })
}

function idsOf(alerts: AlertRow[]): number[] {
  return alerts.map(({ id }) => id)
}
