import { AppError } from '../errors.ts'
import { withoutBreaks } from '../ledger/bucket.ts'
import { queryOwnIncreases } from '../ledger/counters/query-counters.ts'
import type { Planner } from '../sli/plan/planner.ts'
import type { PlannedSlo } from '../sli/plan/plan.ts'
import { ownWindow } from '../slos/arithmetic/own-window.ts'
import { isCalendarWindow } from '../slos/arithmetic/windows.ts'
import { insertPeriod, frozenKey, listFrozenEnds } from '../slos/periods/store.ts'
import { withoutExcluded } from './corrections/without-excluded.ts'
import { type Chunk, createMemory, failedValues, measureValues, ownOfSides, type Values } from './measure-values.ts'
import { measureComposites } from './measure-composites.ts'

/** Ends up to which periods are stored, or the creation of the SLO if none is, in Unix seconds, by `frozenKey`. A cache: missing ones are looked up. */
export type FrozenMemory = Map<string, number>

type Deps = Omit<Parameters<typeof measureValues>[0], 'memory'> & { planner: Planner; memory: { frozen: FrozenMemory } }

type Own = Pick<Values, 'own' | 'events' | 'sum' | 'excluded' | 'note'>

const delaySeconds = 900 // samples may come late, and the last hour and day are closed by then
const retryForSeconds = 6 * 3600
const maxEnds = 12

/**
 * Stores the figures of calendar periods that ended while these SLOs existed, a quarter of an hour after their end, also of those that
 * ended while nines was off. They are measured as the budget at their end. A period for which the source does not answer is tried
 * again for six hours, then stored without an SLI.
 */
export async function freezePeriods(deps: Deps, chunk: Chunk): Promise<void> {
  const { frozen } = deps.memory
  const calendarSlos = chunk.planned.filter(({ slo }) => isCalendarWindow(slo.time_window))
  // a time that is too recent, or in the future, is of a new SLO, or was stored while the clock was ahead: it is looked up again
  const isKnown = ({ slo }: PlannedSlo) => (frozen.get(keyOf(slo)) ?? Infinity) <= chunk.atSeconds - delaySeconds
  const unknown = calendarSlos.filter((planned) => !isKnown(planned))
  if (unknown.length > 0) {
    const ends = await listFrozenEnds(
      deps.db.read,
      unknown.map(({ slo }) => slo.id),
      deps.clock.now(),
    )
    for (const { slo } of unknown) {
      frozen.set(keyOf(slo), ends.get(keyOf(slo)) ?? Math.ceil(slo.created_at / 1000))
    }
  }
  const due = calendarSlos.flatMap((planned) =>
    endsToFreeze(planned, frozen, chunk.atSeconds).map((end) => ({ planned, end })),
  )
  for (const [end, some] of [...Map.groupBy(due, (one) => one.end)].toSorted(([a], [b]) => a - b)) {
    await freezeAt(
      deps,
      chunk,
      some.map(({ planned }) => planned),
      end,
    )
  }
}

const keyOf = ({ id, time_window, time_zone }: PlannedSlo['slo']) => frozenKey(id, time_window, time_zone)

/** Ends of the periods to store, oldest first. */
function endsToFreeze({ slo }: PlannedSlo, frozen: FrozenMemory, atSeconds: number): number[] {
  const knownUntil = frozen.get(keyOf(slo)) ?? Infinity
  const ends: number[] = []
  let end = ownWindow(slo, atSeconds - delaySeconds).startSeconds
  for (; end > knownUntil && ends.length < maxEnds; end = ownWindow(slo, end).startSeconds) ends.push(end)
  return ends.toReversed()
}

