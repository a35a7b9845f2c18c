import { sql } from 'kysely'
import type { Db } from '../../db/open.ts'
import { organizationRows } from '../../db/organization-rows.ts'
import { pageOf } from '../../db/page-of.ts'
import { prepared } from '../../db/statements/prepared.ts'
import type { Cause, Flag, RuleRow, StateRow } from '../../db/tables/tables.ts'

type ListOptions = {
  sloId?: number | undefined
  channelId?: number | undefined
  cause?: Cause | undefined
  page: number
  pageSize: number
}

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
  { sloId, channelId, cause, ...page }: ListOptions,
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
  return pageOf(rules, page, (listed) =>
    listed
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
      .orderBy('notification_rules.id'),
  )
}

/** Reads and writes the rules of an organization. */
export const {
  get: getRule,
  insert: insertRule,
  update: updateRule,
  remove: deleteRule,
} = organizationRows('notification_rules', 'Notification rule')

/** Rule for an SLO (null: nines itself), a channel and a cause; there is at most one. */
export async function findRule(
  db: Db,
  sloId: number | null,
  channelId: number,
  cause: Cause,
): Promise<RuleRow | undefined> {
  return db
    .selectFrom('notification_rules')
    .selectAll()
    .where('slo_id', 'is', sloId)
    .where('channel_id', '=', channelId)
    .where('cause', '=', cause)
    .executeTakeFirst()
}

/** State of an SLO at this revision; undefined if there is none yet. */
export async function findState(db: Db, sloId: number, revision: number): Promise<StateRow | undefined> {
  const { rows } = await stateAt(db, { sloId, revision })
  return rows[0]
}

const stateAt = prepared<{ sloId: number; revision: number }, StateRow>(
  ({ sloId, revision }) => sql`select * from slo_states where slo_id = ${sloId} and revision = ${revision}`,
)
