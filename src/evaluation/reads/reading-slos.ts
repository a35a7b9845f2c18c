import { type Clock, minuteMs } from '../../clock.ts'
import { type CooperativeTask, runCooperatively } from '../../concurrency/cooperative.ts'
import type { Db } from '../../db/open.ts'
import type { SloRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import { type Matcher, matchersOf } from '../../promql/matchers.ts'
import { selectorsIn } from '../../promql/tree.ts'
import { readDefinition } from '../../sli/plan/definition.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import type { Planner } from '../../sli/plan/planner.ts'
import { embeddedUrl } from '../../sources/embedded-source.ts'
import { listActiveSlos } from '../evaluation-store.ts'
import { probesReadBy, type ProbeStatus } from '../outage.ts'
import { openIncidentsOf } from './reading-slos-store.ts'

type Labels = ProbeStatus['labels']

/**
 * Labels of the series of a scrape target, probe or heartbeat in the embedded source. `metrics`: names of its metrics that are
 * checks; absent: none.
 */
export type Collected = { labels: Labels; metrics?: readonly string[] }

/**
 * An SLO that reads series of a target, probe or heartbeat. `readsOthers`: it also reads others. `incidentId`: its open incident,
 * which ends if these series end; null: there is none, or it stays open.
 */
export type ReadingSlo = { id: number; name: string; readsOthers: boolean; incidentId: number | null }

type Deps = {
  db: Db
  clock: Clock
  planner: Planner
  /** Probes and heartbeats of an organization; null: not read yet. */
  checksOf: (organizationId: number) => readonly ProbeStatus[] | null
  storedSeries: {
    hasSome(organizationId: number, matchers: readonly Matcher[], labels: Labels): boolean
    hasOthers(organizationId: number, matchers: readonly Matcher[], labels: Labels, sinceMs: number): boolean
  }
}

const othersWithinMs = 10 * minuteMs

/** Active SLOs that read a series of `collected`, sorted by name. Runs cooperatively, since each SLO may take milliseconds. */
export async function readingSlos(
  { db, clock, planner, checksOf, storedSeries }: Deps,
  organizationId: number,
  collected: Collected,
): Promise<ReadingSlo[]> {
  const { labels, metrics } = collected
  const groups = await listActiveSlos(db, { organizationIds: [organizationId] })
  const embeddedSlos = groups.filter(({ source }) => source?.api_url === embeddedUrl).flatMap(({ slos }) => slos)
  const incidents = await openIncidentsOf(db, organizationId)
  const others = (checksOf(organizationId) ?? []).filter(
    (one) => one.stopped === undefined && !Bun.deepEquals(one.labels, labels),
  )
  const sinceMs = clock.now() - othersWithinMs

  function* readOne({ slo, plan: { probes } }: PlannedSlo): CooperativeTask<ReadingSlo[]> {
    const { id, name } = slo
    if (metrics && probes && probesReadBy(probes, [{ labels, metrics }]).length > 0) {
      const readsOthers = probesReadBy(probes, others).length > 0
      return [{ id, name, readsOthers, incidentId: readsOthers ? null : (incidents.get(id) ?? null) }]
    }
    const selectors = selectorsOf(slo).filter((matchers) => mayMatch(matchers, labels))
    if (!(yield* some(selectors, (matchers) => storedSeries.hasSome(organizationId, matchers, labels)))) return []
    const readsOthers = yield* some(selectors, (matchers) =>
      storedSeries.hasOthers(organizationId, matchers, labels, sinceMs),
    )
    return [{ id, name, readsOthers, incidentId: null }]
  }

  function* readAll(planned: readonly PlannedSlo[]): CooperativeTask<ReadingSlo[]> {
    const found: ReadingSlo[] = []
    for (const one of planned) {
      found.push(...(yield* readOne(one)))
      yield
    }
    return found
  }

  const found = await runCooperatively(organizationId, readAll(await planner.planAll(embeddedSlos)))
  return found.toSorted((a, b) => a.name.localeCompare(b.name))
}

function* some<T>(all: readonly T[], test: (one: T) => boolean): CooperativeTask<boolean> {
  for (const one of all) {
    if (test(one)) return true
    yield
  }
  return false
}

/** Matchers of each selector of an SLI; none if it cannot be read. */
function selectorsOf(slo: SloRow): Matcher[][] {
  const { root } = readDefinition(slo).template
  try {
    return root ? selectorsIn(root).map(matchersOf) : []
  } catch (error) {
    if (error instanceof AppError) return [] // an invalid matcher, which the source refuses too
    throw error
  }
}

/** False if a matcher excludes all series with these labels. */
function mayMatch(matchers: readonly Matcher[], labels: Labels): boolean {
  const values = new Map(labels)
  return matchers.every(({ name, fits }) => fits(values.get(name) ?? '') || !values.has(name))
}
