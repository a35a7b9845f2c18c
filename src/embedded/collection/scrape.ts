import { stopwatch } from '../../clock.ts'
import { createAbort } from '../../concurrency/abort.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import { runSync, runCooperatively } from '../../concurrency/cooperative.ts'
import { AppError } from '../../errors.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import { createScrapeCache, type ScrapeCache } from '../exposition/scrape-cache.ts'
import { type Exposition, parsingExposition } from '../exposition/parse.ts'
import { defaultLimits } from '../exposition/sample.ts'
import { distinctFamilies, type Family } from './families.ts'
import { fetchExposition, type FetchDeps } from './fetch-exposition.ts'
import { openTargetSeries, type Scraped, type SeriesDeps, type TargetSeries } from './series/target-series.ts'
import type { ScrapeTarget } from './target.ts'

/** Scrapes targets like Prometheus 3.5, but also reads answers without a content type, as text. */
export type Scraper = {
  /**
   * Scrapes once and stores nothing. `scrapeCache`: the cache of the `TargetSeries` that will store the result; without one, nothing
   * is cached. Throws the reason of `signal` once it is aborted.
   */
  run(target: ScrapeTarget, signal: AbortSignal, scrapeCache?: ScrapeCache): Promise<Scraped>
  /** Opens the series to which the target's scrapes are written. The caller ends them with `end`. */
  open(target: ScrapeTarget): TargetSeries
  /** Metric families of an organization's targets, from their newest successful scrapes. */
  metadata(organizationId: number): Family[]
}

const scrapeCacheOptions = { keepEmpty: true, limits: { ...defaultLimits, samples: 100_000 } }

/** Size of a body that is parsed in a millisecond or two. */
const smallBodyBytes = 64 * 1024

/** Memory for each byte of a body while it is read and written, including the series that it creates. */
const memoryPerBodyByte = 60

export function createScraper(deps: FetchDeps & SeriesDeps): Scraper {
  const organizationOf = new Map<TargetSeries, number>() // of all open series

  async function fetchInTime(target: ScrapeTarget, signal: AbortSignal) {
    signal.throwIfAborted()
    const late = () => new AppError('too_slow', `No complete answer within ${target.timeoutMs / 1000} s`)
    using deadline = createAbort(signal, target.timeoutMs, late)
    return await fetchExposition(deps, target, deadline.signal)
  }

  async function read(
    target: ScrapeTarget,
    signal: AbortSignal,
    scrapeCache = createScrapeCache(scrapeCacheOptions),
  ): Promise<Exposition> {
    const { body, contentType, free } = await fetchInTime(target, signal)
    const parsing = parsingExposition(body, contentType, scrapeCache)
    if (body.length <= smallBodyBytes) return runSync(parsing) // not freed: the garbage collector suffices for a small body
    try {
      if (await hasRoomFor(body.length * memoryPerBodyByte))
        return await runCooperatively(target.organizationId, parsing, signal)
      throw new AppError('unavailable', 'nines has no memory for so many samples at the moment')
    } finally {
      free()
    }
  }

  return {
    async run(target, signal, scrapeCache) {
      const beganMs = stopwatch.now()
      let error: string | null = null
      const { samples, metadata } = await read(target, signal, scrapeCache).catch((failure) => {
        signal.throwIfAborted()
        error = failureReason(failure)
        return emptyExposition
      })
      return { ok: error === null, error, durationMs: stopwatch.now() - beganMs, samples, metadata }
    },
    open(target) {
      const series = openTargetSeries(deps, target, createScrapeCache(scrapeCacheOptions))
      const listed: TargetSeries = {
        ...series,
        end(timeMs) {
          organizationOf.delete(listed)
          return series.end(timeMs)
        },
      }
      organizationOf.set(listed, target.organizationId)
      return listed
    },
    metadata(organizationId) {
      const ofOrganization = [...organizationOf].filter(([, id]) => id === organizationId)
      return distinctFamilies(ofOrganization.flatMap(([series]) => series.families()))
    },
  }
}

const emptyExposition: Exposition = { samples: [], metadata: new Map() }

/** Reason why a scrape failed. Rethrows unexpected errors, and `unavailable`: nines lacks what a run needs. */
function failureReason(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  if (error instanceof AppError && error.kind !== 'unavailable')
    return error.details ? `${error.message}: ${withoutFoundText(error.details)}` : error.message
  throw error
}

/** Removes the found text from a parse error: a body that is no exposition may be a page that only this machine can read. */
function withoutFoundText(details: string): string {
  return details.replace(/^(line \d+: expected .*?), found ["\d].*$/s, '$1')
}
