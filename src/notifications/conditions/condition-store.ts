import type { Db } from '../../db/open.ts'
import type { AlertRow, ChannelRow, RuleRow } from '../../db/tables/tables.ts'
import { type Zone, zoneOf } from '../../zone.ts'
import { conditionAlertName } from '../alerts/alert-name.ts'
import type { ConditionData } from '../notification-data.ts'

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

/** Open alerts of conditions of nines itself, without those of certificates. */
export async function listOpenConditions(db: Db, organizationId: number): Promise<AlertRow[]> {
  return db
    .selectFrom('alerts')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is', null)
    .where('ended_at', 'is', null)
    .where('name', 'not like', certificateNames)
    .orderBy('id')
    .execute()
}

/** True if there is an alert, open or ended, of the condition since the same second; false if the condition does not hold. */
export async function hasBegun(trx: Db, organizationId: number, { name, holds }: ConditionState): Promise<boolean> {
  if (holds === null) return false
  const begun = trx
    .selectFrom('alerts')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('slo_id', 'is', null)
    .where('name', '=', conditionAlertName(name))
    .where('began_at', '=', Math.floor(holds.sinceMs / 1000))
  return (await begun.executeTakeFirst()) !== undefined
}

const certificateNames = 'condition:certificate:%'

/** Open alerts of certificates, of one organization or of all. */
export async function listOpenCertificates(db: Db, organizationId?: number): Promise<AlertRow[]> {
  const open = db
    .selectFrom('alerts')
    .selectAll()
    .where('slo_id', 'is', null)
    .where('ended_at', 'is', null)
    .where('name', 'like', certificateNames)
    .orderBy('id')
  return (organizationId === undefined ? open : open.where('organization_id', '=', organizationId)).execute()
}

/** Data of the last notification of an alert of a condition, or of its end; null: there is none. */
export async function findLastData(
  db: Db,
  alertId: number,
  event: 'alert' | 'recovery',
): Promise<ConditionData | null> {
  const row = await db
    .selectFrom('notifications')
    .select('metadata')
    .where('alert_id', '=', alertId)
    .where('event', '=', event)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row ? JSON.parse(row.metadata) : null
}

/** Time at which the open alert of that name was acknowledged, in ms; null: it was not, or there is none. */
export async function findAcknowledgedMs(db: Db, alertName: string): Promise<number | null> {
  const organization = await findFirstOrganization(db)
  const open = organization ? await listOpenConditions(db, organization.id) : []
  const seconds = open.find(({ name }) => name === alertName)?.acknowledged_at ?? null
  return seconds === null ? null : seconds * 1000
}

/** Enabled rule for conditions of nines itself and certificates, with its enabled channel. */
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
