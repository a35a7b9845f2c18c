import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables.ts'
import { tidy } from '../slos/budget.ts'
import { listEarlierValues, listStates } from './evaluation/evaluation-store.ts'
import { readState, type Standing } from './evaluation/read-state.ts'

type Deps = { db: Database; clock: Clock; config: Pick<Config, 'evaluationIntervalSeconds'> }

/** How an SLO stands, and how far its current value is from that of a day and a week ago, in points. */
export type RealTimeMetric = { slo: SloRow; standing: Standing; dayChange: number | null; weekChange: number | null }

/** All active SLOs of an organization from what is stored, in a fixed number of statements. */
export async function realTimeMetrics({ db, clock, config }: Deps, organizationId: number): Promise<RealTimeMetric[]> {
  const nowMs = clock.now()
  const states = await listStates(db.read, organizationId)
  await nextTurn() // SQLite answers at once
  const ids = states.map(({ slo }) => slo.id)
  const earlier = await listEarlierValues(db.read, ids, Math.floor(nowMs / 1000))
  await nextTurn()
  const earlierOf = new Map(earlier.map((values) => [values.id, values]))
  return states.map(({ slo, state }) => {
    const standing = readState(state, nowMs, config.evaluationIntervalSeconds)
    const { dayAgo = null, weekAgo = null } = earlierOf.get(slo.id) ?? {}
    return { slo, standing, dayChange: change(standing.current, dayAgo), weekChange: change(standing.current, weekAgo) }
  })
}

function change(now: number | null, before: number | null): number | null {
  return now === null || before === null ? null : tidy(now - before)
}
