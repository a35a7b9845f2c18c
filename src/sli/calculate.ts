import { type Clock, isoTime } from '../clock.ts'
import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database, Db } from '../db/open.ts'
import type { ExecutionRow, SloRow } from '../db/tables/tables.ts'
import { expressionHash } from '../promql/analysis/normal-form.ts'
import { round10, unknownWindowBudget } from '../slos/arithmetic/budget.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'
import { isCalendarWindow, type SloWindow, type Window, windowSeconds } from '../slos/arithmetic/windows.ts'
import {
  allSettledOrThrow,
  createQuerySession,
  executionOf,
  type QueryPart,
  type SentQuery,
} from '../sources/query-session.ts'
import { presentExecution } from '../sources/model.ts'
import type { Source } from '../sources/source.ts'
import type { ExecutionLog } from '../sources/execution-log.ts'
import { insertExecutions, listQueriesOfSlo } from '../sources/store.ts'
import { measure } from './measure.ts'
import type { CalculationResult } from './model.ts'
import type { PlannedSlo, SliPlan } from './plan/plan.ts'
import type { Planner } from './plan/planner.ts'
import { assessWindows, inferUnit, percentOf, presentBudget, presentCounts } from './sli.ts'

type Deps = {
  db: Database
  clock: Clock
  planner: Pick<Planner, 'isReproduced' | 'recordReproduction' | 'recordRefusal'>
  executions: ExecutionLog
}

type Options = { window: Window | SloWindow; endSeconds: number; withDetails: boolean }

const executionsNotStored = 'The executions of this calculation are not stored: the disk refuses to write'

/**
 * Calculates the SLI over a window, a calendar one only if it is the SLO's own, and the error budget over the SLO's own window; both
 * end at `endSeconds`. If the sides of a ratio are known to reproduce the expression, the source gets one query for each window.
 * Executions are stored after the answer, if the disk accepts them. `withDetails` stores them first, and adds them and the coverage of
 * both windows to the result. Throws the errors of a `Source`. The budget of the whole window is left unknown.
 */
export async function calculateSlo(
  { db, clock, planner, executions: executionLog }: Deps,
  planned: PlannedSlo,
  source: Source,
  { window, endSeconds, withDetails }: Options,
): Promise<CalculationResult> {
  const { slo, plan } = planned
  const session = createQuerySession({ source, clock })
  const isReproduced = !withDetails && planner.isReproduced(planned)
  const own = ownWindow(slo, endSeconds)
  const ofWindow = isCalendarWindow(window) ? own : { name: window, seconds: windowSeconds(window) }
  const measureOver = ({ name, seconds }: typeof ofWindow, withCounts: boolean) => {
    const options = {
      windowSeconds: seconds,
      endSeconds,
      withCounts,
      withCoverage: withDetails,
      isReproduced,
    }
    return measure(session.over(name), plan, options)
  }
  const store = () => {
    const context = { sourceName: source.name, nowMs: clock.now() }
    return (trx: Db) => insert(trx, planned, session.sent, context)
  }
  const storeNow = async () => unlessDiskRefuses(() => db.groupCommit(store()), [])
  const overWindow = measureOver(ofWindow, true)
  const overOwn = window === slo.time_window ? overWindow : measureOver(own, false)
  const [measurement, ownMeasurement] = await allSettledOrThrow([overWindow, overOwn] as const).catch(
    async (error: unknown) => {
      await storeNow()
      throw error
    },
  )
  if (session.sent.some(({ part, error }) => part === 'sides' && error !== null)) planner.recordRefusal(planned)
  if (measurement.counts && 'value' in measurement.result && !session.isPartial) planner.recordReproduction(planned)
  const unit = await inferUnit(db, slo, plan, [ownMeasurement, measurement])
  const { current, budget, status } = assessWindows(
    { plan, unit, targetPercent: slo.target },
    measurement,
    ownMeasurement,
  )
  const isLogged = !withDetails && executionLog.add(store())
  const executions = isLogged ? [] : await storeNow()
  const notStored = !isLogged && executions.length < session.sent.length ? [executionsNotStored] : []
  const warnings = [plan.rewriteNotes, measurement.notes, ownMeasurement.notes, [...session.warnings], notStored]
  return {
    slo_id: slo.id,
    slo_name: slo.name,
    time_window: window,
    start_time: isoTime((endSeconds - ofWindow.seconds) * 1000),
    end_time: isoTime(endSeconds * 1000),
    current_value: round10(percentOf(current)),
    target_value: slo.target,
    error_budget_used: 'percent' in current ? budget.percentageUsed : null,
    status,
    status_reason: 'reason' in current ? current.reason : null,
    status_message: 'reason' in current ? current.message : null,
    calculated_at: isoTime(clock.now()),
    error_budget: {
      ...presentBudget(slo.time_window, budget, unknownWindowBudget),
      ...(withDetails ? { coverage: round10(ownMeasurement.coverageRatio) } : {}),
    },
    query_metrics: presentCounts(measurement.counts, ofWindow.seconds),
    metadata: {
      expression: measurement.expression,
      window_method: measurement.method,
      unit,
      source_name: source.name,
      partial: session.isPartial,
      cached: false,
    },
    warnings: [...new Set(warnings.flat())],
    ...(withDetails
      ? { coverage: round10(measurement.coverageRatio), query_executions: executions.map(presentExecution) }
      : {}),
  }
}

async function insert(
  db: Db,
  { slo, plan }: PlannedSlo,
  sent: SentQuery[],
  context: { sourceName: string; nowMs: number },
): Promise<ExecutionRow[]> {
  const purpose = { ...context, organizationId: slo.organization_id, sloId: slo.id, method: plan.method }
  const queryIdOf = await findQueryIds(db, slo, plan)
  return insertExecutions(
    db,
    sent.map((query) => executionOf(query, { ...purpose, queryId: queryIdOf(query.part) })),
  )
}

/** Maps each part of a measurement to the id of the SLO's stored query with the same expression, or null. */
async function findQueryIds(db: Db, slo: SloRow, plan: SliPlan): Promise<(part: QueryPart) => number | null> {
  const texts: Partial<Record<QueryPart, string | undefined>> = {
    sli: plan.written,
    sides: plan.written,
    as_stored: plan.written,
    counted: slo.good_query ?? slo.bad_query ?? plan.sides?.counted.stored,
    total: slo.total_query ?? plan.sides?.total.stored,
  }
  const hashes = new Map(
    Object.entries(texts).flatMap(([part, text]) => (text === undefined ? [] : [[part, expressionHash(text)]])),
  )
  const rows = await listQueriesOfSlo(db, slo.id)
  return (part) => rows.find(({ query_hash }) => query_hash === hashes.get(part))?.id ?? null
}
