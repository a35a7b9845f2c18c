import { type Insertable, sql, type Updateable } from 'kysely'
import type { Db } from '../../db/open.ts'
import { among } from '../../db/statements/among.ts'
import type { Cause, RuleRow, Tables } from '../../db/tables/tables.ts'

type RulesOfCause = { channelId: number; cause: Cause; sloIds: readonly number[] }

/** Existing rules for these SLOs, with the sorted names of columns whose given value differs; reads no texts. */
export async function listChanges(
  db: Db,
  { channelId, cause, sloIds }: RulesOfCause,
  changes: Partial<RuleRow>,
): Promise<{ id: number; slo_id: number; changed: string[] }[]> {
  const columns = Object.keys(changes).toSorted() as (keyof RuleRow)[]
  const changed = columns.map((name) => sql`iif(${sql.ref(name)} is not ${changes[name]}, ${name}, null)`)
  const { rows } = await sql<{ id: number; slo_id: number; changed: string }>`
    select id, slo_id, json_array(${sql.join(changed)}) as changed from notification_rules
    where slo_id in ${among(sloIds)} and channel_id = ${channelId}
      and cause = ${cause}`.execute(db)
  return rows.map((row) => {
    const names: (string | null)[] = JSON.parse(row.changed)
    return { ...row, changed: names.filter((name) => name !== null) }
  })
}

/** Inserts a rule for each of these SLOs, in their order. */
export async function insertRules(
  db: Db,
  row: Omit<Insertable<Tables['notification_rules']>, 'slo_id'>,
  sloIds: readonly number[],
): Promise<{ id: number; slo_id: number }[]> {
  const entries = Object.entries({ ...row, slo_id: sql`slos.value` })
  const columns = entries.map(([name]) => sql.ref(name))
  const { rows } = await sql<{ id: number; slo_id: number }>`
    insert into notification_rules (${sql.join(columns)})
    select ${sql.join(entries.map(([, value]) => value))} from json_each(${JSON.stringify(sloIds)}) as slos
    returning id, slo_id`.execute(db)
  return rows
}

export async function updateRules(db: Db, ids: readonly number[], changes: Updateable<Tables['notification_rules']>) {
  await db.updateTable('notification_rules').set(changes).where('id', 'in', among(ids)).execute()
}
