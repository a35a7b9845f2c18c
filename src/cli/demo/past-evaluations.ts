import type { App } from '../../app.ts'
import { minuteMs } from '../../clock.ts'
import { type Evaluation, putEvaluations } from '../../evaluation/evaluation-store.ts'
import { rateOfSum, tierRateOfSum } from '../../ledger/window-sums.ts'
import { createAlertRaiser } from '../../notifications/alerts/raise-alerts.ts'
import type { PlannedSlo } from '../../sli/plan/plan.ts'
import { tiersOf } from '../../slos/alerting/tiers.ts'
import { assess, errorBudget } from '../../slos/arithmetic/budget.ts'
import { burnRatesOf } from '../../slos/arithmetic/burn-rates.ts'
import { ownWindow, shareOfOwnWindow } from '../../slos/arithmetic/own-window.ts'
import { ratioOf } from '../../slos/arithmetic/window-sum.ts'
import { currentWindow, windowSeconds } from '../../slos/arithmetic/windows.ts'
import { type PastSpan, type PastSums, sumOfMinutes } from './past.ts'

/** An SLO with its events, evaluated at the start of each minute in `evaluatedMinutes`. */
type PastSlo = { planned: PlannedSlo; sums: PastSums; evaluatedMinutes: ReadonlySet<number> }

type Deps = Pick<App, 'db' | 'clock' | 'stopwatch' | 'publicUrl' | 'config' | 'delivery'>

const recentSeconds = 300
const delayMs = 5000 // of an evaluation after its minute

/**
 * Evaluates the past in order. `setTime` sets the clock of `deps` to each evaluation, so that the code of live evaluations raises
 * alerts, opens incidents and delivers notifications at their time in the past.
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
  const minutes = [...new Set(slos.flatMap((slo) => [...slo.evaluatedMinutes]))].toSorted((a, b) => a - b)
  for (const minute of minutes) {
    setTime(1000 * firstSeconds + minute * minuteMs + delayMs)
    const due = slos.filter((slo) => slo.evaluatedMinutes.has(minute))
    const evaluations = due.map((slo) => evaluationOf(slo, { firstSeconds, minute, nowMs: clock.now() }))
    await db.write.transaction().execute(async (trx) => {
      await putEvaluations(trx, evaluations)
      await alerts.raiseAlerts(trx, evaluations)
    })
    await deps.delivery.run()
  }
}

/** Evaluation of an SLO at the start of a minute. */
function evaluationOf(
  { planned, sums }: PastSlo,
  { firstSeconds, minute, nowMs }: { firstSeconds: number; minute: number; nowMs: number },
): Evaluation {
  const { slo } = planned
  const endSeconds = firstSeconds + 60 * minute
  const reach = { firstSeconds, completeFromSeconds: -Infinity, isFilling: false } // the whole past is in the ledger
  const window = ownWindow(slo, endSeconds)
  const [own, current] = [window.seconds, windowSeconds(currentWindow(slo.time_window))]
  const sumOf = (seconds: number) => sumOfMinutes(sums, minute - seconds / 60, minute)
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
    windowShare: shareOfOwnWindow(reach, window),
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
