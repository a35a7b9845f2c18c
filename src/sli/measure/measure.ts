import type { Asker } from '../../sources/ask.ts'
import { measureInstant } from './measure-instant.ts'
import { measureSlices } from './measure-slices.ts'
import type { Measured, WindowOptions } from './measured.ts'
import type { SliPlan } from '../plan/plan.ts'

/** Measures a plan over a window. Rule: docs/slo-math.md, "How a window is applied" and "Two sides". */
export async function measure(ask: Asker, plan: SliPlan, options: WindowOptions): Promise<Measured> {
  if (plan.rawQuantity) return notARatio(plan, options)
  const stepSeconds = plan.stepSeconds(options.windowSeconds)
  return stepSeconds === null
    ? measureInstant(ask, plan, options)
    : measureSlices(ask, plan, { ...options, stepSeconds })
}

function notARatio(plan: SliPlan, { windowSeconds }: WindowOptions): Measured {
  const message = plan.notes.join(' ') || 'The query is a quantity, not a ratio.'
  return {
    result: { reason: 'not_a_ratio', message },
    method: plan.method,
    expression: plan.expression(windowSeconds),
    counts: null,
    coverageRatio: null,
    notes: [],
  }
}
