import { pageOf } from '../../db/page-of.ts'
import { among } from '../../db/statements/among.ts'
import { insertRow } from '../../db/statements/insert-row.ts'
import type { Db } from '../../db/open.ts'
import type { SloEvent, SloRow } from '../../db/tables/tables.ts'
import type { Page } from '../../http/paging.ts'
import type { Caller } from '../../http/signed-in.ts'
import { measurementFields } from '../revision-store.ts'

/** Fields of an SLO that a person sets, in the order in which they are shown. */
const recordedFields = [
  'name',
  'description',
  'runbook_url',
  'owner',
  'budget_policy',
  'service_hours',
  'target',
  'time_window',
  'time_zone',
  'metric_type',
  ...measurementFields,
  'team_id',
  'labels',
  'burn_rate_tiers',
  'budget_thresholds',
] as const
type Field = (typeof recordedFields)[number]
type Value = SloRow[Field]

/** Values before and after a change, by field. */
type Fields = Partial<Record<Field, [before: Value, after: Value]>>

export type Change = {
  id: number
  event: SloEvent
  revision: number
  changed_at: number
  changed_by: number | null
  changed_by_name: string | null
  fields: { field: Field; before: Value; after: Value }[]
}

/** Maximum number of changes kept for an SLO. */
const maxChanges = 100

/** Records a change of an SLO and its author, in the transaction of the change. Above 100 the oldest is deleted. */
export async function recordChange(
  trx: Db,
  { userId }: Pick<Caller, 'userId'>,
  event: SloEvent,
  before: SloRow,
  after: SloRow,
  nowMs: number,
): Promise<void> {
  const changed = recordedFields.filter((field) => before[field] !== after[field])
  const fields: Fields = Object.fromEntries(changed.map((field) => [field, [before[field], after[field]]]))
  const row = { event, revision: after.revision, fields: JSON.stringify(fields), changed_by: userId }
  await insertRow(trx, 'slo_changes', { ...row, slo_id: after.id, changed_at: nowMs })
  if (event === 'created') return // no older changes to delete
  const newest = trx
    .selectFrom('slo_changes')
    .select('id')
    .where('slo_id', '=', after.id)
    .orderBy('id', 'desc')
    .limit(maxChanges)
  await trx.deleteFrom('slo_changes').where('slo_id', '=', after.id).where('id', 'not in', newest).execute()
}

/** Page of the changes of an SLO, newest first, and their total number. */
export async function listChanges(
  db: Db,
  sloId: number,
  { sinceMs = 0, ...page }: Page & { sinceMs?: number },
): Promise<{ rows: Change[]; total: number }> {
  const listed = db.selectFrom('slo_changes').where('slo_id', '=', sloId).where('changed_at', '>=', sinceMs)
  const { rows, total } = await pageOf(listed, page, (changes) =>
    changes
      .leftJoin('users', 'users.id', 'slo_changes.changed_by')
      .selectAll('slo_changes')
      .select('users.name as changed_by_name')
      .orderBy('slo_changes.id', 'desc'),
  )
  return { rows: rows.map((row) => ({ ...row, fields: fieldsOf(row.fields) })), total }
}

/** Change of one of several SLOs. */
export type ChangeOfSlo = Change & { slo_id: number }

/** Changes of these SLOs in `[startMs, endMs)`, newest first, at most `limit`. */
export async function listChangesBetween(
  db: Db,
  sloIds: readonly number[],
  { startMs, endMs, limit }: { startMs: number; endMs: number; limit: number },
): Promise<ChangeOfSlo[]> {
  const rows = await db
    .selectFrom('slo_changes')
    .leftJoin('users', 'users.id', 'slo_changes.changed_by')
    .selectAll('slo_changes')
    .select('users.name as changed_by_name')
    .where('slo_id', 'in', among(sloIds))
    .where('changed_at', '>=', startMs)
    .where('changed_at', '<', endMs)
    .orderBy('slo_changes.id', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => ({ ...row, fields: fieldsOf(row.fields) }))
}

function fieldsOf(json: string): Change['fields'] {
  const fields: Fields = JSON.parse(json)
  return recordedFields.flatMap((field) => {
    const values = fields[field]
    return values ? [{ field, before: values[0], after: values[1] }] : []
  })
}
