import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Clock, stopwatch } from '../clock.ts'
import { bounded } from './bounded.ts'
import { keyOfRead, plannedReads, type Read } from './planned-reads.ts'
import { type Budget, budgetOf } from './promql/budget.ts'
import { evaluateInstant, evaluateRange, type EvaluateOptions, type Result } from './promql/query.ts'
import type { SampleReader, Series } from './promql/reader.ts'
import type { SampleStore } from './store/sample-store.ts'
import { createTurns } from '../concurrency/turns.ts'

/** Both ends are included, in milliseconds. */
export type Range = { startMs: number; endMs: number; stepMs: number }

type Asked = { timeoutMs?: number; urgent?: boolean; lookbackMs?: number }

/**
 * Answers PromQL from the samples of one organization. Throws `invalid` (the text), `source_refused` (the data does not
 * allow it), `too_large` and `too_slow` (what one query may cost).
 */
export type Engine = {
  instant(organizationId: number, query: string, timeMs: number, asked?: Asked): Promise<Result>
  range(organizationId: number, query: string, range: Range, asked?: Asked): Promise<Result>
}

type Options = { store: Pick<SampleStore, 'select'>; timeoutMs: number; clock?: Clock }

/** As `--query.max-samples` of Prometheus. */
const maxSamples = 50_000_000
const maxSeries = 100_000
/** Each may hold all its samples in memory; the last place is for another organization than the first. */
const [queriesAtOnce, queriesOfOrganization] = [3, 2]
const turnMs = 10
/** Nothing else happens while a query is planned, its series are looked up, or it is evaluated. */
const longestInOneGo = 2000

/** `clock`: any that counts milliseconds; it measures how long a query takes. */
export function createEngine({ store, timeoutMs, clock = stopwatch }: Options): Engine {
  const turns = createTurns<number>({ most: queriesAtOnce, mostOfGroup: queriesOfOrganization })

  /** Whether it has expired, or whatever asks has held up everything else for too long. */
  function heldUp(expired: () => boolean): () => boolean {
    const began = clock.now()
    return () => expired() || clock.now() - began > longestInOneGo
  }

  /** The series of a read, each counted before the next is read. */
  function* counted(organizationId: number, { matchers, fromMs, toMs }: Read, budget: Budget, expired: () => boolean) {
    for (const series of store.select(organizationId, bounded(matchers, heldUp(expired)), fromMs, toMs)) {
      budget.series(1)
      budget.samples(series.values.length)
      yield series
    }
  }

  /** Reads what the query will ask for, in turns with everything else, so that evaluating it waits for nothing. */
  async function gather(organizationId: number, reads: Read[], expired: () => boolean): Promise<Map<string, Series[]>> {
    const budget = budgetOf({ maxSamples, maxSeries, expired })
    const gathered = new Map<string, Series[]>()
    let turnBegan = clock.now()
    for (const read of reads) {
      if (gathered.has(keyOfRead(read))) continue
      const found: Series[] = []
      for (const series of counted(organizationId, read, budget, expired)) {
        found.push(series)
        if (clock.now() - turnBegan < turnMs) continue
        await nextTurn()
        turnBegan = clock.now()
      }
      gathered.set(keyOfRead(read), found)
    }
    return gathered
  }

  async function answer(
    organizationId: number,
    asked: Asked,
    evaluate: (reader: SampleReader, options: EvaluateOptions) => Result,
  ): Promise<Result> {
    const endMs = clock.now() + (asked.timeoutMs ?? timeoutMs)
    const expired = () => clock.now() > endMs
    const until = (ended: () => boolean): EvaluateOptions => ({
      limits: { maxSamples, maxSeries, expired: ended },
      ...(asked.lookbackMs !== undefined && { lookbackMs: asked.lookbackMs }),
    })
    const task = async () => {
      const planning = until(heldUp(expired))
      const reads = plannedReads((planned) => evaluate(planned, planning))
      const gathered = await gather(organizationId, reads, expired)
      const ended = heldUp(expired)
      const unplanned = budgetOf({ maxSamples, maxSeries, expired: ended })
      const select: SampleReader['select'] = (matchers, fromMs, toMs) => {
        const read = { matchers, fromMs, toMs }
        return gathered.get(keyOfRead(read)) ?? [...counted(organizationId, read, unplanned, ended)]
      }
      return evaluate({ select }, until(ended))
    }
    if (asked.urgent) return task()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    turns.add(organizationId, () => task().then(resolve, reject))
    return promise
  }

  return {
    instant: (organizationId, query, timeMs, asked = {}) =>
      answer(organizationId, asked, (reader, options) => evaluateInstant(reader, query, timeMs, options)),
    range: (organizationId, query, range, asked = {}) =>
      answer(organizationId, asked, (reader, options) => evaluateRange(reader, query, range, options)),
  }
}
