import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { currentWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { createAsker } from '../sources/ask.ts'
import { inferredUnit } from '../sli/calculate.ts'
import { partialAnswer } from '../ledger/counters/ask-counters.ts'
import type { Counters } from '../ledger/measure/counted.ts'
import { type Increase, increasesOf } from '../ledger/measure/measure-counters.ts'
import type { MeasuredBuckets } from '../ledger/bucket.ts'
import { measure } from '../sli/measure/measure.ts'
import { type Measured, noData, noTraffic } from '../sli/measure/measured.ts'
import type { PlannedSlo } from '../sli/plan/planned-slo.ts'
import { type Sli, sliOf } from '../sli/sli.ts'
import { sharingTime, type Source } from '../sources/source.ts'
import { standingSums } from '../ledger/rolling-window/rolling-window.ts'
import type { StartMinutes } from '../ledger/rolling-window/window-start.ts'

/** What was measured of an SLO; `own`, and the events in it, are those of its own window. */
export type Values = {
  current: Sli | { error: AppError }
  own: Sli | { error: AppError } | null
  events: { good: number; total: number } | null
}

/** What is kept from one evaluation to the next, by SLO id; it can be lost. */
export type Memory = {
  /** What was last measured where the own window is asked for as a whole, and not at every evaluation. */
  wholes: Map<number, { origin: string; atSeconds: number; measured: Measured }>
  minutes: StartMinutes
}

type Wanted = {
  source: Source
  origin: string
  planned: PlannedSlo[]
  atSeconds: number
  hasTime: () => boolean
  minutes: Map<number, MeasuredBuckets>
}

/**
 * Measures both windows of each SLO; by SLO id. A failure is that of the SLO it happened to. What was not answered for
 * its minutes is not asked for again.
 */
export async function measureValues(
  deps: { db: Database; clock: Clock; memory: Memory },
  wanted: Wanted,
): Promise<Map<number, Values>> {
  const unanswered = new Map<number, Values>()
  for (const [id, minutes] of wanted.minutes) {
    if (!('error' in minutes) || minutes.error.kind !== 'source_unavailable') continue
    unanswered.set(id, { current: { error: minutes.error }, own: null, events: null })
  }
  const asked = wanted.planned.filter(({ slo }) => !unanswered.has(slo.id))
  const counted = asked.flatMap(({ slo, plan }) => (plan.counters ? [{ slo, counters: plan.counters }] : []))
  const whole = asked.filter(({ plan }) => plan.counters === null)
  const [ofCounters, ...ofWholes] = await Promise.all([
    measureCounted(deps, wanted, counted),
    ...whole.map(async (one) => [one.slo.id, await measureWhole(deps, wanted, one)] as const),
  ])
  return new Map([...unanswered, ...ofCounters, ...ofWholes])
}

type CountedSlo = { slo: PlannedSlo['slo']; counters: Counters }

async function measureCounted(
  { db, memory }: { db: Database; memory: Memory },
  { source, origin, atSeconds, hasTime, minutes }: Wanted,
  counted: CountedSlo[],
): Promise<Map<number, Values>> {
  const hurried = sharingTime(source)
  const currents = new Map<number, Increase | { error: AppError }>()
  const groups = Map.groupBy(counted, ({ slo }) => windowSeconds(currentWindow(slo.time_window)))
  const ask = async (seconds: number, group: CountedSlo[]) => {
    const asked = group.map(({ slo, counters }) => ({ sloId: slo.id, counters }))
    for (const [id, result] of await increasesOf(hurried, asked, seconds, atSeconds)) currents.set(id, result)
  }
  await Promise.all([...groups].map(([seconds, group]) => ask(seconds, group)))
  // A source that has just been silent is not asked for its longest windows.
  const answered = counted.filter(({ slo }) => {
    const current = currents.get(slo.id)
    return current && !('error' in current)
  })
  const standing = answered.map(({ slo, counters }) => {
    const minute = minutes.get(slo.id)
    return {
      sloId: slo.id,
      revision: slo.revision,
      origin: `${origin} ${slo.revision}`,
      counters,
      windowSeconds: windowSeconds(slo.time_window),
      unsureUntil: minute && 'unsureUntil' in minute ? minute.unsureUntil : null,
    }
  })
  const sums = await standingSums({ db, source, minutes: memory.minutes, atSeconds, hasTime }, standing)
  return new Map(
    counted.flatMap(({ slo, counters }): [number, Values][] => {
      const current = currents.get(slo.id)
      if (!current) return []
      const own = sums.get(slo.id) ?? null
      const values: Values = {
        current: 'error' in current ? current : sliOfSides(counters, current),
        own: own && !('error' in own) ? sliOfSides(counters, own) : own,
        events: own && !('error' in own) ? eventsOf(counters, own) : null,
      }
      return [[slo.id, values]]
    }),
  )
}

async function measureWhole(
  deps: { db: Database; clock: Clock; memory: Memory },
  { source, origin: sourceOrigin, atSeconds }: Wanted,
  { slo, plan }: PlannedSlo,
): Promise<Values> {
  const origin = `${sourceOrigin} ${slo.revision} ${slo.time_window}`
  const ownSeconds = windowSeconds(slo.time_window)
  const heard = { asked: [], warnings: new Set<string>(), partial: false }
  const ask = createAsker({
    source,
    clock: deps.clock,
    heard,
    startedMs: performance.now(),
    timeRange: slo.time_window,
  })
  const over = (seconds: number) =>
    measure(ask, plan, { windowSeconds: seconds, endSeconds: atSeconds, withCounts: true, withCoverage: false })
  try {
    const current = await over(windowSeconds(currentWindow(slo.time_window)))
    const kept = deps.memory.wholes.get(slo.id)
    const everySeconds = Math.min(300, Math.max(60, ownSeconds / 1000))
    const isFresh = kept?.origin === origin && kept.atSeconds <= atSeconds && atSeconds - kept.atSeconds < everySeconds
    const own = isFresh ? kept.measured : await over(ownSeconds)
    if (heard.partial) throw partialAnswer()
    if (!isFresh) deps.memory.wholes.set(slo.id, { origin, atSeconds, measured: own })
    const unit = await inferredUnit(deps.db, slo, plan, [own, current])
    const isFailing = plan.sides?.counts === 'bad'
    return { current: sliOf(current, unit, isFailing), own: sliOf(own, unit, isFailing), events: own.counts }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { current: { error }, own: null, events: null }
  }
}

function sliOfSides({ counts }: Counters, { counted, total }: Increase): Sli {
  if (total === null) return noData
  if (total <= 0) return noTraffic
  const value = counts === 'good' ? counted / total : 1 - counted / total
  return sliOf({ result: { value, largest: value } }, 'ratio', counts === 'bad')
}

function eventsOf({ counts }: Counters, { counted, total }: Increase): Values['events'] {
  if (total === null) return null
  return { good: Math.round(counts === 'good' ? counted : total - counted), total: Math.round(total) }
}
