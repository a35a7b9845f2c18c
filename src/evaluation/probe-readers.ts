import type { Db } from '../db/open.ts'
import type { Planner } from '../sli/plan/planner.ts'
import type { SliPlan } from '../sli/plan/plan.ts'
import { listActiveSlos, type SourceSlos } from './evaluation-store.ts'
import { probesReadBy, type ProbeStatus } from './outage.ts'

/**
 * Probe with a run for which its SLOs are to be evaluated. `minIntervalMs`: above 0 if its target was down already; an SLO is
 * then due only if it was not due within that time for such a probe.
 */
export type Probed = Pick<ProbeStatus, 'labels' | 'metrics'> & { organizationId: number; minIntervalMs: number }

/** Finds the SLOs that read probes. Lists the SLOs of an organization once, until `clear`; then only those that are found. */
export type ProbeReaders = {
  /** Lists the active SLOs that read one of these probes and are due; `nowMs`: time by the stopwatch. */
  list(db: Db, probed: readonly Probed[], nowMs: number): Promise<SourceSlos[]>
  /** Drops what was listed; to be called after changes of SLOs. */
  clear(): void
}

/** Readers by the `job` that their selectors match; null: readers with a selector that matches no single job. */
type Readers = Map<string | null, Reader[]>
type Reader = { id: number; probes: NonNullable<SliPlan['probes']> }

const maxSlos = 50_000
const tickMs = 1000 // checks are not due to the millisecond

export function createProbeReaders(planner: Pick<Planner, 'planAll'>): ProbeReaders {
  let readersOf = new Map<number, Readers>()
  /** Times by the stopwatch at which SLOs were last due because their target was still down. */
  const lastRepeatMs = new Map<number, number>()

  async function readers(db: Db, organizationIds: number[]): Promise<ReadonlyMap<number, Readers>> {
    const known = readersOf
    const missing = organizationIds.filter((id) => !known.has(id))
    if (missing.length === 0) return known
    const slos = (await listActiveSlos(db, { organizationIds: missing })).flatMap((group) => group.slos)
    const found = Map.groupBy(await planner.planAll(slos), ({ slo }) => slo.organization_id)
    for (const id of missing) {
      const own = found.get(id) ?? []
      known.set(id, byJob(own.flatMap(({ slo, plan: { probes } }) => (probes ? [{ id: slo.id, probes }] : []))))
    }
    return known
  }

  return {
    async list(db, probed, nowMs) {
      const byOrganization = Map.groupBy(probed, ({ organizationId }) => organizationId)
      const known = await readers(db, [...byOrganization.keys()])
      const isDue = (id: number, read: Probed[]) => {
        if (read.some(({ minIntervalMs }) => minIntervalMs === 0)) return true
        const ageMs = nowMs - (lastRepeatMs.get(id) ?? -Infinity)
        if (!read.some(({ minIntervalMs }) => ageMs >= minIntervalMs - tickMs)) return false
        if (lastRepeatMs.size >= maxSlos) lastRepeatMs.clear()
        lastRepeatMs.set(id, nowMs)
        return true
      }
      const ids = [...byOrganization].flatMap(([organizationId, probedInOrganization]) =>
        candidatesOf(known.get(organizationId), probedInOrganization).flatMap(({ id, probes }) =>
          isDue(id, probesReadBy(probes, probedInOrganization)) ? [id] : [],
        ),
      )
      if (ids.length === 0) return []
      return listActiveSlos(db, { ids })
    },
    clear: () => void (readersOf = new Map()),
  }
}

function byJob(all: Reader[]): Readers {
  const readers: Readers = new Map()
  for (const one of all) {
    const jobs = one.probes.map((matchers) => matchers.find(isJob)?.value ?? null)
    for (const job of jobs.includes(null) ? [null] : new Set(jobs)) readers.getOrInsertComputed(job, () => []).push(one)
  }
  return readers
}

const isJob = ({ name, operator }: { name: string; operator: string }) => name === 'job' && operator === '='

function candidatesOf(readers: Readers | undefined, probed: readonly Probed[]): Reader[] {
  const jobs = new Set(probed.map(({ labels }) => labels.find(([name]) => name === 'job')?.[1] ?? ''))
  return [...new Set([null, ...jobs].flatMap((job) => readers?.get(job) ?? []))]
}
