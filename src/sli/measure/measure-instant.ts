import { type Asker, settle } from '../../sources/ask.ts'
import {
  type Measured,
  groupsLeftOut,
  noCommonLabels,
  noData,
  noTraffic,
  notANumber,
  severalSeries,
  type WindowOptions,
} from './measured.ts'
import type { SliPlan } from '../plan/plan.ts'
import { isFilled, largest, mean, type Reading, readInstant, sumInstant } from '../../sources/reading.ts'
import { agree, eventsOf, type SideSums, wholeOfSides } from './shares.ts'

/** One query at the end of the window, whose ranges were made the window; the sides besides where they are needed. */
export async function measureInstant(ask: Asker, plan: SliPlan, options: WindowOptions): Promise<Measured> {
  const { windowSeconds, endSeconds, withCounts, withCoverage } = options
  const expression = plan.expression(windowSeconds)
  const [whole, early, coverageRatio] = await settle([
    ask.instant('sli', expression, endSeconds).then(readInstant),
    withCounts ? askSides(ask, plan, options) : null,
    withCoverage ? askCoverage(ask, plan, options) : null,
  ] as const)
  const base = { method: plan.method, expression, counts: null, coverageRatio, notes: [] }
  if (whole.kind === 'not_a_number') return { ...base, result: notANumber(whole.what) }

  const single = whole.kind === 'numbers' && whole.values.length === 1
  const sums = early ?? (single ? null : await askSides(ask, plan, options))
  if (plan.sides && sums) {
    const value = wholeOfSides(plan.sides, sums)
    const counts = eventsOf(plan.sides, sums, windowSeconds)
    if (value !== null && standFor(whole, value, sums)) return { ...base, result: { value, largest: value }, counts }
    if (value !== null && whole.kind === 'numbers' && plan.sides.isGrouped) {
      return { ...base, result: { value, largest: value }, counts, notes: [groupsLeftOut] }
    }
    if (whole.kind === 'empty' && sums.total === 0) return { ...base, result: noTraffic, counts }
  }
  if (whole.kind === 'numbers') {
    return { ...base, result: resultOf(whole.values), notes: single ? [] : [severalSeries(whole.values.length)] }
  }
  if (plan.method === 'widen') {
    const stored = readInstant(await ask.instant('as_stored', plan.stored, endSeconds))
    if (stored.kind === 'numbers') {
      return { ...base, result: resultOf(stored.values), method: 'as_stored', expression: plan.stored }
    }
  }
  return { ...base, result: sums?.total && sums.counted !== null ? noCommonLabels : noData }
}

function resultOf(values: [number, ...number[]]) {
  return { value: mean(values), largest: largest(values) }
}

/**
 * Whether the sides can stand for the whole. One series must have their value; several are parts of their sums. An empty
 * whole is explained by a counted side that is empty, and by nothing else.
 */
function standFor(whole: Reading, value: number, sums: SideSums): boolean {
  if (whole.kind !== 'numbers') return sums.counted === null
  return whole.values.length > 1 || agree(whole.values[0], value)
}

async function askSides(
  ask: Asker,
  plan: SliPlan,
  { windowSeconds, endSeconds }: WindowOptions,
): Promise<SideSums | null> {
  if (!plan.sides) return null
  const [counted, total] = await settle([
    ask.instant('counted', plan.sides.counted.expression(windowSeconds), endSeconds).then(sumInstant),
    ask.instant('total', plan.sides.total.expression(windowSeconds), endSeconds).then(sumInstant),
  ] as const)
  return { counted, total }
}

const coverageSlices = 720

/** The share of the window's slices in which the total (else the whole) has a value. Rule: docs/slo-math.md, "Coverage". */
async function askCoverage(ask: Asker, plan: SliPlan, { windowSeconds, endSeconds }: WindowOptions): Promise<number> {
  const stepSeconds = Math.max(60, Math.round(windowSeconds / coverageSlices))
  const inside = plan.coverageExpression(Math.max(stepSeconds, 300))
  const expression = `count_over_time((${inside})[${windowSeconds}s:${stepSeconds}s])`
  const reading = readInstant(await ask.instant('coverage', expression, endSeconds))
  const counts = reading.kind === 'numbers' ? reading.values : []
  return isFilled(counts) ? Math.min(1, largest(counts) / (windowSeconds / stepSeconds)) : 0
}
