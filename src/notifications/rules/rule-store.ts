import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { countOf } from '../../db/page-of.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { Cause, Flag, RuleRow, StateRow } from '../../db/tables/tables.ts'

type Filter = {
  sloId?: number | undefined
  channelId?: number | undefined
  cause?: Cause | undefined
}
type ListOptions = Filter & { page: number; pageSize: number }

/** Rule with the channel that it notifies. */
export type ListedRuleRow = RuleRow & {
  channel_name: string
  channel_type: string
  channel_enabled: Flag
  channel_failures: number
  channel_error: string | null
  channel_success_at: number | null
}

/** Page of an organization's rules, in order of creation, without those of deleted SLOs, with the total count. */
export async function listRules(
  db: Db,
  organizationId: number,
  { sloId, channelId, cause, page, pageSize }: ListOptions,
): Promise<{ rows: ListedRuleRow[]; total: number }> {
  let rules = db
    .selectFrom('notification_rules')
    .where('notification_rules.organization_id', '=', organizationId)
    .where(({ or, eb, selectFrom }) => {
      const active = selectFrom('slos')
        .select('id')
        .where('organization_id', '=', organizationId)
        .where('active', '=', 1)
      return or([eb('notification_rules.slo_id', 'is', null), eb('notification_rules.slo_id', 'in', active)])
    })
  if (sloId !== undefined) rules = rules.where('notification_rules.slo_id', '=', sloId)
  if (channelId !== undefined) rules = rules.where('notification_rules.channel_id', '=', channelId)
  if (cause !== undefined) rules = rules.where('notification_rules.cause', '=', cause)
  const rows = await rules
    .innerJoin('channels', 'channels.id', 'notification_rules.channel_id')
    .selectAll('notification_rules')
    .select([
      'channels.name as channel_name',
      'channels.channel_type',
      'channels.enabled as channel_enabled',
      'channels.last_error as channel_error',
      'channels.failures as channel_failures',
      'channels.last_success_at as channel_success_at',
    ])
    .orderBy('notification_rules.id')
    .limit(pageSize)
    .offset((page - 1) * pageSize)
    .execute()
  return { rows, total: await countRules(db, organizationId, { sloId, channelId, cause }) }
}

/** Number of the rules on all pages. Only indexes are read, because the texts of a rule may have 20 kB. */
async function countRules(db: Db, organizationId: number, { sloId, channelId, cause }: Filter): Promise<number> {
  const matches = sql.join(
    [
      ...(sloId === undefined ? [] : [sql`and rule.slo_id = ${sloId}`]),
      ...(channelId === undefined ? [] : [sql`and rule.channel_id = ${channelId}`]),
      ...(cause === undefined ? [] : [sql`and rule.cause = ${cause}`]),
    ],
    sql` `,
  )
  const others = sql`+ (
      select count(*) from notification_rules as rule indexed by one_selector_rule
      where rule.selector is not null and rule.organization_id = ${organizationId} ${matches}
    ) + (
      select count(*) from notification_rules as rule indexed by one_appliance_rule
      where rule.slo_id is null and rule.selector is null and rule.organization_id = ${organizationId} ${matches}
    )`
  const { rows } = await sql<{ total: number }>`
    select (
      select count(*) from slos cross join notification_rules as rule on rule.slo_id = slos.id
      where slos.organization_id = ${organizationId} and slos.active = 1 ${matches}
    ) ${sloId === undefined ? others : sql``} as total`.execute(db)
  return rows[0]?.total ?? 0
}

/** Reads and writes the rules of an organization. */
export const {
  get: getRule,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
} = organizationRows('notification_rules', 'Notification rule')

/** Identity of a rule: an SLO or a selector (both null: nines itself), a channel and a cause. No two rules share it. */
type RuleKey = Pick<RuleRow, 'slo_id' | 'selector' | 'channel_id' | 'cause'>

export async function findRule(db: Db, key: RuleKey): Promise<RuleRow | undefined> {
  return db
    .selectFrom('notification_rules')
    .selectAll()
    .where('slo_id', 'is', key.slo_id)
    .where('selector', 'is', key.selector)
    .where('channel_id', '=', key.channel_id)
    .where('cause', '=', key.cause)
    .executeTakeFirst()
}

/** Number of an organization's rules with selectors. */
export async function countSelectorRules(db: Db, organizationId: number): Promise<number> {
  const rules = db.selectFrom('notification_rules').where('organization_id', '=', organizationId)
  return countOf(rules.where('selector', 'is not', null))
}

/** State of an SLO at this revision of its definition; undefined if there is none yet. */
export async function findState(db: Db, sloId: number, revision: number): Promise<StateRow | undefined> {
  const { rows } = await stateAt(db, { sloId, revision })
  return rows[0]
}

const stateAt = prepared<{ sloId: number; revision: number }, StateRow>(
  ({ sloId, revision }) => sql`select * from slo_states where slo_id = ${sloId} and revision = ${revision}`,
)
