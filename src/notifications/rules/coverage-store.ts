import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import type { RuleRow } from '../../db/tables/tables.ts'

/** Rules of one channel and cause that are alike in all but their SLOs. `slo_ids` and `rule_ids` are JSON, in one order. */
export type RuleGroupRow = Pick<
  RuleRow,
  | 'channel_id'
  | 'cause'
  | 'alert_type'
  | 'severity'
  | 'priority'
  | 'subject'
  | 'message'
  | 'max_retries'
  | 'min_interval_seconds'
  | 'enabled'
> & {
  channel_name: string
  channel_type: string
  channel_enabled: RuleRow['enabled']
  rule_ids: string
  slo_ids: string
}

const alike = [
  'notification_rules.channel_id',
  'notification_rules.cause',
  'notification_rules.severity',
  'notification_rules.priority',
  'notification_rules.subject',
  'notification_rules.message',
  'notification_rules.max_retries',
  'notification_rules.min_interval_seconds',
  'notification_rules.enabled',
] as const

/** The rules of an organization by what they do, in the order they were made; none of deleted SLOs. */
export async function listRuleGroups(db: Db, organizationId: number): Promise<RuleGroupRow[]> {
  return db
    .selectFrom('notification_rules')
    .innerJoin('channels', 'channels.id', 'notification_rules.channel_id')
    .leftJoin('slos', 'slos.id', 'notification_rules.slo_id')
    .where('notification_rules.organization_id', '=', organizationId)
    .where((q) => q.or([q('slos.active', '=', 1), q('notification_rules.slo_id', 'is', null)]))
    .select(alike)
    .select((q) => [
      q.fn.min('notification_rules.alert_type').as('alert_type'),
      'channels.name as channel_name',
      'channels.channel_type',
      'channels.enabled as channel_enabled',
      sql<string>`json_group_array(notification_rules.id order by notification_rules.id)`.as('rule_ids'),
      sql<string>`json_group_array(notification_rules.slo_id order by notification_rules.id)`.as('slo_ids'),
    ])
    .groupBy(alike)
    .orderBy(sql`min(notification_rules.id)`)
    .execute()
}

/** The active SLOs of an organization by name. */
export async function listSloNames(db: Db, organizationId: number): Promise<{ id: number; name: string }[]> {
  return db
    .selectFrom('slos')
    .select(['id', 'name'])
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** Of these ids, those of active SLOs of an organization. */
export async function listActiveIds(db: Db, organizationId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('slos')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .where('id', 'in', ids)
    .execute()
  return rows.map(({ id }) => id)
}
