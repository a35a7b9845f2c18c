import type { Db } from '../../db/open.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { getSlo } from '../../slos/store.ts'
import { embeddedUrl } from '../../sources/embedded-source.ts'
import { findDefaultSource, getSource } from '../../sources/store.ts'
import { probesReadBy, type ProbeStatus } from '../outage.ts'

type Run = { atMs: number; durationMs: number | null; ok: boolean; error: string | null }

/** A probe with its last runs, oldest first, or a heartbeat. `nextAtMs`: when it runs next, or is due. */
export type RunProbe = Pick<ProbeStatus, 'labels' | 'metrics' | 'stopped'> & { name: string; nextAtMs: number } & (
    { recent: readonly Run[] } | { heartbeatId: number }
  )

/** Reads the last runs of a heartbeat, oldest first. */
export type JobRuns = { runsOf(organizationId: number, heartbeatId: number): Promise<Run[]> }

/** Maximum number of probes whose runs are read. */
const maxRead = 1000

type Check = Run & { probe: string }

export type Checks = { checks: Check[]; nextAtMs: number | null }

/**
 * Runs of the embedded probes and heartbeats that an SLI reads, newest first, and the time of the next run; empty if the SLI reads
 * other series. Throws `not_found`.
 */
export async function checksOf(
  { db, planner, probes, heartbeats }: { db: Db; planner: Planner; probes: readonly RunProbe[]; heartbeats: JobRuns },
  organizationId: number,
  sloId: number,
): Promise<Checks> {
  const slo = await getSlo(db, organizationId, sloId)
  const { probes: selectors } = planner.plan(slo).plan
  if (!selectors) return { checks: [], nextAtMs: null }
  const source =
    slo.source_id === null
      ? await findDefaultSource(db, organizationId)
      : await getSource(db, organizationId, slo.source_id)
  if (source?.api_url !== embeddedUrl) return { checks: [], nextAtMs: null }
  const read = probesReadBy(selectors, probes).filter(({ stopped }) => stopped === undefined)
  const checks: Check[] = []
  for (const one of read.slice(0, maxRead)) {
    const runs = 'recent' in one ? one.recent : await heartbeats.runsOf(organizationId, one.heartbeatId)
    checks.push(...runs.map((run) => ({ ...run, probe: one.name })))
  }
  return {
    checks: checks.toSorted((a, b) => b.atMs - a.atMs),
    nextAtMs: read.length === 0 ? null : Math.min(...read.map(({ nextAtMs }) => nextAtMs)),
  }
}
