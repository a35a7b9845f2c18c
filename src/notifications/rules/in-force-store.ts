import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { ChannelRow, RuleRow } from '../../db/tables/tables.ts'

/** Rule of an enabled channel, without its texts; it may be disabled. */
export type ChannelRule = Omit<RuleRow, 'subject' | 'message' | 'created_at' | 'updated_at' | 'selector'> & {
  channel_type: string
}

/** Rules by `slo_id` of these SLOs whose channels are enabled, in the order in which they were created. */
export async function listRulesOfSlos(db: Db, ids: readonly number[]): Promise<(ChannelRule & { selector: null })[]> {
  return listChannelRules(db, sql`notification_rules as rule`, sql`rule.slo_id in ${among(ids)}`)
}

/** Rules of these organizations with selectors whose channels are enabled, in the order in which they were created. */
export async function listSelectorRules(
  db: Db,
  organizationIds: readonly number[],
): Promise<(ChannelRule & { selector: string })[]> {
  const rules = sql`notification_rules as rule indexed by one_selector_rule`
  const condition = sql`rule.organization_id in ${among(organizationIds)} and rule.selector is not null`
  return listChannelRules(db, rules, condition)
}

async function listChannelRules<Selector>(db: Db, rules: RawBuilder<unknown>, condition: RawBuilder<unknown>) {
  const { rows } = await sql<ChannelRule & { selector: Selector }>`
    select rule.id, rule.organization_id, rule.slo_id, rule.selector, rule.channel_id, rule.cause, rule.alert_type,
      rule.severity, rule.priority, rule.enabled, rule.min_interval_seconds, rule.max_retries, channels.channel_type
    from ${rules} join channels on channels.id = rule.channel_id
    where ${condition} and channels.enabled = 1 order by rule.id`.execute(db)
  return rows
}

/** Enabled default channels of these organizations, in the order in which they were created. */
export async function listDefaultChannels(
  db: Db,
  organizationIds: readonly number[],
): Promise<Pick<ChannelRow, 'id' | 'organization_id' | 'channel_type' | 'max_retries'>[]> {
  return db
    .selectFrom('channels')
    .select(['id', 'organization_id', 'channel_type', 'max_retries'])
    .where('organization_id', 'in', among(organizationIds))
    .where('is_default', '=', 1)
    .where('enabled', '=', 1)
    .orderBy('id')
    .execute()
}
