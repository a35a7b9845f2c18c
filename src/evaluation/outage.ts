import type { PlannedSlo } from '../sli/plan/plan.ts'

/** State of a probe of the embedded source and its target, or of a heartbeat and its job. Times are Unix milliseconds. */
export type ProbeStatus = {
  labels: readonly (readonly [name: string, value: string])[]
  /** Names of its series that an SLI may read; absent: `probe_success`. */
  metrics?: readonly string[]
  /** null: not known. */
  isDown: boolean | null
  /** The last run failed, and it is not yet known if the target is down. */
  isUnconfirmed: boolean
  sinceMs: number | null
  error: string | null
  intervalMs: number
  /** Time of the last failed run; null: none has failed since nines started. */
  failedMs: number | null
  /** Sentence that says why it no longer runs, since `sinceMs`; absent: it runs. */
  stopped?: string
  /** True for the job of a heartbeat: a later reason of its outage replaces the first. */
  isOfJob?: boolean
  /** Called once an evaluation that read this status is stored with its alerts; absent: nobody waits for that. */
  onStored?: () => void
}

/**
 * Outage of an SLO: the targets of all probes that its SLI reads are down (`isDown`; null: not known). `sinceSeconds`: time of the
 * first failed run while it is down, of the first good one once it is up again. `reason`: why the last run failed.
 */
export type Outage = {
  isDown: boolean | null
  /** Failed runs may become an outage within seconds. */
  isUnconfirmed: boolean
  sinceSeconds: number | null
  reason: string | null
  /** Sentence that says why no probe runs any more, since `sinceSeconds`; absent: one does. */
  stopped?: string
  /** True if the SLI reads jobs of heartbeats only: a later `reason` of the same outage replaces the first. */
  isOfJob?: boolean
}

/**
 * Finds the outage of an SLO from the probes of its organization; `probes` null: not read yet. Returns null if its SLI reads other
 * series than probes, or if none of its probes exists.
 */
export function outageOf({ plan }: PlannedSlo, probes: readonly ProbeStatus[] | null): Outage | null {
  const { probes: selectors } = plan
  if (!selectors) return null
  if (!probes) return { isDown: null, isUnconfirmed: false, sinceSeconds: null, reason: null }
  const all = probesReadBy(selectors, probes)
  const readProbes = all.filter(({ stopped }) => stopped === undefined)
  if (readProbes.length === 0) return stoppedOutage(all)
  const isDown =
    readProbes.every((one) => one.isDown) || (readProbes.some((one) => one.isDown === false) ? false : null)
  const times = readProbes.flatMap((one) => (one.isDown === isDown && one.sinceMs !== null ? [one.sinceMs] : []))
  const sinceMs = times.length === 0 ? null : isDown ? Math.max(...times) : Math.min(...times)
  return {
    isDown,
    isUnconfirmed: isDown !== true && readProbes.every((one) => one.isUnconfirmed || one.isDown),
    sinceSeconds: sinceMs === null ? null : Math.floor(sinceMs / 1000),
    reason: readProbes.find(({ error }) => error !== null)?.error ?? null,
    ...(readProbes.every(({ isOfJob }) => isOfJob) && { isOfJob: true }),
  }
}

/** Outage of an SLO all of whose probes have stopped: it has ended, and nothing is known. Null without any probe. */
function stoppedOutage(probes: readonly ProbeStatus[]): Outage | null {
  const last = probes.toSorted((a, b) => (b.sinceMs ?? 0) - (a.sinceMs ?? 0))[0]
  if (!last?.stopped) return null
  const sinceSeconds = last.sinceMs === null ? null : Math.floor(last.sinceMs / 1000)
  return { isDown: null, isUnconfirmed: false, sinceSeconds, reason: null, stopped: last.stopped }
}

type Labelled = Pick<ProbeStatus, 'labels' | 'metrics'>

const probesByJob = new WeakMap<readonly Labelled[], Map<string, Labelled[]>>()

/**
 * Finds the probes that one of these selectors selects. A selector with `job="…"` is compared with the probes of
 * that job only: an organization may have many probes, with an SLO each.
 */
export function probesReadBy<P extends Labelled>(
  selectors: NonNullable<PlannedSlo['plan']['probes']>,
  probes: readonly P[],
): P[] {
  const jobs = probesByJob.getOrInsertComputed(probes, () => Map.groupBy(probes, jobOf)) as Map<string, P[]>
  const candidates = selectors.map((matchers) => {
    const job = matchers.find(({ name, operator }) => name === 'job' && operator === '=')
    return job ? (jobs.get(job.value) ?? []) : probes
  })
  const [first = [], ...others] = candidates
  const all = others.length === 0 ? first : [...new Set(candidates.flat())]
  return all.filter((one) => readsProbe(selectors, one))
}

function jobOf({ labels }: Labelled): string {
  return labels.find(([name]) => name === 'job')?.[1] ?? ''
}

const probeMetrics = ['probe_success']

function readsProbe(selectors: NonNullable<PlannedSlo['plan']['probes']>, probe: Labelled): boolean {
  const { labels, metrics = probeMetrics } = probe
  const values = new Map(labels)
  return selectors.some((matchers) =>
    matchers.every(({ name, fits }) => (name === '__name__' ? metrics.some(fits) : fits(values.get(name) ?? ''))),
  )
}