async function freezeAt(deps: Deps, chunk: Chunk, planned: PlannedSlo[], endSeconds: number): Promise<void> {
  const values = await measureAt(deps, chunk, planned, endSeconds)
  const measured = planned.flatMap(({ slo }) => {
    const one = values.get(slo.id)
    if (!one || !isCalendarWindow(slo.time_window) || slo.time_zone === null) return []
    const figures = figuresOf(one)
    if (figures === null && chunk.atSeconds < endSeconds + retryForSeconds) return []
    const { startSeconds: starts_at } = ownWindow(slo, endSeconds)
    const { id: slo_id, time_window, time_zone, target, revision } = slo
    const definition = { slo_id, time_window, time_zone, target, revision }
    return [
      {
        ...definition,
        starts_at,
        ends_at: endSeconds,
        ...(figures ?? unanswered),
        frozen_at: deps.clock.now(),
        recomputed_at: null,
      },
    ]
  })
  if (measured.length === 0) return
  await deps.db.write.transaction().execute(async (trx) => {
    for (const row of measured) await insertPeriod(trx, row)
  })
  for (const { slo_id, time_window, time_zone } of measured) {
    deps.memory.frozen.set(frozenKey(slo_id, time_window, time_zone), endSeconds)
  }
}

/**
 * Measures own windows at their end. Counters are queried over the whole window, which leaves the checkpoint of the running period
 * unchanged.
 */
async function measureAt(
  deps: Deps,
  chunk: Chunk,
  planned: PlannedSlo[],
  endSeconds: number,
): Promise<Map<number, Own>> {
  const ofCounters = planned.flatMap(({ slo, plan: { counters } }) =>
    counters ? [{ sloId: slo.id, slo, counters }] : [],
  )
  const composites = planned.filter(({ plan }) => plan.composite !== null)
  const others = planned.filter(({ plan }) => plan.counters === null && plan.composite === null)
  const minutes = new Map(others.map(({ slo }) => [slo.id, withoutBreaks([])]))
  // `isEmbedded` false: runs of probes that fail now are not added; a new memory: what is remembered is of the running period
  const past = { ...chunk, planned: others, atSeconds: endSeconds, isEmbedded: false }
  const values = await measureValues({ ...deps, memory: createMemory() }, past, minutes)
  if (composites.length > 0) {
    const nowSeconds = Math.floor(deps.clock.now() / 1000)
    const measured = await measureComposites(deps, composites, endSeconds, nowSeconds)
    for (const [id, one] of measured) values.set(id, one.values)
  }
  for (const [seconds, group] of Map.groupBy(ofCounters, ({ slo }) => ownWindow(slo, endSeconds).seconds)) {
    const increases = await queryOwnIncreases(chunk.source, group, seconds, endSeconds)
    for (const { sloId, counters } of group) {
      const increase = increases.get(sloId)
      if (!increase || 'error' in increase) values.set(sloId, failedValues(noAnswer))
      else values.set(sloId, { ...ownOfSides(counters, increase), current: { error: noAnswer }, note: null }) // `current` is not read
    }
  }
  return withoutExcluded(deps, planned, endSeconds, values)
}

const noAnswer = new AppError('source_unavailable', 'Metrics source did not answer')
const noFigures = { sli: null, good_events: null, total_events: null, counted_good: null, counted_total: null }
const unanswered = { ...noFigures, note: 'The source did not answer within six hours after the end' }

/** Figures of a period; null: the source did not answer. */
function figuresOf({ own, events, sum, excluded, note }: Own) {
  if (own === null || 'error' in own) return null
  const part = {
    excluded_good: excluded?.good ?? 0,
    excluded_total: excluded?.total ?? 0,
    excluded_seconds: excluded?.seconds ?? 0,
  }
  if ('reason' in own) return { ...noFigures, ...part, note: own.message }
  const { good: good_events = null, total: total_events = null } = events ?? {}
  // what counts in the SLI, not rounded: events, or seconds; recomputing starts from it
  const counted = { counted_good: sum?.good ?? null, counted_total: sum?.total ?? null }
  return { sli: own.percent, good_events, total_events, ...counted, ...part, note }
}
