import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { ChannelRow, RuleRow } from '../../db/tables/tables.ts'
import type { SelectableSlo } from './selectors.ts'

/** Rule with the settings that rules of other SLOs may share. */
export type CoveringRule = Pick<
  RuleRow,
  | 'id'
  | 'organization_id'
  | 'slo_id'
  | 'selector'
  | 'channel_id'
  | 'cause'
  | 'alert_type'
  | 'severity'
  | 'priority'
  | 'max_retries'
  | 'min_interval_seconds'
  | 'enabled'
> &
  RuleTexts

type RuleTexts = Pick<RuleRow, 'subject' | 'message'>

/** Rule with the size of its texts in bytes; the texts themselves are not read. */
type RuleSize = { id: number; slo_id: number | null; bytes: number }

/** Rules of an organization after an id, in the order in which they were created, at most `limit`. */
export async function listRuleSizes(
  db: Db,
  organizationId: number,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<RuleSize[]> {
  return db
    .selectFrom('notification_rules')
    .select(['id', 'slo_id'])
    .select(sql<number>`coalesce(octet_length(subject), 0) + coalesce(octet_length(message), 0)`.as('bytes'))
    .where('organization_id', '=', organizationId)
    .where('id', '>', afterId)
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Rules with these ids, in the order in which they were created. */
export async function listCoveringRules(db: Db, ids: readonly number[]): Promise<CoveringRule[]> {
  return db
    .selectFrom('notification_rules')
    .select(['id', 'organization_id', 'slo_id', 'selector', 'channel_id', 'cause', 'alert_type', 'severity'])
    .select(['priority', 'subject', 'message', 'max_retries', 'min_interval_seconds', 'enabled'])
    .where('id', 'in', among(ids))
    .orderBy('id')
    .execute()
}

/** Texts of these rules, by id. */
export async function readRuleTexts(db: Db, ids: readonly number[]): Promise<Map<number, RuleTexts>> {
  const texts = db.selectFrom('notification_rules').select(['id', 'subject', 'message']).where('id', 'in', among(ids))
  return new Map((await texts.execute()).map(({ id, ...ruleTexts }) => [id, ruleTexts]))
}

/** Texts of these rules, by id, as JSON in UTF-8 without the braces: long texts take much memory as strings. */
export async function readRuleTextBytes(db: Db, ids: readonly number[]): Promise<Map<number, Uint8Array>> {
  const { rows } = await sql<{ id: number; texts: Uint8Array }>`
    select id, cast(json_object('subject', subject, 'message', message) as blob) as texts
    from notification_rules where id in ${among(ids)}`.execute(db)
  return new Map(rows.map(({ id, texts }) => [id, texts.subarray(1, -1)]))
}

export type CoveringChannel = Pick<
  ChannelRow,
  'id' | 'organization_id' | 'name' | 'channel_type' | 'enabled' | 'is_default' | 'max_retries'
>

export async function listCoveringChannels(db: Db, organizationId: number): Promise<CoveringChannel[]> {
  const channels = db
    .selectFrom('channels')
    .select(['id', 'organization_id', 'name', 'channel_type', 'enabled', 'is_default', 'max_retries'])
  return channels.where('organization_id', '=', organizationId).orderBy('id').execute()
}

/** Active SLOs of an organization, ordered by name. */
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

/** SLOs with these ids, with what selectors look at. */
export async function listSelectable(db: Db, ids: readonly number[]): Promise<SelectableSlo[]> {
  const slos = db.selectFrom('slos').select(['id', 'organization_id', 'team_id', 'labels'])
  return slos.where('id', 'in', among(ids)).execute()
}

/** Subset of these ids that belong to active SLOs of an organization. */
export async function listActiveIds(db: Db, organizationId: number, ids: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('slos')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('active', '=', 1)
    .where('id', 'in', among(ids))
    .execute()
  return rows.map(({ id }) => id)
}
