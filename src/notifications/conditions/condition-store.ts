import type { Db } from '../../db/open.ts'
import type { AlertRow, ChannelRow, RuleRow } from '../../db/tables/tables.ts'
import { type Zone, zoneOf } from '../../zone.ts'

/** State of a condition of nines itself, as known since the start; `holds` null: it does not hold. */
export type ConditionState = {
  name: string
  severity: 'critical' | 'warning'
  holds: { sinceMs: number; message: string; advice: string } | null
}

/** Id and zone of the first organization, which runs nines; undefined: there is none yet. */
export async function findFirstOrganization(db: Db): Promise<{ id: number; zone: Zone } | undefined> {
  const first = db.selectFrom('organizations').select(['id', 'time_zone', 'clock']).orderBy('id').limit(1)
  const row = await first.executeTakeFirst()
  return row && { id: row.id, zone: zoneOf(row) }
}

/** Open alerts of conditions of nines itself. */
export async function listOpenConditions(db: Db, organizationId: number): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is', null)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute()
}

/** Sets what an alert says is wrong. */
export async function setReason(trx: Db, alertId: number, reason: string): Promise<void> {
  await trx.updateTable('alerts').set({ reason }).where('id', '=', alertId).execute()
}

/** Time at which the open alert of that name was acknowledged, in ms; null: it was not, or there is none. */
export async function findAcknowledgedMs(db: Db, alertName: string): Promise<number | null> {
  const organization = await findFirstOrganization(db)
  const open = organization ? await listOpenConditions(db, organization.id) : []
  const seconds = open.find(({ name }) => name === alertName)?.acknowledged_at ?? null
  return seconds === null ? null : seconds * 1000
}

/** Enabled rule for conditions of nines itself, with its enabled channel. */
export type ConditionRule = { rule: RuleRow; channel: ChannelRow }

export async function listConditionRules(db: Db, organizationId: number): Promise<ConditionRule[]> {
  const rules = await db
    .selectFrom('notification_rules')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is', null)
    .where('selector', 'is', null)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
  if (rules.length === 0) return []
  const channels = await db
    .selectFrom('channels')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('enabled', '=', 1)
    .execute()
  const byId = new Map(channels.map((channel) => [channel.id, channel]))
  return rules.flatMap((rule) => {
    const channel = byId.get(rule.channel_id)
    return channel ? [{ rule, channel }] : []
  })
}
