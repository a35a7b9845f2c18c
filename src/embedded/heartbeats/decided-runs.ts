import type { Db } from '../../db/open.ts'
import { heartbeatRows, listRuns } from './heartbeat-store.ts'
import { failedReason, missedReason } from './words.ts'

/** Run of a job as a check of its SLO. `durationMs` null: not known. */
type DecidedRun = { atMs: number; durationMs: number | null; ok: boolean; error: string | null }

const maxListed = 20

/** Last runs of a heartbeat that were good, failed or missed, with late reports, at most 20, oldest first; none if it was deleted. */
export async function listDecidedRuns(db: Db, organizationId: number, id: number): Promise<DecidedRun[]> {
  const row = await heartbeatRows.find(db, organizationId, id)
  if (!row) return []
  const runs = (await listRuns(db, id)).flatMap(({ at, duration_ms, outcome, report, exit_code }): DecidedRun[] => {
    const run = { atMs: at, durationMs: duration_ms }
    if (outcome === null || outcome === 'unknown') return []
    if (outcome === 'good' || report === 'success') return [{ ...run, ok: true, error: null }]
    if (report === 'fail') return [{ ...run, ok: false, error: failedReason(row, exit_code) }]
    return [{ ...run, ok: false, error: missedReason(row, at) }]
  })
  return runs.slice(0, maxListed).toReversed()
}
