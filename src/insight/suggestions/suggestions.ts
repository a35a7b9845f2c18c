import { LRUCache } from 'lru-cache'
import { type Clock, minuteMs, minuteStartSeconds } from '../../clock.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { Database, Db } from '../../db/open.ts'
import type { Seal } from '../../db/sealing/seal.ts'
import type { DataSourceRow } from '../../db/tables/tables.ts'
import { AppError } from '../../errors.ts'
import type { Source, SourceOpener } from '../../sources/source.ts'
import { assertActive, getSource, listSlosByQuery, openRow } from '../../sources/store.ts'
import { candidatesOf, chooseCandidates } from './candidates.ts'
import { learnSamplesPerDay, discoverMetrics } from './discover.ts'
import { historiesOf } from './histories.ts'
import { createBudgetedRunner, type Gap } from './budgeted-runner.ts'
import { type Queries, type Suggestion, suggestionOf } from './suggestion.ts'

type SuggestionDeps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  sourceTimeoutMs: number
}

/** Suggestions for a source. `metricsFound`: metrics of known families, with traffic or without. */
export type SuggestionResult = { queriedAtMs: number; metricsFound: number; suggestions: Suggestion[]; gaps: Gap[] }

const maxSources = 500
const cacheTtlMs = 5 * minuteMs
const gapsTtlMs = 30_000

/**
 * Suggests SLOs for a source, and finds those that it has already. The source is queried at most once in five minutes, or once
 * in 30 seconds if it did not answer everything. Throws `not_found`, `source_unavailable`, and the source's error for the first
 * query.
 */
export function createSuggestions(deps: SuggestionDeps) {
  const { db, clock, sourceTimeoutMs } = deps
  const cache = new LRUCache<string, SuggestionResult>({
    max: maxSources,
    ttl: cacheTtlMs,
    perf: clock,
    ttlResolution: 0,
  })
  const singleFlight = createSingleFlight<SuggestionResult>()

  async function querySource(row: DataSourceRow, key: string): Promise<SuggestionResult> {
    const result = await findSuggestions(openRow(deps, row), { nowMs: clock.now(), sourceTimeoutMs })
    cache.set(key, result, result.gaps.length > 0 ? { ttl: gapsTtlMs } : {})
    return result
  }

  return async function suggestionsOf(organizationId: number, sourceId: number) {
    const row = await getSource(db.read, organizationId, sourceId)
    assertActive(row)
    const key = [organizationId, row.id, row.api_url, row.updated_at].join(' ')
    const found = cache.get(key) ?? (await singleFlight.join(key, () => querySource(row, key)))
    return { row, found, sloOf: await findCovering(db.read, row, found.suggestions) }
  }
}

type SuggestionOptions = { nowMs: number; sourceTimeoutMs: number }

/** Queries the source, one query after the other. Throws if it does not answer the first. */
export async function findSuggestions(
  source: Source,
  { nowMs, sourceTimeoutMs }: SuggestionOptions,
): Promise<SuggestionResult> {
  const endSeconds = minuteStartSeconds(nowMs)
  const runner = createBudgetedRunner(source, sourceTimeoutMs)
  const { gaps } = runner
  const metrics = await discoverMetrics(runner, endSeconds)
  if (!metrics) throw runner.failure ?? new AppError('source_unavailable', 'metrics source did not answer')
  await learnSamplesPerDay(runner, metrics, endSeconds)
  const candidates = []
  for (const metric of metrics) candidates.push(...(await candidatesOf(runner, metric, endSeconds)))
  const chosen = chooseCandidates(candidates)
  const suggestions: Suggestion[] = []
  for (const group of Map.groupBy(chosen, ({ metric, kind }) => `${kind} ${metric.name}`).values()) {
    const histories = await historiesOf(runner, group, endSeconds)
    for (const [candidate, history] of histories) suggestions.push(suggestionOf(candidate, history))
  }
  return { queriedAtMs: nowMs, metricsFound: metrics.length, suggestions, gaps }
}

type SuggestedQueries = Pick<Suggestion, 'queries' | 'alike'>

/** Gives the oldest active SLO over this source that has the queries of a suggestion, or equivalent ones; null: none. */
async function findCovering(
  db: Db,
  source: DataSourceRow,
  suggestions: readonly SuggestedQueries[],
): Promise<(suggestion: SuggestedQueries) => number | null> {
  const all = suggestions.flatMap(({ queries, alike }) => [queries, ...alike])
  const queryTexts = [...new Set(all.flatMap((one) => one.total_query ?? one.metric_query ?? []))]
  const slos = queryTexts.length === 0 ? [] : await listSlosByQuery(db, source, queryTexts)
  const byQueries = new Map(slos.map((slo) => [keyOf(slo), slo.id])) // of equal ones the oldest, which comes last
  return ({ queries, alike }) =>
    [queries, ...alike].map((one) => byQueries.get(keyOf(one))).find((id) => id !== undefined) ?? null
}

type Row = { [Field in keyof Queries]: string | null }

function keyOf({ metric_query, good_query, bad_query, total_query }: Row | Queries): string {
  return JSON.stringify([metric_query, good_query, bad_query, total_query].map((query) => query ?? null))
}
