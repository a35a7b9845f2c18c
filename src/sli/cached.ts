import { version } from '../../package.json' with { type: 'json' }
import type { Cache } from '../cache/cache.ts'
import type { Clock } from '../clock.ts'
import type { Database } from '../db/open.ts'
import type { Seal } from '../db/sealing/seal.ts'
import type { DataSourceRow, SloRow } from '../db/tables/tables.ts'
import { invalid } from '../errors.ts'
import { readZonedTime, zonedTimeText } from '../http/zoned-time.ts'
import { type Window, windowSeconds } from '../slos/arithmetic/windows.ts'
import { queryFields, wholeDefinition } from '../slos/definition.ts'
import type { ExecutionLog } from '../sources/execution-log.ts'
import type { SourceOpener } from '../sources/source.ts'
import { getUsableSource, openOrSilent, openRow } from '../sources/store.ts'
import { calculateSlo } from './calculate.ts'
import { type CalculationResult, isCalculationResult } from './model.ts'
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

type CalculationOptions = { window: Window; extendTime?: string | undefined; withDetails: boolean }

/** What a calculation of an SLO answers, of now or of the step that is shared; throws what `calculateSlo` does. */
export async function cachedCalculation(
  deps: CachedDeps,
  slo: SloRow,
  options: CalculationOptions,
): Promise<CalculationResult> {
  const { answer, cached } = await remembered(deps, await calculationQuestion(deps, slo, options))
  return { ...answer, metadata: { ...answer.metadata, cached } }
}

export async function calculationQuestion(
  deps: CachedDeps,
  slo: SloRow,
  { window, extendTime, withDetails }: CalculationOptions,
): Promise<Question<CalculationResult>> {
  const { db, clock, planner } = deps
  const row = await getUsableSource(db.read, slo.organization_id, slo.source_id)
  const planned = await planner.decide(openOrSilent(deps, row), planner.plan(slo), Math.floor(clock.now() / 1000))
  const definition = wholeDefinition(slo)
  const expressions = queryFields.flatMap((field) => definition[field] ?? [])
  const { endSeconds, holdsMs } = cachedEnd(
    { extendTime, windowSeconds: windowSeconds(window), expressions },
    clock.now(),
  )
  const { revision, name, target, time_window, query_unit, inferred_unit } = slo
  const learned = [inferred_unit, planned.plan.sides !== null, planned.plan.stored] // of its data, which says more from one minute to the next
  const measuredAs = [revision, name, target, time_window, query_unit, definition, learned]
  return {
    organizationId: slo.organization_id,
    sloId: slo.id,
    window,
    query: planned.plan.written,
    keyParts: ['calculation', keyPartsOf(row), measuredAs, window, withDetails, endSeconds],
    holdsMs,
    isAnswer: isCalculationResult,
    async compute() {
      const answer = await calculateSlo(deps, planned, openRow(deps, row), { window, endSeconds, withDetails })
      const isKnown = answer.current_value !== null && answer.error_budget.used !== null
      return { answer, isWhole: !answer.metadata.partial, isKnown }
    },
  }
}

/** What is measured, and how; its answer may be given again to others of the organization. */
export type Question<T> = {
  organizationId: number
  /** 0: it is about no SLO. */
  sloId: number
  window: string
  /** What of it a person sees. */
  query: string
  /** Everything that makes a difference to the answer; is written as JSON. */
  keyParts: unknown
  /** Null: the answer never goes stale. */
  holdsMs: number | null
  isAnswer: (value: unknown) => value is T
  compute: () => Promise<Computed<T>>
}

/** `isWhole`: nothing was out of reach. `isKnown`: there was data to answer from. `isLarge`: too much to be kept. */
export type Computed<T> = { answer: T; isWhole: boolean; isKnown: boolean; isLarge?: boolean }

/**
 * The answer that is kept, or else the one that is computed now, once for all who wait for it. One that is not whole is not
 * kept, nor is one for ever that nothing was known for: late data may come. What was put under the key by hand and is no
 * answer goes. Throws what `compute` throws, and keeps nothing then.
 */
export async function remembered<T>(
  { cache }: { cache: Cache },
  question: Question<T>,
): Promise<{ answer: T; cached: boolean }> {
  const { isAnswer, holdsMs, compute } = question
  const name = nameOf(question)
  const ttlMs = holdsMs === null ? null : Math.min((await cache.config()).defaultTtlMs, holdsMs)
  try {
    const { result, source } = await cache.remember({ ...name, ttlMs }, async () => {
      const { answer, isWhole, isKnown, isLarge } = await compute()
      if (!isWhole || isLarge || (holdsMs === null && !isKnown)) throw new NotKept(answer)
      return answer
    })
    if (source === 'computed') return { answer: result as T, cached: false }
    if (isAnswer(result)) return { answer: result, cached: true }
  } catch (error) {
    if (error instanceof NotKept) return { answer: error.answer as T, cached: false } // what shares a key shares the question
    throw error
  }
  await cache.remove(question.organizationId, { type: 'key', key: name.key })
  return { answer: (await compute()).answer, cached: false }
}

/** `query:{slo_id}:{time_window}:{hash}`; another version of nines has other answers. */
export function nameOf({
  organizationId,
  sloId,
  window,
  query,
  keyParts,
}: Pick<Question<unknown>, 'organizationId' | 'sloId' | 'window' | 'query' | 'keyParts'>) {
  const hash = Bun.CryptoHasher.hash('sha256', JSON.stringify([version, organizationId, query, keyParts]), 'hex')
  return { organizationId, sloId, timeWindow: window, query, key: `query:${sloId}:${window}:${hash}` }
}

/** Whether `nameOf` may have made it, rather than a person. */
export function isGeneratedKey(key: string): boolean {
  return /^query:\d+:[^:]+:[0-9a-f]{64}$/.test(key)
}

/** What of a source makes a difference: its credentials may choose the tenant, and its name is in the answers. */
export function keyPartsOf({ id, name, api_url, sealed_auth }: DataSourceRow): unknown {
  return [id, name, api_url, sealed_auth === null ? null : Bun.CryptoHasher.hash('sha256', sealed_auth, 'hex')]
}

/** Brings an answer that is not to be kept past the cache, to all who wait for it. */
class NotKept extends Error {
  constructor(readonly answer: unknown) {
    super('not to be kept')
  }
}

const minStepSeconds = 15
const maxStepSeconds = 60
const stepsInWindow = 1000
const lateSeconds = 300 // samples may come late, and a series without new ones goes on for five minutes
const maxAheadSeconds = 30

type WindowEnd = { extendTime: string | undefined; windowSeconds: number; expressions: string[] }

/**
 * Where a window ends, and how long what was measured up to there holds; null: for ever. A time that is given is taken as it
 * is; now is rounded down to a step, so that requests within it share an answer: a thousandth of the window, 15 s to
 * 60 s. What lies more than five minutes back holds for ever, unless a query may look past its end. Throws `invalid` for a
 * time that docs/slo-math.md, "SLI", refuses.
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
 * `offset -5m`, with whatever may stand between the two; a moment of its own after `@`; MetricsQL's `now()`. In strings and
 * comments too, where it does no harm.
 */
function mayLookAhead(expression: string): boolean {
  return /@|\boffset\b(?!\s*\d)|\bnow\b/i.test(expression)
}
