import { stopwatch } from '../../clock.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import { atOnce, inTurns } from '../../concurrency/steps.ts'
import { AppError } from '../../errors.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import { createKnownTexts, type KnownTexts } from '../exposition/known-texts.ts'
import { parsingAgain } from '../exposition/parse-again.ts'
import type { Exposition } from '../exposition/parse.ts'
import { defaultLimits } from '../exposition/sample.ts'
import { distinctFamilies, type Family } from './families.ts'
import { fetchExposition, type FetchDeps } from './fetch-exposition.ts'
import { openTargetSeries, type Scraped, type SeriesDeps, type TargetSeries } from './series/target-series.ts'
import type { ScrapeTarget } from './target.ts'

/** Scrapes targets as Prometheus 3.5 does, but also those that do not say what they expose: these are read as text. */
export type Scraper = {
  /**
   * One scrape, of which nothing is written; `known`: of the series that it is for, if any. Once aborted it throws the reason
   * of `signal`.
   */
  run(target: ScrapeTarget, signal: AbortSignal, known?: KnownTexts): Promise<Scraped>
  /** Where what a target gives is written, scrape after scrape, until it is ended. */
  open(target: ScrapeTarget): TargetSeries
  /** What the newest good scrapes of an organization's targets say of their metric families. */
  metadata(organizationId: number): Family[]
}

const knownOptions = { keepEmpty: true, limits: { ...defaultLimits, samples: 100_000 } }

/** What is parsed in a millisecond or two. */
const smallBodyBytes = 64 * 1024

/** What a body takes while it is read and written, with the series that it begins. */
const bytesOfByte = 60

export function createScraper(deps: FetchDeps & SeriesDeps): Scraper {
  const opened = new Map<TargetSeries, number>()

  async function read(
    target: ScrapeTarget,
    signal: AbortSignal,
    known = createKnownTexts(knownOptions),
  ): Promise<Exposition> {
    const { body, contentType, free } = await withDeadline(target.timeoutMs, signal, (either) =>
      fetchExposition(deps, target, either),
    )
    const parsing = parsingAgain(body, contentType, known)
    if (body.length <= smallBodyBytes) return atOnce(parsing)
    try {
      if (await hasRoomFor(body.length * bytesOfByte)) return await inTurns(target.organizationId, parsing, signal)
      throw new AppError('unavailable', 'nines has no memory for so many samples at the moment')
    } finally {
      free()
    }
  }

  return {
    async run(target, signal, known) {
      const beganMs = stopwatch.now()
      let error: string | null = null
      const { samples: readings, metadata } = await read(target, signal, known).catch((failure) => {
        signal.throwIfAborted()
        error = sentence(failure)
        return nothing
      })
      return { ok: error === null, error, durationMs: stopwatch.now() - beganMs, readings, metadata }
    },
    open(target) {
      const series = openTargetSeries(deps, target, createKnownTexts(knownOptions))
      const listed: TargetSeries = {
        ...series,
        end(timeMs) {
          opened.delete(listed)
          return series.end(timeMs)
        },
      }
      opened.set(listed, target.organizationId)
      return listed
    },
    metadata(organizationId) {
      const own = [...opened].filter(([, id]) => id === organizationId)
      return distinctFamilies(own.flatMap(([series]) => series.families()))
    },
  }
}

const nothing: Exposition = { samples: [], metadata: new Map() }

/** Why a scrape failed; throws what nobody foresaw. */
function sentence(error: unknown): string {
  if (error instanceof OutboundError) return error.message
  if (error instanceof AppError)
    return error.details ? `${error.message}: ${withoutFound(error.details)}` : error.message
  throw error
}

/** What stands in a body that is no exposition is not repeated: it may be a page that only this machine can read. */
function withoutFound(details: string): string {
  return details.replace(/^(line \d+: expected .*?), found ["\d].*$/s, '$1')
}

/** Aborts the work with `signal`, and once it has taken too long. */
async function withDeadline<T>(ms: number, signal: AbortSignal, work: (either: AbortSignal) => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const either = new AbortController()
  const stop = () => either.abort(signal.reason)
  const late = new AppError('too_slow', `No complete answer within ${ms / 1000} s`)
  const timer = setTimeout(() => either.abort(late), ms)
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await work(either.signal)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
