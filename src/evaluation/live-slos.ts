import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/open.ts'
import { tidy } from '../slos/arithmetic/budget.ts'
import { listStatesOf } from './state-store.ts'
import { readState } from './read-state.ts'

type Deps = { db: Database; clock: Clock; config: Pick<Config, 'evaluationIntervalSeconds'> }

/** What live clients are told of those of the SLOs that have not been deleted, as they are stored. */
export async function listLiveSlos({ db, clock, config }: Deps, ids: number[]) {
  const states = await listStatesOf(db.read, ids)
  return states.map(({ slo, state }) => {
    const { status, current, budgetUsed, evaluatedAtMs } = readState(
      state,
      clock.now(),
      config.evaluationIntervalSeconds,
    )
    return {
      sloId: slo.id,
      organizationId: slo.organization_id,
      status,
      current: tidy(current),
      target: slo.target,
      budgetUsed,
      evaluatedAtMs,
      atMs: Math.max(evaluatedAtMs ?? 0, slo.updated_at),
    }
  })
}
