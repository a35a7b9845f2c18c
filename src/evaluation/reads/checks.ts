import type { Db } from '../../db/open.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { getSlo } from '../../slos/store.ts'
import { embeddedUrl } from '../../sources/embedded-source.ts'
import { findDefaultSource, getSource } from '../../sources/store.ts'
import { probesReadBy, type ProbeStatus } from '../outage.ts'

/** A probe with its last runs, oldest first. `nextAtMs`: when it runs next. */
export type RunProbe = Pick<ProbeStatus, 'labels'> & {
  name: string
  nextAtMs: number
  recent: readonly { atMs: number; durationMs: number; ok: boolean; error: string | null }[]
}

type Check = RunProbe['recent'][number] & { probe: string }

export type Checks = { checks: Check[]; nextAtMs: number | null }

/**
 * Runs of the embedded probes that an SLI reads, newest first, and the time of the next run; none of an SLI that reads other series.
 * Throws `not_found`.
 */
export async function checksOf(
  { db, planner, probes }: { db: Db; planner: Planner; probes: readonly RunProbe[] },
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
  const read = probesReadBy(selectors, probes)
  const checks = read.flatMap(({ name, recent }) => recent.map((run) => ({ ...run, probe: name })))
  return {
    checks: checks.toSorted((a, b) => b.atMs - a.atMs),
    nextAtMs: read.length === 0 ? null : Math.min(...read.map(({ nextAtMs }) => nextAtMs)),
  }
}
