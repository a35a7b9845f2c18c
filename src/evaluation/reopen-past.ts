import { deleteLastingEntries } from '../cache/entry-store.ts'
import type { Db } from '../db/open.ts'
import { startBackfill } from '../slos/backfills/store.ts'
import { getActiveSlo, listRevised } from '../slos/store.ts'
import { embedded } from '../sources/embedded-source.ts'
import { listSources } from '../sources/store.ts'
import { deleteCheckpoints } from '../ledger/checkpoint-store.ts'

/**
 * The embedded source has come to know more of an organization's past: the SLOs that it measures ask for theirs from the
 * beginning again, and for the events of their own windows; and no answer about the past is kept. Gives how many SLOs those
 * are, null where no source is the embedded one. What a running server has in its cache is for the caller to remove.
 */
export async function reopenPast(trx: Db, organizationId: number, nowMs: number): Promise<number | null> {
  const sources = await listSources(trx, organizationId)
  const inside = sources.filter(({ api_url }) => api_url === embedded)
  if (inside.length === 0) return null
  const byDefault = sources.find(({ is_default }) => is_default === 1)
  const reopened: number[] = []
  for (const { id } of await listRevised(trx, organizationId)) {
    const slo = await getActiveSlo(trx, organizationId, id)
    const sourceId = slo.source_id ?? byDefault?.id
    if (!inside.some((source) => source.id === sourceId)) continue
    await startBackfill(trx, slo, nowMs)
    reopened.push(id)
  }
  await deleteCheckpoints(trx, reopened)
  await deleteLastingEntries(trx, organizationId)
  return reopened.length
}
