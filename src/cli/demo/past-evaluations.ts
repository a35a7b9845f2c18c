import type { App } from '../../app.ts'
import { minuteMs } from '../../clock.ts'
import { type Evaluation, putEvaluations } from '../../evaluation/evaluation-store.ts'
import { rateOfSum, tierRateOfSum } from '../../ledger/window-sums.ts'
import { createAlertRaiser } from '../../notifications/alerts/raise-alerts.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { tiersOf } from '../../slos/alerting/tiers.ts'
import { assess, errorBudget } from '../../slos/arithmetic/budget.ts'
import { burnRatesOf } from '../../slos/arithmetic/burn-rates.ts'
import { existingShare } from '../../slos/arithmetic/reach.ts'
import { ratioOf } from '../../slos/arithmetic/window-sum.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { type PastSpan, type PastSums, sumOfMinutes } from './past.ts'

/** An SLO with what it counted, and the minutes at whose begin it is evaluated. */
type PastSlo = { planned: PlannedSlo; sums: PastSums; steps: ReadonlySet<number> }

type Deps = Pick<App, 'db' | 'clock' | 'stopwatch' | 'publicUrl' | 'config' | 'delivery'>

const recentSeconds = 300
const delayMs = 5000 // of an evaluation after its minute

/**
 * Evaluates the past in order, with the clock of `deps` set to each step by `setTime`: alerts, incidents and messages come from the
 * code that makes them of any evaluation, and are delivered at their time.
 */
export async function evaluatePast(
  deps: Deps,
  { firstSeconds }: PastSpan,
  { slos, setTime }: { slos: PastSlo[]; setTime: (timeMs: number) => void },
): Promise<void> {
  const { db, clock } = deps
  const sumsOf = new Map(slos.map(({ planned, sums }) => [planned.slo.id, sums]))
  const alerts = createAlertRaiser({
    ...deps,
    listMinutes: async (_, { sloId, startSeconds, endSeconds }) => {
      const sums = sumsOf.get(sloId)
      if (!sums) return []
      const first = Math.max(0, (startSeconds - firstSeconds) / 60)
      return Array.from({ length: Math.max(0, (endSeconds - firstSeconds) / 60 - first) }, (_unused, at) => {
        const minute = first + at
        return { startSeconds: firstSeconds + 60 * minute, ...sumOfMinutes(sums, minute, minute + 1) }
      })
    },
  })
  const steps = [...new Set(slos.flatMap((slo) => [...slo.steps]))].toSorted((a, b) => a - b)
  for (const step of steps) {
    setTime(1000 * firstSeconds + step * minuteMs + delayMs)
    const due = slos.filter((slo) => slo.steps.has(step))
    const evaluations = due.map((slo) => evaluationOf(slo, { firstSeconds, step, nowMs: clock.now() }))
    await db.write.transaction().execute(async (trx) => {
      await putEvaluations(trx, evaluations)
      await alerts.raiseAlerts(trx, evaluations)
    })
    await deps.delivery.run()
  }
}

/** The evaluation of an SLO at the begin of minute `step`. */
function evaluationOf(
  { planned, sums }: PastSlo,
  { firstSeconds, step, nowMs }: { firstSeconds: number; step: number; nowMs: number },
): Evaluation {
  const { slo } = planned
  const endSeconds = firstSeconds + 60 * step
  const reach = { firstSeconds, completeFromSeconds: -Infinity, isFilling: false }
  const [own, current] = [windowSeconds(slo.time_window), windowSeconds(currentWindow(slo.time_window))]
  const sumOf = (seconds: number) => sumOfMinutes(sums, step - seconds / 60, step)
  const percentOf = (seconds: number) => {
    const sum = sumOf(seconds)
    const ratio = ratioOf(sum, sum.coveredSeconds)
    return ratio === null ? null : 100 * ratio
  }
  const windowRate = (seconds: number) => tierRateOfSum(planned, sumOf(seconds), { seconds, endSeconds, reach })
  const recent = rateOfSum(planned, sumOf(recentSeconds), recentSeconds)
  const events = recent.totalEvents === null ? null : sumOf(own)
  const { percentageUsed } = errorBudget(percentOf(own), slo.target)
  return {
    sloId: slo.id,
    organizationId: slo.organization_id,
    revision: slo.revision,
    sloUpdatedAtMs: slo.updated_at,
    atSeconds: endSeconds,
    evaluatedAtMs: nowMs,
    status: assess(percentOf(current), slo.target, percentageUsed),
    reason: null,
    message: null,
    isFailed: false,
    current: percentOf(current),
    own: percentOf(own),
    budgetUsed: percentageUsed,
    windowShare: existingShare(reach, endSeconds - own, endSeconds),
    firstSampleAtMs: 1000 * firstSeconds,
    goodEvents: events?.good ?? null,
    totalEvents: events?.total ?? null,
    currentCoverage: windowRate(current).coverage,
    ownCoverage: windowRate(own).coverage,
    outage: null,
    recent: {
      seconds: recentSeconds,
      rate: recent.rate,
      events: recent.totalEvents,
      badEvents: recent.badEvents,
      isBeyondChance: recent.isBeyondChance,
      isCovered: true,
    },
    burnRates: burnRatesOf(tiersOf(slo), windowRate),
    durationMs: null,
  }
}
