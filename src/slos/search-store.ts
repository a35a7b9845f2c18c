import { sql } from 'kysely'
import { inChunks } from '../concurrency/chunks.ts'
import { type AsyncCooperativeTask, awaitStep, runCooperatively } from '../concurrency/cooperative.ts'
import type { Db } from '../db/open.ts'
import { among } from '../db/statements/among.ts'
import { flag } from '../db/tables/tables.ts'
import type { LabelFilter } from './labels.ts'

/** Selects SLOs of an organization; `active` null: active and deleted ones. `search`: part of the name or description. */
export type SloFilter = {
  teamId?: number | undefined
  labels?: LabelFilter[]
  active?: boolean | null
  search?: string | undefined
}

/** True if a filter reads labels or texts. That takes long, so `listFilteredIds` does it in steps that yield to the event loop. */
export function readsTexts({ labels = [], search }: SloFilter): boolean {
  return labels.length > 0 || Boolean(search)
}

/** Query for the SLOs that `teamId` and `active` of a filter select. Ignores its labels and `search`. */
export function filteredSlos(db: Db, organizationId: number, { teamId, active = true }: SloFilter) {
  let listed = db.selectFrom('slos').where('slos.organization_id', '=', organizationId)
  if (active !== null) listed = listed.where('slos.active', '=', flag(active))
  if (teamId !== undefined) listed = listed.where('slos.team_id', '=', teamId)
  return listed
}

/** Ids of the SLOs that a filter selects, newest first. Yields to the event loop while it reads labels and texts. */
export async function listFilteredIds(db: Db, organizationId: number, filter: SloFilter): Promise<number[]> {
  const listed = filteredSlos(db, organizationId, filter).select('slos.id')
  const rows = await listed.orderBy('slos.created_at', 'desc').orderBy('slos.id', 'desc').execute()
  const ids = rows.map(({ id }) => id)
  return readsTexts(filter) ? runCooperatively(organizationId, matching(db, ids, filter)) : ids
}

const slosPerBatch = 50 // descriptions and labels are up to 4,000 characters long each

/** Selects from `ids` those whose SLO has all the labels, and `search` in its name or description, ignoring case. */
function* matching(db: Db, ids: number[], { labels = [], search = '' }: SloFilter): AsyncCooperativeTask<number[]> {
  const text = search.toLowerCase()
  const found: number[] = []
  for (const chunk of inChunks(ids, slosPerBatch)) {
    let listed = db.selectFrom('slos').where('id', 'in', among(chunk))
    for (const [key, value] of labels) {
      listed = listed.where(
        sql<boolean>`exists (select 1 from json_each(slos.labels) where key = ${key} and value = ${value})`,
      )
    }
    const rows = yield* awaitStep(listed.select(['id', 'name', 'description']).execute())
    const hasText = (one: string) => one.toLowerCase().includes(text)
    const matchingIds = new Set(
      rows.filter(({ name, description }) => hasText(name) || hasText(description)).map(({ id }) => id),
    )
    found.push(...chunk.filter((id) => matchingIds.has(id)))
    yield
  }
  return found
}
