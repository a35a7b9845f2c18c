import type { Status } from '../db/tables/tables.ts'
import type { BurnRate } from '../slos/arithmetic/burn-rates.ts'

/**
 * What an SLO was found to be at a minute. Values and the budget used are in percent, coverages 0..1; events are those of
 * the SLO's own window. `failed`: the source gave no answer, so that nothing is said of the time.
 */
export type Evaluation = {
  sloId: number
  organizationId: number
  /** Of how the SLO was measured. */
  revision: number
  /** Which version of the SLO was evaluated; not written any more once it has been edited. */
  sloUpdatedAtMs: number
  /** The end of its windows. */
  atSeconds: number
  evaluatedAtMs: number
  status: Status
  reason: string | null
  message: string | null
  failed: boolean
  /** Over the current window. */
  current: number | null
  /** Over the SLO's own window. */
  own: number | null
  budgetUsed: number | null
  goodEvents: number | null
  totalEvents: number | null
  currentCoverage: number | null
  ownCoverage: number | null
  burnRates: BurnRate[]
}
