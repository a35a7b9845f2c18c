import type { SloState } from '../../src/slos/arithmetic/state.ts'
import { evaluated as storeEvaluation } from '../sli/ledger-fixtures.ts'
import type { TestApp } from '../support/app.ts'

const stateOf = { healthy: 'ok', warning: 'burning', critical: 'down', unknown: 'unknown' } as const

type Found = Parameters<typeof storeEvaluation>[2] & {
  state?: SloState
  /** Age of the state in seconds. */
  sinceSecondsAgo?: number | null
  stateReason?: string | null
}

/** Stores an evaluation of an SLO at the current minute, and its state; without one, that which goes with the status. */
export async function evaluated(
  nines: TestApp,
  sloId: number,
  { state, sinceSecondsAgo, stateReason, ...found }: Found,
) {
  await storeEvaluation(nines, sloId, found)
  const row = {
    state: state ?? stateOf[found.status ?? 'healthy'],
    state_since: sinceSecondsAgo === null ? null : Math.floor(nines.clock.now() / 1000) - (sinceSecondsAgo ?? 0),
    state_reason: stateReason ?? found.reason ?? null,
  }
  await nines.app.db.write.updateTable('slo_states').set(row).where('slo_id', '=', sloId).execute()
}
