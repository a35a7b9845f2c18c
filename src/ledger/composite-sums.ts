import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { prepared } from '../db/statements/prepared.ts'
import { combineSums, type Composite } from '../slos/arithmetic/composite.ts'
import type { Reach } from '../slos/arithmetic/reach.ts'
import type { WindowSum } from '../slos/arithmetic/window-sum.ts'
import type { SloRevision } from './ledger-store.ts'

/** Composite of an SLO's revision. `members`: present revision of each member; null: it is deleted or paused. */
export type StoredComposite = { composite: Composite; members: (SloRevision | null)[] }

/** Composites among these SLOs, by `keyOf`. A composite has no buckets of its own: whatever sums them reads those of its members. */
export async function findComposites(db: Db, measured: Iterable<SloRevision>): Promise<Map<string, StoredComposite>> {
  if ((await anyComposite(db, {})).rows.length === 0) return new Map()
  const ids = JSON.stringify([...new Set([...measured].map(({ sloId }) => sloId))])
  const { rows } = await compositesOf(db, { ids })
  const members = JSON.stringify(rows.flatMap(({ memberIds }) => JSON.parse(memberIds)))
  const evaluated = rows.length > 0 ? (await evaluatedOf(db, { ids: members })).rows : []
  const revisions = new Map(evaluated.map((one) => [one.sloId, one]))
  return new Map(
    rows.map(({ sloId, revision, composite: json }) => {
      const composite: Composite = JSON.parse(json)
      return [
        keyOf({ sloId, revision }),
        { composite, members: composite.members.map(({ slo_id }) => revisions.get(slo_id) ?? null) },
      ]
    }),
  )
}

export function keyOf({ sloId, revision }: SloRevision): string {
  return `${sloId} ${revision}`
}

/** Replaces the windows of composites by those of their members, and sums these with `sum`. */
export async function sumWithComposites<Window extends SloRevision>(
  db: Db,
  windows: Window[],
  sum: (windows: Window[]) => Promise<WindowSum[]>,
): Promise<WindowSum[]> {
  const composites = await findComposites(db, windows)
  if (composites.size === 0) return sum(windows)
  const placed = windows.map((window) => {
    const stored = composites.get(keyOf(window))
    return { stored, windows: stored ? stored.members.flatMap((one) => (one ? [{ ...window, ...one }] : [])) : [window] }
  })
  const sums = (await sum(placed.flatMap((one) => one.windows))).values()
  return placed.map(({ stored }) => {
    const next = () => sums.next().value ?? { good: 0, total: 0, coveredSeconds: 0 }
    if (!stored) return next()
    return combineSums(
      stored.composite,
      stored.members.map((one) => (one ? next() : null)),
    )
  })
}

/** Past of a composite from that of its members: it begins with the first sample of any, once the past of all is filled in. */
export function combineReaches(reaches: readonly Reach[]): Reach {
  const firsts = reaches.flatMap(({ firstSeconds }) => (firstSeconds === null ? [] : [firstSeconds]))
  const isFilling = reaches.some((one) => one.isFilling)
  const first = isFilling ? Math.max(...firsts) : Math.min(...firsts)
  return {
    firstSeconds: firsts.length === 0 ? null : first,
    completeFromSeconds: reaches.length === 0 ? Infinity : Math.max(...reaches.map((one) => one.completeFromSeconds)),
    isFilling,
  }
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
