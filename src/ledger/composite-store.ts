import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/statements/prepared.ts'
import type { Composite } from '../slos/arithmetic/composite.ts'
import type { SloRevision } from './ledger-store.ts'

/** Composite of an SLO's revision. `members`: present revision of each member; null: it is deleted or paused. */
export type StoredComposite = { composite: Composite; members: (SloRevision | null)[] }

/** SLO whose buckets are read. What is known of it is not looked up: `isPlain`, it is no composite; `composite`, it is this one. */
export type MaybeComposite = SloRevision & { isPlain?: boolean; composite?: StoredComposite }

/** Composites among these SLOs, by `keyOf`. A composite has no buckets of its own: whatever sums them reads those of its members. */
export async function findComposites(
  db: Db,
  measured: readonly MaybeComposite[],
): Promise<Map<string, StoredComposite>> {
  const known = new Map(measured.flatMap((one) => (one.composite ? [[keyOf(one), one.composite] as const] : [])))
  const unknown = new Set(measured.flatMap(({ sloId, isPlain, composite }) => (isPlain || composite ? [] : [sloId])))
  if (unknown.size === 0 || (await anyComposite(db, {})).rows.length === 0) return known
  const ids = JSON.stringify([...unknown])
  const { rows } = await compositesOf(db, { ids })
  const members = JSON.stringify(rows.flatMap(({ memberIds }) => JSON.parse(memberIds)))
  const evaluated = rows.length > 0 ? (await evaluatedOf(db, { ids: members })).rows : []
  const revisions = new Map(evaluated.map((one) => [one.sloId, one]))
  const found = rows.map(({ sloId, revision, composite: json }): [string, StoredComposite] => {
    const composite: Composite = JSON.parse(json)
    return [
      keyOf({ sloId, revision }),
      { composite, members: composite.members.map(({ slo_id }) => revisions.get(slo_id) ?? null) },
    ]
  })
  return new Map([...known, ...found])
}

export function keyOf({ sloId, revision }: SloRevision): string {
  return `${sloId} ${revision}`
}

const anyComposite = prepared<object, { id: number }>(
  () => sql`select id from slos indexed by slos_composite where composite is not null limit 1`,
)

const compositesOf = prepared<
  { ids: string },
  { sloId: number; revision: number; composite: string; memberIds: string }
>(
  ({ ids }) => sql`
    select slos.id as sloId, slo_revisions.revision, definition->>'composite' as composite,
      (select json_group_array(value->>'slo_id') from json_each(definition->>'composite', '$.members')) as memberIds
    from slos indexed by slos_composite join slo_revisions on slo_revisions.slo_id = slos.id
    where slos.composite is not null and slos.id in (select value from json_each(${ids}))
      and definition->>'composite' is not null`,
)

const evaluatedOf = prepared<{ ids: string }, SloRevision>(
  ({ ids }) => sql`
    select id as sloId, revision from slos
    where id in (select value from json_each(${ids})) and active = 1 and paused_at is null`,
)
