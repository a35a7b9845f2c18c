import { type Clock, minuteStartSeconds } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import { assertNone } from '../errors.ts'
import { measure } from '../sli/measure.ts'
import { forEachValue } from '../sli/plan/for-each.ts'
import { inferMetricKinds, kindsOf } from '../sli/plan/metric-kinds.ts'
import { planSli, type SliPlan } from '../sli/plan/plan.ts'
import { assessWindows, type Measurement, unitOfPlan } from '../sli/sli.ts'
import { tiersOf } from '../slos/alerting/tiers.ts'
import { type OwnWindow, ownWindow } from '../slos/arithmetic/own-window.ts'
import { currentWindow, type Window, windowSeconds } from '../slos/arithmetic/windows.ts'
import { type Definition, definitionProblems, completeDefinition } from '../slos/definition.ts'
import { referenceProblems } from '../slos/edit.ts'
import { findWindowZone } from '../slos/store.ts'
import { labelProblems } from '../slos/labels.ts'
import { allSettledOrThrow, createQuerySession } from '../sources/query-session.ts'
import type { Source, SourceOpener } from '../sources/source.ts'
import { openSource } from '../sources/store.ts'
import { findGrouping } from './grouping.ts'
import { findPartOfValues } from './whole-values.ts'
import { lookBack } from './look-back.ts'
import type { Preview, SloPreview } from './model.ts'
import { problemsOf } from './problems.ts'
import { type ListedHeartbeats, waitingMessageOf } from './waiting-heartbeats.ts'
import { explainRefusal, findSilentParts } from './queries.ts'
import { withSameHistory, measureWindows, shorterWindows } from './what-if.ts'

type Deps = { db: Database; clock: Clock; seal: Seal; opener: SourceOpener; heartbeats: ListedHeartbeats }

/**
 * Measures an SLO that is not stored, and stores nothing. Throws `invalid`, naming the field, if it is no valid SLO or the
 * source refuses a query, and `source_unavailable`. All queries together have the timeout of one query. `isWhatIf`: windows
 * shorter than its own are measured, too.
 */
export async function previewSlo(
  deps: Deps,
  organizationId: number,
  { for_each: selectedValue, ...sent }: SloPreview,
  { isWhatIf = false } = {},
): Promise<Preview> {
  const { slo, problems } = selectedValue
    ? forEachValue(sent)(selectedValue)
    : { slo: sent, problems: labelProblems(sent.labels ?? {}) }
  const definition = completeDefinition(slo)
  const sourceId = slo.source_id ?? null
  const references = { organization_id: organizationId, team_id: slo.team_id ?? 1, source_id: sourceId }
  assertNone([...problems, ...definitionProblems(definition), ...(await referenceProblems(deps.db.read, references))])
  const source = await openSource(deps, organizationId, sourceId)

  const { target: targetPercent, time_window: window, query_unit: queryUnit = 'auto' } = slo
  const shortWindow = currentWindow(window)
  const endSeconds = minuteStartSeconds(deps.clock.now())
  const plan = await planOf(source, definition, endSeconds)
  const session = createQuerySession({ source, clock: deps.clock })
  const ownSpan = ownWindow(
    { time_window: window, time_zone: await findWindowZone(deps.db.read, organizationId, slo) },
    endSeconds,
  )
  const measureOver = ({ name, seconds }: Pick<OwnWindow, 'name' | 'seconds'>, withCoverage = true) => {
    const options = { windowSeconds: seconds, endSeconds, withCounts: true, withCoverage }
    return measure(session.over(name), plan, options)
  }
  const named = (name: Window) => ({ name, seconds: windowSeconds(name) })
  const runner = session.over(ownSpan.name)
  const windowEnd = { windowSeconds: ownSpan.seconds, endSeconds }
  const measuring = [measureOver(named(shortWindow)), measureOver(ownSpan)] as const
  const [current, own] = await allSettledOrThrow(measuring).catch(async (error: unknown) => {
    throw await explainRefusal(runner, definition, { ...windowEnd, error })
  })

  const unitOf = (measurements: Measurement[]) =>
    unitOfPlan(plan, { query_unit: queryUnit, inferred_unit: null }, measurements)
  const unit = unitOf([own, current])
  const assessments = assessWindows({ plan, unit, targetPercent }, current, own)
  const waitingMessage = waitingMessageOf(deps.heartbeats, organizationId, plan, assessments.own)
  const ownSli =
    'reason' in assessments.own && waitingMessage !== null
      ? { ...assessments.own, message: waitingMessage }
      : assessments.own
  const assessed = { ...assessments, own: ownSli }
  const tiers = tiersOf({ time_window: window, target: targetPercent, burn_rate_tiers: null })
  const options = { plan, own, ownWindow: ownSpan, unit, window, endSeconds, targetPercent, sli: assessed.own, tiers }
  const shorter = isWhatIf ? shorterWindows(plan, window) : []
  const [silent, grouping, partOfValues, lookedBack, measuredShorter] = await allSettledOrThrow([
    findSilentParts(runner, definition, { ...windowEnd, plan, own, sli: assessed.own }),
    'percent' in assessed.own ? findGrouping(runner, definition, plan, windowEnd) : null,
    'percent' in assessed.own ? findPartOfValues(runner, definition, windowEnd) : null,
    'percent' in assessed.own ? lookBack(runner, options) : { past: null, warnings: [] },
    measureWindows(shorter, (one) => measureOver(named(one), false), { plan, unitOf: (one) => unitOf([one, current]) }),
  ] as const)
  const measuredOwn = {
    window,
    seconds: ownSpan.seconds,
    wholeSeconds: ownSpan.wholeSeconds,
    unit,
    sli: assessed.own,
    measurement: own,
  }
  const assessedDefinition = { ...definition, target: targetPercent, time_window: window, query_unit: queryUnit }
  const allWarnings = [
    plan.notes,
    silent.warnings,
    lookedBack.warnings,
    current.notes,
    own.notes,
    [...session.warnings],
  ]
  return {
    ...assessed,
    slo,
    currentWindow: shortWindow,
    ownWindow: ownSpan,
    endSeconds,
    sourceName: source.name,
    unit,
    measurements: { current, own },
    problems:
      waitingMessage !== null
        ? []
        : problemsOf({
            slo: assessedDefinition,
            plan,
            own,
            sli: assessed.own,
            unit,
            tiers,
            silent: silent.problems,
            grouping,
            partOfValues,
          }),
    warnings: [...new Set(allWarnings.flat())],
    partial: session.isPartial,
    past: lookedBack.past,
    windows: isWhatIf ? [...withSameHistory(measuredShorter, measuredOwn, lookedBack.past), measuredOwn] : null,
  }
}

/** Plans the SLI with the kinds of metrics that the source gives, if the query leaves them undecided. */
async function planOf(source: Source, definition: Definition, atSeconds: number): Promise<SliPlan> {
  const plan = planSli(definition)
  if (plan.selectorsOfUnknownKind.length === 0) return plan
  return planSli(definition, kindsOf(await inferMetricKinds(source, plan.selectorsOfUnknownKind, atSeconds)))
}
