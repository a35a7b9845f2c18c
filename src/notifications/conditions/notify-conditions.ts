import type { Clock } from '../../clock.ts'
import type { Database, Db } from '../../db/open.ts'
import type { AlertRow, NotificationRow } from '../../db/tables/tables.ts'
import {
  endAlerts,
  insertAlerts,
  listLastNotified,
  listSentFor,
  ruleOfSlo,
  type SentNotification,
  setReason,
} from '../alerts/alert-store.ts'
import { conditionAlertName } from '../alerts/alert-name.ts'
import { isWithinInterval, isNotified } from '../alerts/notify-alerts.ts'
import { type Draft, queueNotifications } from '../outbox-store.ts'
import { conditionDraft, type DraftOptions, draftConditionRecoveries, recipientOf } from './condition-draft.ts'
import {
  type ConditionRule,
  findFirstOrganization,
  hasBegun,
  listConditionRules,
  listOpenConditions,
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
 * notifications, so that a restart or a kill neither loses nor repeats a notification. A condition that held before a restart continues if
 * it still holds, and ends once it is known not to hold. Changes while the database cannot be written are recorded once it can
 * be, and what was not sent is then queued.
 */
export function createConditionNotifier(deps: Deps): { run(): Promise<void> } {
  const { db, reported, detailOf, direct, onQueued } = deps

  function detailed<T extends ConditionState>(conditions: T[], organizationId: number) {
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
    if (direct.isBusy()) return direct.note(conditions) // a notification that is being sent must not be queued too
    const changes = detailed(direct.changes(), organization.id)
    const isQuiet = conditions.every(({ holds }) => holds === null) && changes.length === 0
    if (isQuiet && (await listOpenConditions(db.read, organization.id)).length === 0) return
    const queued = await db.write.transaction().execute(async (trx) => {
      const rows: NotificationRow[] = []
      const follow = async (current: DetailedCondition[], atMs: number) => {
        const drafts = await followConditions(deps, trx, { organization, rules, conditions: current, atMs })
        rows.push(...(await queueNotifications(trx, drafts, deps.clock.now())))
      }
      for (const change of changes) {
        const isRecorded = await hasBegun(trx, organization.id, change) // by a commit that was reported as failed
        if (!isRecorded) await follow([change], change.atMs)
      }
      await follow(conditions, deps.clock.now())
      return rows
    })
    direct.markRecorded(conditions)
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
  /** Time at which the conditions were noted. */
  atMs: number
}

/** Opens and ends alerts, and returns the notifications to queue. */
async function followConditions(deps: Deps, trx: Db, inputs: ConditionInputs): Promise<Draft[]> {
  const nowMs = deps.clock.now()
  const { id, zone } = inputs.organization
  const options = { publicUrl: deps.publicUrl(), zone, nowMs }
  const { open, ended } = await updateAlerts(trx, inputs)
  const sent = await listSentFor(trx, { alertIds: idsOf(open), incidentIds: [] })
  const begins = await draftBegins(deps, trx, inputs, { open, sent }, options)
  return [...begins, ...draftConditionRecoveries({ ended, sent }, id, options)]
}

/** Opens and ends alerts. `open`: previous and new ones, with those in `ended`, which end now. */
async function updateAlerts(trx: Db, { organization, conditions, atMs }: ConditionInputs) {
  const atSeconds = Math.floor(atMs / 1000)
  const previous = await listOpenConditions(trx, organization.id)
  const openNames = new Set(previous.map(({ name }) => name))
  const newAlerts = conditions.flatMap(({ name, severity, holds }) => {
    if (holds === null || openNames.has(conditionAlertName(name))) return []
    const began_at = Math.floor(holds.sinceMs / 1000)
    const reason = holds.message
    return [
      { organization_id: organization.id, slo_id: null, name: conditionAlertName(name), severity, began_at, reason },
    ]
  })
  for (const { name, isDetailed, holds } of conditions) {
    const alert = isDetailed && previous.find((one) => one.name === conditionAlertName(name))
    if (alert && holds && alert.reason !== holds.message) await setReason(trx, alert.id, holds.message)
  }
  const open = [...previous, ...(newAlerts.length > 0 ? await insertAlerts(trx, newAlerts) : [])]
  const past = new Set(conditions.filter(({ holds }) => holds === null).map(({ name }) => conditionAlertName(name)))
  const ended = open
    .filter(({ name }) => past.has(name))
    .map((alert): AlertRow => ({ ...alert, ended_at: Math.max(atSeconds, alert.began_at) })) // the clock may be set back
  if (ended.length > 0) await endAlerts(trx, idsOf(ended), atSeconds)
  return { open, ended }
}

/** Drafts one notification for each open, unacknowledged alert and each rule that has not notified of it. */
async function draftBegins(
  { direct }: Deps,
  trx: Db,
  { conditions, rules }: ConditionInputs,
  { open, sent }: { open: AlertRow[]; sent: SentNotification[] },
  options: DraftOptions,
): Promise<Draft[]> {
  const { nowMs } = options
  const states = new Map(conditions.map((one) => [conditionAlertName(one.name), one]))
  const stored = new Set(sent.map((one) => `${one.alert_id} ${one.rule_id}`))
  const notified = new Set(sent.filter((one) => isNotified(one, nowMs)).map((one) => `${one.alert_id} ${one.rule_id}`))
  const all = rules.map(({ rule }) => rule)
  const last = await listLastNotified(trx, all, nowMs)
  const unacknowledged = open.filter(({ acknowledged_at }) => acknowledged_at === null)
  const pairs = unacknowledged.flatMap((alert) => rules.map((one) => ({ alert, one })))
  return pairs.flatMap(({ alert, one }): Draft[] => {
    const pair = `${alert.id} ${one.rule.id}`
    const state = states.get(alert.name)
    if (notified.has(pair) || !state?.holds) return []
    const tried = stored.has(pair) ? undefined : direct.find(state, one.rule.id)
    if (!tried?.isSent && isWithinInterval(one.rule, last.get(ruleOfSlo(one.rule.id, null)), nowMs)) return []
    const { message, advice } = state.holds
    const draft = conditionDraft(recipientOf(one), { alert, message, advice }, options)
    if (!tried) return [draft]
    return [{ ...draft, triedKey: tried.key, status: tried.isSent ? 'sent' : 'pending' }]
  })
}

function idsOf(alerts: AlertRow[]): number[] {
  return alerts.map(({ id }) => id)
}
