import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { deleteLastingEntries } from '../cache/entry-store.ts'
import type { Database } from '../db/open.ts'
import { startBackfill } from '../slos/backfills/store.ts'
import { listActiveOf, listCurrentRevisions } from '../slos/store.ts'
import { embeddedUrl } from '../sources/embedded-source.ts'
import { listSources } from '../sources/store.ts'
import { deleteCheckpoints } from '../ledger/checkpoint-store.ts'

const slosPerBatch = 25 // take a few milliseconds

/**
 * Restarts the backfills of an organization's SLOs that use the embedded source, after older samples were added to it. Also
 * deletes their checkpoints, and cached results that never expire. Returns the number of SLOs; null if no source is the embedded
 * one. Works on some SLOs at a time: if it fails midway, call it again. The caller must clear the cache of a running server.
 */
export async function restartBackfills(db: Database, organizationId: number, nowMs: number): Promise<number | null> {
  const sources = await listSources(db.read, organizationId)
  const embeddedIds = new Set(sources.filter(({ api_url }) => api_url === embeddedUrl).map(({ id }) => id))
  if (embeddedIds.size === 0) return null
  const defaultId = sources.find(({ is_default }) => is_default === 1)?.id ?? 0
  const listed = (await listCurrentRevisions(db.read, organizationId)).map(({ id }) => id)
  let restarted = 0
  for (let from = 0; from < listed.length; from += slosPerBatch) {
    const chunk = listed.slice(from, from + slosPerBatch)
    restarted += await db.write.transaction().execute(async (trx) => {
      const slos = await listActiveOf(trx, organizationId, chunk)
      const embeddedSlos = slos.filter(
        ({ source_id, composite }) => composite === null && embeddedIds.has(source_id ?? defaultId),
      )
      for (const slo of embeddedSlos) await startBackfill(trx, slo, nowMs)
      const ids = embeddedSlos.map(({ id }) => id)
      await deleteCheckpoints(trx, ids)
      return ids.length
    })
    await yieldToEventLoop()
  }
  await deleteLastingEntries(db.write, organizationId)
  return restarted
}
