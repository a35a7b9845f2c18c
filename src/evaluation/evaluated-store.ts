import { sql } from 'kysely'
import { aroundDamagedRows } from '../db/failures/damage.ts'
import type { Db } from '../db/open.ts'
import type { DataSourceRow, SloRow } from '../db/tables/tables.ts'
import { isDatabaseDamaged } from '../errors.ts'
import { listActiveIds } from '../slos/store.ts'

/** The active SLOs of one source; null: of those that have none. */
export type SourceSlos = { source: DataSourceRow | null; slos: SloRow[] }

/** Those of them that have not been deleted since they were listed. */
export async function stillActive(db: Db, slos: SloRow[]): Promise<SloRow[]> {
  const ids = slos.map(({ id }) => id)
  const rows = await db.selectFrom('slos').select('id').where('id', 'in', ids).where('active', '=', 1).execute()
  const active = new Set(rows.map(({ id }) => id))
  return slos.filter(({ id }) => active.has(id))
}

/** All active SLOs of all organizations by the source that measures them, without those whose rows are damaged. */
export async function listEvaluated(db: Db): Promise<SourceSlos[]> {
  const slos = await aroundDamagedRows(
    () => active(db).execute(),
    () => listActiveIds(db),
    (ids) => active(db).where('slos.id', 'in', among(ids)).execute(),
  )
  return bySource(db, slos)
}

/** Those of them that have not been evaluated as they are now; all where that cannot be read. */
export async function listNew(db: Db): Promise<SourceSlos[]> {
  const slos = active(db)
    .leftJoin('slo_states', (join) =>
      join.onRef('slo_states.slo_id', '=', 'slos.id').onRef('slo_states.revision', '=', 'slos.revision'),
    )
    .where((where) =>
      where.or([
        where('slo_states.slo_id', 'is', null),
        where('slo_states.reason', '=', 'warming_up'),
        where('slos.updated_at', '>', where.ref('slo_states.evaluated_at')),
      ]),
    )
    .execute()
  try {
    return await bySource(db, await slos)
  } catch (error) {
    if (!isDatabaseDamaged(error)) throw error
    return listEvaluated(db)
  }
}

function active(db: Db) {
  return db.selectFrom('slos').selectAll('slos').where('slos.active', '=', 1)
}

function among(ids: number[]) {
  return sql<number>`(select value from json_each(${JSON.stringify(ids)}))`
}

async function bySource(db: Db, slos: SloRow[]): Promise<SourceSlos[]> {
  const sources = await db.selectFrom('data_sources').selectAll().where('is_active', '=', 1).execute()
  const byId = new Map(sources.map((source) => [source.id, source]))
  const defaults = new Map(
    sources.filter(({ is_default }) => is_default === 1).map((source) => [source.organization_id, source]),
  )
  const groups = Map.groupBy(slos, ({ source_id, organization_id }) =>
    source_id === null ? defaults.get(organization_id) : byId.get(source_id),
  )
  return [...groups].map(([source = null, ofSource]) => ({ source, slos: ofSource }))
}
