import { isoTime } from '../clock.ts'
import { type CalculationWindow, windowSeconds } from '../slos/arithmetic/windows.ts'
import { factsOfSource, type Made, type Question, remembered } from './cached.ts'
import type { CachedDeps } from './cached-calculation.ts'
import { cachedEnd } from './cached-end.ts'
import { isLargeResult } from './large-result.ts'
import { isQueryResult, type QueryResult } from './model.ts'
import { runQuery } from './query.ts'
import { getUsableSource, openRow } from '../sources/sources.ts'

type Deps = Omit<CachedDeps, 'planner'>

type Wanted = {
  /** 0: the query belongs to no SLO. */
  sloId: number
  sourceId: number | null
  query: string
  window: CalculationWindow
  /** Null: one instant at the end of the window. */
  stepSeconds: number | null
  extendTime?: string | undefined
}

/** What a query answers, now or in the step that is shared; throws what `runQuery` does. */
export async function cachedQuery(deps: Deps, organizationId: number, wanted: Wanted): Promise<QueryResult> {
  const { question, make } = await askQuery(deps, organizationId, wanted)
  const { answer, cached } = await remembered(deps, question, make)
  return { ...answer, metadata: { ...answer.metadata, cached } }
}

/** The question and how it is answered by the source. */
export async function askQuery(
  deps: Deps,
  organizationId: number,
  { sloId, sourceId, query, window, stepSeconds, extendTime }: Wanted,
): Promise<{ question: Question<QueryResult>; make: () => Promise<Made<QueryResult>> }> {
  const { db, clock } = deps
  const row = await getUsableSource(db.read, organizationId, sourceId)
  const seconds = windowSeconds(window)
  const asked = { extendTime, windowSeconds: seconds, expressions: [query] }
  const { endSeconds, holdsMs } = cachedEnd(asked, clock.now())
  return {
    question: {
      organizationId,
      sloId,
      timeWindow: window,
      query,
      facts: ['query', factsOfSource(row), window, stepSeconds, endSeconds],
      holdsMs,
      isAnswer: isQueryResult,
    },
    async make() {
      const found = await runQuery(openRow(deps, row), { query, windowSeconds: seconds, endSeconds, stepSeconds })
      const answer = {
        query_result: { result_type: found.resultType, result: found.result },
        status: 'success',
        metadata: {
          time_range: window,
          start_time: isoTime((endSeconds - seconds) * 1000),
          end_time: isoTime(endSeconds * 1000),
          step_seconds: stepSeconds,
          source_name: row.name,
          partial: found.partial,
          cached: false,
        },
        warnings: found.warnings,
        queried_at: isoTime(clock.now()),
      }
      return { answer, isWhole: !found.partial, isKnown: found.result.length > 0, isLarge: isLargeResult(found.result) }
    },
  }
}
