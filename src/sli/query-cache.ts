import { version } from '../../package.json' with { type: 'json' }
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow, SloRow } from '../db/tables/tables.ts'
import { invalid } from '../errors.ts'
import { readZonedTime, zonedTimeText } from '../http/zoned-time.ts'
import { windowBudget } from '../slos/arithmetic/budget.ts'
import { isWindow, windowText } from '../slos/arithmetic/window-names.ts'
import { nominalSeconds, type SloWindow, type Window, windowSeconds } from '../slos/arithmetic/windows.ts'
import { queryFields, completeDefinition } from '../slos/definition.ts'
import { findWindowShare } from '../slos/revision-store.ts'
import type { ExecutionLog } from '../sources/execution-log.ts'
import type { SourceOpener } from '../sources/source.ts'
import { getUsableSource, openOrFailing, openRow } from '../sources/store.ts'
import { calculateSlo } from './calculate.ts'
import { type CalculationResult, isCalculationResult, presentWindowBudget } from './model.ts'
import type { Planner } from './plan/planner.ts'

export type CachedDeps = {
  db: Database
  clock: Clock
  seal: Seal
  opener: SourceOpener
  planner: Planner
  executions: ExecutionLog
  cache: Cache
}

type CalculationOptions = { window: Window | SloWindow; extendTime?: string | undefined; withDetails: boolean }

/** Calculates an SLO, or returns a cached result of the same step; throws the errors of `calculateSlo`. */
export async function cachedCalculation(
  deps: CachedDeps,
  slo: SloRow,
  options: CalculationOptions,
): Promise<CalculationResult> {
  const { value, isCached } = await getOrCompute(deps, await calculationQuery(deps, slo, options))
  const { percentage_used: used } = value.error_budget
  const windowShare = await findWindowShare(deps.db.read, slo, Date.parse(value.end_time) / 1000) // may become known after the result was cached
  const ofWindow = presentWindowBudget(windowBudget(used, slo.target, windowShare))
  const metadata = { ...value.metadata, cached: isCached }
  return { ...value, error_budget: { ...value.error_budget, ...ofWindow }, metadata }
}

/** The calculation of an SLO as a cached query. Throws `invalid` for a calendar window that is not the SLO's own. */
export async function calculationQuery(
  deps: CachedDeps,
  slo: SloRow,
  { window, extendTime, withDetails }: CalculationOptions,
): Promise<CachedQuery<CalculationResult>> {
  const { db, clock, planner } = deps
  if (slo.composite !== null) {
    throw invalid('slo_id', 'must be an SLO with a query: ask for the budget and the series of a composite instead')
  }
  if (window !== slo.time_window && !isWindow(window)) {
    throw invalid('time_window', `must be ${windowText}, or the window of the SLO: ${slo.time_window}`)
  }
  const row = await getUsableSource(db.read, slo.organization_id, slo.source_id)
  const planned = await planner.resolveMetricKinds(
    openOrFailing(deps, row),
    planner.plan(slo),
    Math.floor(clock.now() / 1000),
  )
  const definition = completeDefinition(slo)
  const expressions = queryFields.flatMap((field) => definition[field] ?? [])
  const { endSeconds, holdsMs } = cachedEnd(
    { extendTime, windowSeconds: isWindow(window) ? windowSeconds(window) : nominalSeconds(window), expressions },
    clock.now(),
  )
  const { revision, name, target, time_window, time_zone, query_unit, inferred_unit } = slo
  const learned = [inferred_unit, planned.plan.sides !== null, planned.plan.stored] // from its data; may change later
  const measuredAs = [revision, name, target, time_window, time_zone, query_unit, definition, learned]
  return {
    organizationId: slo.organization_id,
    sloId: slo.id,
    window,
    query: planned.plan.written,
    keyParts: ['calculation', keyPartsOf(row), measuredAs, window, withDetails, endSeconds],
    holdsMs,
    isValue: isCalculationResult,
    async compute() {
      const value = await calculateSlo(deps, planned, openRow(deps, row), { window, endSeconds, withDetails })
      const isPartial = value.metadata.partial
      const isKnown = value.current_value !== null && value.error_budget.used !== null
      return { value, isPartial, isCacheable: !isPartial && (holdsMs !== null || isKnown) } // late data may come
    },
  }
}

/** A query whose value is cached, for its organization only. */
export type CachedQuery<T> = {
  organizationId: number
  /** 0: the query belongs to no SLO. */
  sloId: number
  window: string
  /** PromQL, as a person sees it in the list of the cache. */
  query: string
  /** Everything that the value depends on; part of the key, as JSON. */
  keyParts: unknown
  /** Milliseconds for which the value holds; null: for ever. */
  holdsMs: number | null
  isValue: (value: unknown) => value is T
  compute: () => Promise<ComputedValue<T>>
}

