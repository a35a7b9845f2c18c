import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { SloRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { definitionOf } from './sli-definition.ts'
import { windowSeconds } from '../slos/windows.ts'
import { createAsker } from './ask.ts'
import { settledUnit } from './calculate.ts'
import { unitOfPlan } from './judge.ts'
import { measure } from './measure.ts'
import type { Metered } from './metered.ts'
import { planSli, type SliPlan } from './plan.ts'
import type { Source } from './source.ts'

/** How each SLO is measured, planned once for each of its revisions. */
export type Meters = {
  /** Where an SLO's sides have been seen not to reproduce the whole, the plan has none. */
  meter(slo: SloRow): Metered
  /** Asks once for each SLO whether its sides reproduce the whole, or what the unit of its values is. */
  verify(source: Source, metered: Metered[], atSeconds: number): Promise<Metered[]>
}

/** `triedAt`: when there was nothing to tell by, Unix seconds. */
type Known = { revision: number; plan: SliPlan; isVerified: boolean; triedAt: number }

const lookedAtSeconds = 3600
const tryAgainSeconds = 3600

export function createMeters({ db, clock }: { db: Database; clock: Clock }): Meters {
  const known = new Map<number, Known>()

  function knownOf(slo: SloRow): Known {
    const before = known.get(slo.id)
    if (before?.revision === slo.revision) return before
    const plan = planSli(definitionOf(slo))
    const isTold = plan.counters === null && unitOfPlan(plan, slo, []) !== null
    const made = { revision: slo.revision, plan, isVerified: isTold || plan.rawQuantity, triedAt: 0 }
    known.set(slo.id, made)
    return made
  }

  const meter = (slo: SloRow): Metered => ({ slo, plan: knownOf(slo).plan })

  async function verifyOne(source: Source, { slo, plan }: Metered, atSeconds: number): Promise<Metered> {
    const entry = knownOf(slo)
    if (entry.isVerified || Math.abs(atSeconds - entry.triedAt) < tryAgainSeconds) return { slo, plan: entry.plan }
    const heard = { asked: [], warnings: new Set<string>(), partial: false }
    const ask = createAsker({ source, clock, heard, startedMs: performance.now(), timeRange: slo.time_window })
    const windowOf = plan.counters ? lookedAtSeconds : windowSeconds(slo.time_window)
    const options = { windowSeconds: windowOf, endSeconds: atSeconds, withCounts: true, withCoverage: false }
    const measured = await measure(ask, plan, options)
    entry.triedAt = atSeconds
    if (heard.partial || !('value' in measured.result)) return { slo, plan }
    if (plan.counters) {
      entry.isVerified = true
      if (measured.counts === null) entry.plan = { ...plan, sides: null, counters: null }
    }
    const unit = await settledUnit(db, slo, plan, [measured])
    entry.isVerified ||= unit !== null
    return { slo: { ...slo, settled_unit: unit ?? slo.settled_unit }, plan: entry.plan }
  }

  return {
    meter,
    verify: (source, metered, atSeconds) =>
      Promise.all(
        metered.map((one) =>
          verifyOne(source, one, atSeconds).catch((error: unknown) => {
            if (error instanceof AppError) return one // the source says so again when it is asked for the value
            throw error
          }),
        ),
      ),
  }
}
