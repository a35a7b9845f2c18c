import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { assertNone } from '../errors.ts'
import { definitionProblems, wholeDefinition } from '../slos/definition.ts'
import { referenceProblems } from '../slos/edit.ts'
import { labelProblems } from '../slos/labels.ts'
import { tiersOf } from '../slos/alerting/tiers.ts'
import { type CalculationWindow, currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { createAsker, type Heard, settle } from '../sources/ask.ts'
import { assessWindows, unitOfPlan } from '../sli/assess-windows.ts'
import { measure } from '../sli/measure/measure.ts'
import { decideKinds, kindsOf } from '../sli/plan/metric-kinds.ts'
import { planSli, type SliDefinition, type SliPlan } from '../sli/plan/plan.ts'
import { lookBack } from './look-back.ts'
import type { Preview, SloPreview } from './model.ts'
import { problemsOf } from './problems.ts'
import { explainRefusal, silentParts } from './queries.ts'
import type { Source, SourceOpener } from '../sources/source.ts'
import { definitionOf } from '../sli/plan/sli-definition.ts'
import { openSource } from '../sources/sources.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener }

/**
 * Measures an SLO that is not stored, and stores nothing. Throws `invalid` for what does not make an SLO and for a query
 * the source refuses, naming the field, and `source_unavailable`. All questions together take no longer than one may.
 */
export async function previewSlo(deps: Deps, organizationId: number, wanted: SloPreview): Promise<Preview> {
  const slo = wholeDefinition(wanted)
  const sourceId = wanted.source_id ?? null
  const references = { organization_id: organizationId, team_id: wanted.team_id ?? 1, source_id: sourceId }
  assertNone([
    ...labelProblems(wanted.labels ?? {}),
    ...definitionProblems(slo),
    ...(await referenceProblems(deps.db.read, references)),
  ])
  const source = await openSource(deps, organizationId, sourceId)

  const window = wanted.time_window
  const windowLength = windowSeconds(window)
  const shortWindow = currentWindow(window)
  const endSeconds = Math.floor(deps.clock.now() / 60_000) * 60
  const definition = definitionOf(slo)
  const plan = await plannedBy(source, definition, endSeconds)
  const heard: Heard = { asked: [], warnings: new Set(), partial: false }
  const startedMs = performance.now()
  const asker = (timeRange: CalculationWindow) =>
    createAsker({ source, clock: deps.clock, heard, startedMs, timeRange })
  const over = (timeRange: CalculationWindow) => {
    const options = { windowSeconds: windowSeconds(timeRange), endSeconds, withCounts: true, withCoverage: true }
    return measure(asker(timeRange), plan, options)
  }
  const ask = asker(window)
  const at = { windowSeconds: windowLength, endSeconds }
  const [current, own] = await settle([over(shortWindow), over(window)] as const).catch(async (error: unknown) => {
    throw await explainRefusal(ask, definition, { ...at, error })
  })

  const { target: targetPercent, query_unit: queryUnit = 'auto' } = wanted
  const unit = unitOfPlan(plan, { query_unit: queryUnit, inferred_unit: null }, [own, current])
  const assessed = assessWindows({ plan, unit, targetPercent }, current, own)
  const tiers = tiersOf({ time_window: window, target: targetPercent, burn_rate_tiers: null })
  const budgetUsedPercent = assessed.budget.percentageUsed
  const looking = { plan, own, unit, window, endSeconds, targetPercent, budgetUsedPercent, tiers }
  const [silent, looked] = await settle([
    silentParts(ask, definition, { ...at, plan, own, sli: assessed.own }),
    'percent' in assessed.own ? lookBack(ask, looking) : { past: null, warnings: [] },
  ] as const)
  const facts = { ...slo, target: targetPercent, time_window: window, query_unit: queryUnit }
  const remarks = [plan.notes, silent.warnings, looked.warnings, current.notes, own.notes, [...heard.warnings]]
  return {
    ...assessed,
    wanted,
    currentWindow: shortWindow,
    endSeconds,
    sourceName: source.name,
    unit,
    measured: { current, own },
    problems: problemsOf({ slo: facts, plan, own, sli: assessed.own, unit, tiers, silent: silent.problems }),
    warnings: [...new Set(remarks.flat())],
    partial: heard.partial,
    past: looked.past,
  }
}

/** The plan that knows what the source says of the metrics that are read as they are. */
async function plannedBy(source: Source, definition: SliDefinition, atSeconds: number): Promise<SliPlan> {
  const plan = planSli(definition)
  if (plan.asked.length === 0) return plan
  return planSli(definition, kindsOf(await decideKinds(source, plan.asked, atSeconds)))
}