/**
 * `isPartial`: the source could not reach all of its data. A value that is not `isCacheable` is returned to the callers that wait for it,
 * and not stored.
 */
export type ComputedValue<T> = { value: T; isPartial: boolean; isCacheable: boolean }

/**
 * Returns the value from the cache, or computes it, once for all callers that wait for it. A cached value that `isValue` rejects, because
 * a user stored it under the key, is removed and computed again. Throws what `compute` throws, and caches nothing then.
 */
export async function getOrCompute<T>(
  { cache }: { cache: Cache },
  query: CachedQuery<T>,
): Promise<{ value: T; isCached: boolean }> {
  const { isValue, holdsMs, compute } = query
  const keyFields = cacheKeyOf(query)
  const ttlMs = holdsMs === null ? null : Math.min((await cache.config()).defaultTtlMs, holdsMs)
  const { value, source } = await cache.getOrCompute({ ...keyFields, ttlMs }, compute)
  if (source === 'computed') return { value: value as T, isCached: false }
  if (isValue(value)) return { value, isCached: true }
  await cache.remove(query.organizationId, { type: 'key', key: keyFields.key })
  return { value: (await compute()).value, isCached: false }
}

/** Cache key `query:{slo_id}:{time_window}:{hash}` and its fields. The hash includes the version of nines. */
export function cacheKeyOf({
  organizationId,
  sloId,
  window,
  query,
  keyParts,
}: Pick<CachedQuery<unknown>, 'organizationId' | 'sloId' | 'window' | 'query' | 'keyParts'>) {
  const hash = Bun.CryptoHasher.hash('sha256', JSON.stringify([version, organizationId, query, keyParts]), 'hex')
  return { organizationId, sloId, timeWindow: window, query, key: `query:${sloId}:${window}:${hash}` }
}

/** True for a key that `cacheKeyOf` may have made, false for one that a person chose. */
export function isGeneratedKey(key: string): boolean {
  return /^query:\d+:[^:]+:[0-9a-f]{64}$/.test(key)
}

/** Parts of a source that change its answers, for the cache key: credentials may select the tenant, and answers contain the name. */
export function keyPartsOf({ id, name, api_url, sealed_auth }: DataSourceRow): unknown {
  return [id, name, api_url, sealed_auth === null ? null : Bun.CryptoHasher.hash('sha256', sealed_auth, 'hex')]
}

const minStepSeconds = 15
const maxStepSeconds = 60
const stepsInWindow = 1000
const lateSeconds = 300 // samples may come late, and the lookback continues a series for five minutes
const maxAheadSeconds = 30

type WindowEnd = { extendTime: string | undefined; windowSeconds: number; expressions: string[] }

/**
 * End of a window, and how long a measurement up to it is valid; null: forever. A given time is used as it is. Now is rounded
 * down to a step, so that requests within it share an answer: a thousandth of the window, 15 s to 60 s. A window that ended
 * more than five minutes ago is valid forever, unless a query may look past its end. Throws `invalid` for a time that
 * docs/slo-math.md, "SLI", does not allow.
 */
export function cachedEnd(
  { extendTime, windowSeconds, expressions }: WindowEnd,
  nowMs: number,
): { endSeconds: number; holdsMs: number | null } {
  const thousandth = Math.floor(windowSeconds / stepsInWindow)
  const stepSeconds = Math.min(maxStepSeconds, Math.max(minStepSeconds, thousandth))
  const holdsMs = stepSeconds * 1000
  const nowSeconds = Math.floor(nowMs / 1000)
  if (extendTime === undefined) return { endSeconds: Math.floor(nowSeconds / stepSeconds) * stepSeconds, holdsMs }
  const endSeconds = readEnd(extendTime, nowSeconds)
  const isFinal = endSeconds < nowMs / 1000 - lateSeconds && !expressions.some(mayLookAhead)
  return { endSeconds, holdsMs: isFinal ? null : holdsMs }
}

function readEnd(text: string, nowSeconds: number): number {
  const timeMs = readZonedTime(text)
  if (timeMs === undefined) throw invalid('extend_time', `must be ${zonedTimeText}`)
  const seconds = Math.floor(timeMs / 1000)
  if (seconds > nowSeconds + maxAheadSeconds) throw invalid('extend_time', 'must be a time that is not in the future')
  if (seconds < 0) throw invalid('extend_time', 'must be a time after 1970')
  return seconds
}

/**
 * True if a query may look past its end: `offset -5m`, with anything between the two; a time after `@`; MetricsQL's `now()`.
 * Matches in strings and comments do no harm.
 */
function mayLookAhead(expression: string): boolean {
  return /@|\boffset\b(?!\s*\d)|\bnow\b/i.test(expression)
}
