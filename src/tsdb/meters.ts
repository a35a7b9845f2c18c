import type { Clock } from '../clock.ts'
import type { SloRow } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { definitionOf } from './sli-definition.ts'
import { createAsker } from './ask.ts'
import { measure } from './measure.ts'
import type { Metered } from './metered.ts'
import { planSli, type SliPlan } from './plan.ts'
import type { Source } from './source.ts'

/** How each SLO is measured, planned once for each of its revisions. */
export type Meters = {
  /** Where an SLO's sides have been seen not to reproduce the whole, the plan has none. */
  meter(slo: SloRow): Metered
  /** Asks for each SLO that has not been looked at yet whether its sides reproduce the whole. */
  verify(source: Source, metered: Metered[], atSeconds: number): Promise<Metered[]>
}

type Known = { revision: number; plan: SliPlan; isVerified: boolean }

const lookedAtSeconds = 3600

export function createMeters({ clock }: { clock: Clock }): Meters {
  const known = new Map<number, Known>()

  function knownOf(slo: SloRow): Known {
    const before = known.get(slo.id)
    if (before?.revision === slo.revision) return before
    const plan = planSli(definitionOf(slo))
    const made = { revision: slo.revision, plan, isVerified: plan.counters === null }
    known.set(slo.id, made)
    return made
  }

  const meter = (slo: SloRow): Metered => ({ slo, plan: knownOf(slo).plan })

  async function verifyOne(source: Source, { slo, plan }: Metered, atSeconds: number): Promise<void> {
    const entry = knownOf(slo)
    const heard = { asked: [], warnings: new Set<string>(), partial: false }
    const ask = createAsker({ source, clock, heard, startedMs: performance.now(), timeRange: '1h' })
    const options = { windowSeconds: lookedAtSeconds, endSeconds: atSeconds, withCounts: true, withCoverage: false }
    const { result, counts } = await measure(ask, plan, options)
    entry.isVerified = true // where nothing was counted there is nothing to tell by, and nothing that differs
    if ('value' in result && counts === null) entry.plan = { ...plan, sides: null, counters: null }
  }

  return {
    meter,
    async verify(source, metered, atSeconds) {
      const work = metered
        .filter(({ slo }) => !knownOf(slo).isVerified)
        .map((one) =>
          verifyOne(source, one, atSeconds).catch((error: unknown) => {
            if (!(error instanceof AppError)) throw error // the source says so again when it is asked for the value
          }),
        )
      await Promise.all(work)
      return metered.map(({ slo }) => meter(slo))
    },
  }
}
