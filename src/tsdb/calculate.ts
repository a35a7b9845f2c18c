import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/seal.ts'
import type { ExecutionRow, SloRow } from '../db/tables.ts'
import { assess, type ErrorBudget, errorBudget, type Status } from '../slos/budget.ts'
import type { Definition } from '../slos/definition.ts'
import { getActiveSlo, settleUnit } from '../slos/store.ts'
import { type CalculationWindow, windowSeconds } from '../slos/windows.ts'
import { createAsker, type Heard, settle } from './ask.ts'
import { insertExecutions } from './execution-store.ts'
import { measure } from './measure.ts'
import type { Measured } from './measured.ts'
import { planSli, type SliPlan } from './plan.ts'
import type { Prometheus } from './prometheus/client.ts'
import { type Sli, type SliUnit, sliOf, unitOf } from './sli.ts'
import type { Source } from './source.ts'
import { openSource } from './sources.ts'

export type CalculateDeps = {
  db: Database
  clock: Clock
  seal: Seal
  prometheus: Prometheus
}

type Wanted = { sloId: number; window: CalculationWindow; endSeconds: number; withDetails: boolean }

/** The value over the asked window, and the budget of the SLO's own; both end at `endSeconds`. */
export type Calculation = {
  slo: SloRow
  window: CalculationWindow
  endSeconds: number
  sourceName: string
  unit: SliUnit | null
  current: Sli
  measured: Measured
  budget: ErrorBudget
  budgetCoverageRatio: number | null
  status: Status
  executions: ExecutionRow[]
  warnings: string[]
  partial: boolean
}

/** Asks the source once for each window; records what was asked. Throws `not_found` and the errors of a `Source`. */
export async function calculateSlo(
  deps: CalculateDeps,
  organizationId: number,
  { sloId, window, endSeconds, withDetails }: Wanted,
): Promise<Calculation> {
  const slo = await getActiveSlo(deps.db.read, organizationId, sloId)
  const source = await openSource(deps, organizationId, slo.source_id)
  const plan = planSli(definitionOf(slo))
  const heard: Heard = { asked: [], warnings: new Set(), partial: false }
  const startedMs = performance.now() // all questions together take no longer than one may
  const over = (timeRange: CalculationWindow, withCounts: boolean) => {
    const ask = createAsker({ source, clock: deps.clock, heard, startedMs, timeRange })
    const options = { windowSeconds: windowSeconds(timeRange), endSeconds, withCounts, withCoverage: withDetails }
    return measure(ask, plan, options)
  }
  const asked = over(window, true)
  const own = window === slo.time_window ? asked : over(slo.time_window, false)
  const [measured, ownMeasured] = await settle([asked, own] as const).catch(async (error: unknown) => {
    await record(deps, slo, source, plan, heard)
    throw error
  })
  const unit = await settledUnit(deps.db, slo, plan, [ownMeasured, measured])
  const failingShare = plan.sides?.counts === 'bad'
  const current = sliOf(measured, unit, failingShare)
  const ownSli = sliOf(ownMeasured, unit, failingShare)
  const budget = errorBudget('percent' in ownSli ? ownSli.percent : null, slo.target)
  return {
    slo,
    window,
    endSeconds,
    sourceName: source.name,
    unit,
    current,
    measured,
    budget,
    budgetCoverageRatio: ownMeasured.coverageRatio,
    status: assess('percent' in current ? current.percent : null, slo.target, budget.percentageUsed),
    executions: await record(deps, slo, source, plan, heard),
    warnings: [...new Set([...measured.notes, ...ownMeasured.notes, ...heard.warnings])],
    partial: heard.partial,
  }
}

/** What an SLO's row says about how it is measured, in the words of the plan. */
function definitionOf(slo: Definition) {
  return {
    metricQuery: slo.metric_query,
    goodQuery: slo.good_query,
    badQuery: slo.bad_query,
    totalQuery: slo.total_query,
    threshold: slo.threshold,
    thresholdOp: slo.threshold_op,
    windowMethod: slo.window_method,
  }
}

/** What is likely wrong with how an SLO is measured, in sentences a person can act on. */
export function reviewDefinition(slo: Definition): string[] {
  return planSli(definitionOf(slo)).notes
}

/** The unit, stored the first time the values themselves had to tell it. */
async function settledUnit(db: Database, slo: SloRow, plan: SliPlan, measured: Measured[]): Promise<SliUnit | null> {
  const facts = { wanted: slo.query_unit, byText: plan.unitByText, settled: slo.settled_unit }
  const unit = plan.isJudged ? 'ratio' : unitOf(facts, measured)
  if (unit !== null && slo.settled_unit === null && facts.wanted === 'auto' && facts.byText === null) {
    await settleUnit(db.write, slo, unit)
  }
  return unit
}

async function record(
  { db, clock }: CalculateDeps,
  slo: SloRow,
  source: Source,
  plan: SliPlan,
  { asked }: Heard,
): Promise<ExecutionRow[]> {
  const nowMs = clock.now()
  const rows = asked.map((question) => ({
    organization_id: slo.organization_id,
    slo_id: slo.id,
    query_id: null,
    executed_at: question.atMs,
    duration_ms: question.durationMs,
    status: question.error === null ? ('success' as const) : ('error' as const),
    error: question.error,
    result_samples: question.samples,
    metadata: JSON.stringify({
      time_range: question.timeRange,
      source_name: source.name,
      part: question.part,
      expression: question.expression,
      window_method: question.part === 'as_stored' ? 'as_stored' : plan.method,
    }),
    created_at: nowMs,
  }))
  return insertExecutions(db.write, rows)
}
