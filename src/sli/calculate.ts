import type { Clock } from '../clock.ts'
import { unlessDiskRefuses } from '../db/failures/disk-failure.ts'
import type { Database } from '../db/open.ts'
import type { ExecutionRow, SloRow } from '../db/tables/tables.ts'
import type { ErrorBudget, Status } from '../slos/arithmetic/budget.ts'
import type { Definition } from '../slos/definition.ts'
import { storeInferredUnit } from '../slos/store.ts'
import { type CalculationWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { type Asked, createAsker, type Heard, type Part, settle } from '../sources/ask.ts'
import { executionOf } from '../sources/execution.ts'
import { insertExecutions } from '../sources/execution-store.ts'
import { assessWindows, unitOfPlan } from './assess-windows.ts'
import { measure } from './measure/measure.ts'
import type { Measured } from './measure/measured.ts'
import type { PlannedSlo } from './plan/planned-slo.ts'
import { planSli, type SliPlan } from './plan/plan.ts'
import { expressionHash } from '../promql/analysis/normal-form.ts'
import { definitionOf } from './plan/sli-definition.ts'
import type { Sli, SliUnit } from './sli.ts'
import { listQueriesByHash } from '../sources/stored-queries/store.ts'
import type { Source } from '../sources/source.ts'

export type CalculateDeps = {
  db: Database
  clock: Clock
}

type Wanted = { window: CalculationWindow; endSeconds: number; withDetails: boolean }

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

const executionsNotStored = 'The executions of this calculation are not stored: the disk refuses to write'

/** Asks the source once for each window; records what was asked, where the disk takes it. Throws the errors of a `Source`. */
export async function calculateSlo(
  deps: CalculateDeps,
  { slo, plan }: PlannedSlo,
  source: Source,
  { window, endSeconds, withDetails }: Wanted,
): Promise<Calculation> {
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
  const unit = await inferredUnit(deps.db, slo, plan, [ownMeasured, measured])
  const { current, budget, status } = assessWindows({ plan, unit, targetPercent: slo.target }, measured, ownMeasured)
  const executions = await record(deps, slo, source, plan, heard)
  const notStored = executions.length < heard.asked.length ? [executionsNotStored] : []
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
    status,
    executions,
    warnings: [...new Set([...plan.mended, ...measured.notes, ...ownMeasured.notes, ...heard.warnings, ...notStored])],
    partial: heard.partial,
  }
}

/** What is likely wrong with how an SLO is measured, in sentences a person can act on. */
export function reviewDefinition(slo: Definition): string[] {
  return planSli(definitionOf(slo)).notes
}

/** The unit, stored the first time the values themselves had to tell it. */
export async function inferredUnit(
  db: Database,
  slo: SloRow,
  plan: SliPlan,
  measured: Measured[],
): Promise<SliUnit | null> {
  const unit = unitOfPlan(plan, slo, measured)
  const isToBeInferred = slo.inferred_unit === null && slo.query_unit === 'auto' && plan.unitByText === null
  if (unit === null || !isToBeInferred) return unit
  return unlessDiskRefuses(() => storeInferredUnit(db.write, slo, unit), unit)
}

async function record(
  { db, clock }: CalculateDeps,
  slo: SloRow,
  source: Source,
  plan: SliPlan,
  { asked }: Heard,
): Promise<ExecutionRow[]> {
  const askedFor = {
    organizationId: slo.organization_id,
    sloId: slo.id,
    sourceName: source.name,
    method: plan.method,
    nowMs: clock.now(),
  }
  const queryIdOf = await storedQueries(db, slo, plan)
  const rows = asked.map((question) => executionOf(question, { ...askedFor, queryId: queryIdOf(question) }))
  return unlessDiskRefuses(() => insertExecutions(db.write, rows), [])
}

/** Which stored query of the SLO a question comes of: the oldest that is the same expression. */
async function storedQueries(db: Database, slo: SloRow, plan: SliPlan): Promise<(question: Asked) => number | null> {
  const texts: Partial<Record<Part, string | undefined>> = {
    sli: plan.written,
    as_stored: plan.written,
    counted: slo.good_query ?? slo.bad_query ?? plan.sides?.counted.stored,
    total: slo.total_query ?? plan.sides?.total.stored,
  }
  const hashes = new Map(
    Object.entries(texts).flatMap(([part, text]) => (text === undefined ? [] : [[part, expressionHash(text)]])),
  )
  const rows = await listQueriesByHash(db.read, slo.id, [...new Set(hashes.values())])
  return ({ part }) => rows.find(({ query_hash }) => query_hash === hashes.get(part))?.id ?? null
}
