import { stopwatch } from '../clock.ts'
import type { Log } from '../log.ts'
import { AppError, invalid } from '../errors.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'
import { getActiveSlo } from '../slos/store.ts'
import { isSloWindow, isWindow, windowText } from '../slos/arithmetic/window-names.ts'
import { type CachedDeps, calculationQuery, isGeneratedKey, cacheKeyOf } from '../sli/query-cache.ts'
import { adHocQuery } from '../sli/query.ts'
import { trendQuery } from './reads/availability-trend.ts'
import { normalForm } from '../promql/analysis/normal-form.ts'

/** `sloId` 0: no SLO. `ttlMs` undefined: the default TTL. */
export type WarmQuery = { query: string; sloId: number; timeWindow: string; ttlMs?: number | undefined }
export type WarmReport = { warmed: number; failed: { query: string; error: string }[] }

type Warmup = {
  /**
   * Sends every query to the source, even if its answer is cached, and caches the answers. An SLO's own query becomes the
   * calculation over the window; any other query is sent to the SLO's source. Failures are reported and do not affect
   * the others.
   */
  warm(organizationId: number, queries: WarmQuery[]): Promise<WarmReport>
  /** Runs the most used queries again, up to now, if warmup is enabled. To be called at startup; never rejects. */
  warmHottest(): Promise<void>
}

type Deps = CachedDeps & { log: Log; isClosing: () => boolean }

const concurrency = 8
const maxHottest = 100
const startWithinMs = 10_000 // no query starts later: the request ends some seconds after a source's timeout

export function createWarmup(deps: Deps): Warmup {
  const { cache, db, planner, log, isClosing } = deps

  async function warmOne(organizationId: number, { query, sloId, timeWindow, ttlMs }: WarmQuery): Promise<void> {
    const slo = sloId === 0 ? null : await getActiveSlo(db.read, organizationId, sloId)
    const isOwn = slo !== null && normalForm(query) === normalForm(planner.plan(slo).plan.written)
    const sourceId = slo?.source_id ?? null
    const queryOf = async () => {
      const window = timeWindow
      if (isOwn && (isWindow(window) || isSloWindow(window))) {
        return calculationQuery(deps, slo, { window, withDetails: false })
      }
      if (!isWindow(window)) throw invalid('time_window', `must be ${windowText}`)
      return adHocQuery(deps, organizationId, { sloId, sourceId, query, window, stepSeconds: null })
    }
    const cachedQuery = await queryOf()
    const { value, isPartial, isCacheable } = await cachedQuery.compute()
    if (isPartial) throw new AppError('source_unavailable', 'The source could not reach all of its data')
    if (!isCacheable) throw new AppError('too_large', 'The answer is too large to be kept')
    const ttl = ttlMs === undefined ? {} : { ttlMs }
    await cache.put({ ...cacheKeyOf(cachedQuery), result: JSON.stringify(value), ...ttl })
  }

  /** Returns null on success, otherwise the reason of the failure. */
  async function attempt(organizationId: number, query: WarmQuery): Promise<string | null> {
    try {
      await warmOne(organizationId, query)
      return null
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error.details === undefined ? error.message : `${error.message}: ${error.details}`
    }
  }

  return {
    async warm(organizationId, queries) {
      const beganMs = stopwatch.now()
      const semaphore = createSemaphore(concurrency)
      const outcomes = await Promise.all(
        queries.map((one) =>
          semaphore.run(async () => {
            const isLate = stopwatch.now() - beganMs > startWithinMs
            const error = isLate ? 'No time was left for it' : await attempt(organizationId, one)
            return { query: one.query, error }
          }),
        ),
      )
      const failed = outcomes.flatMap(({ query, error }) => (error === null ? [] : [{ query, error }]))
      return { warmed: outcomes.length - failed.length, failed }
    },

    async warmHottest() {
      try {
        const { enableWarmup } = await cache.config()
        if (!enableWarmup) return
        const hottest = (await cache.hottest(maxHottest)).filter(
          ({ key, query }) => isGeneratedKey(key) && query !== trendQuery,
        )
        const distinct = new Map(
          hottest.map((entry) => [
            JSON.stringify([entry.organizationId, entry.sloId, entry.timeWindow, entry.query]),
            entry,
          ]),
        )
        let failed = 0
        for (const { organizationId, query, sloId, timeWindow } of distinct.values()) {
          if (isClosing()) return
          if ((await attempt(organizationId, { query, sloId, timeWindow })) !== null) failed += 1
        }
        log.info('the cache is warm', { queries: distinct.size - failed, failed })
      } catch (error) {
        if (!isClosing()) log.error('warming the cache failed', { error })
      }
    },
  }
}
