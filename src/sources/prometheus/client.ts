import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, stopwatch } from '../../clock.ts'
import type { JobOptions, WorkerPool } from '../../concurrency/worker-pool.ts'
import { AppError } from '../../errors.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Log } from '../../log.ts'
import type { Metrics, SourceOutcome } from '../../metrics.ts'
import { createSemaphore, type Semaphore } from '../../concurrency/semaphore.ts'
import { readInstant, readRange, readTypes, type Said } from './answer.ts'
import { readLarge } from './large-answer.ts'
import { lateError, replyError, saysTimeout, transportError } from './errors.ts'
import { exchange, type Manners, type Question, type Reply } from './exchange.ts'
import type { Answer, AskOptions, InstantData, RangeSeries, SourceAccess, SourceOpener } from '../source.ts'

type Options = {
  outbound: Outbound
  /** The base URL that the operator gives to new organizations: it is asked in private networks, too. */
  operatorUrl?: string | null
  /** For a whole question: waiting for a slot, connecting, reading, and asking again. */
  timeoutMs: number
  /** Questions in flight per source. */
  concurrency: number
  /** What reads large answers; without it they are read in place. */
  workers?: WorkerPool
  log?: Log
  metrics?: Pick<Metrics, 'sourceAsked'>
  /** Any clock that counts milliseconds; it measures how long things take. */
  clock?: Clock
  random?: () => number
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Characters that are read in two or three milliseconds. */
const largeAnswer = 128 * 1024

const maxRetries = 2
const firstPauseMs = 100

/**
 * Opens sources that speak the HTTP API of Prometheus. The deadline is our own and Prometheus' `timeout=` is not sent: it is
 * noticed up to a second late, VictoriaMetrics answers it like a wrong query, and both stop working on a query whose
 * connection is closed.
 */
export function createPrometheus(options: Options): SourceOpener {
  const {
    outbound,
    concurrency,
    workers,
    log,
    metrics,
    clock = stopwatch,
    random = Math.random,
    wait = pause,
    operatorUrl = null,
  } = options
  const sources = new Map<number, { semaphore: Semaphore; manners: Manners }>()

  function sharedBy({ id }: SourceAccess) {
    const known = sources.get(id) ?? { semaphore: createSemaphore(concurrency), manners: { getOnlyUrl: null } }
    sources.set(id, known)
    return known
  }

  async function askPatiently(access: SourceAccess, question: Question, signal: AbortSignal, endMs: number) {
    const { manners } = sharedBy(access)
    for (let retries = 0; ; retries += 1) {
      const toPrivate = access.apiUrl === operatorUrl
      const outcome = await exchange({ outbound, toPrivate }, access, manners, question, signal).catch(lostConnection)
      const pauseMs = retries < maxRetries ? pauseBefore(outcome, firstPauseMs * 2 ** retries * (0.5 + random())) : null
      if (pauseMs === null || clock.now() + pauseMs >= endMs) return outcome
      log?.debug('asking a metrics source again', { source: access.name, reason: reasonOf(outcome), pauseMs })
      await wait(pauseMs, signal)
    }
  }

  async function ask<T>(
    access: SourceAccess,
    question: Question,
    { read, readElsewhere }: Reader<T>,
    { urgent = false, timeoutMs = options.timeoutMs, elapsedMs = 0 }: AskOptions = {},
  ): Promise<Answer<T>> {
    const startMs = clock.now()
    const deadline = new AbortController()
    const leftMs = Math.max(1, timeoutMs - elapsedMs)
    const timer = setTimeout(() => deadline.abort(), leftMs)
    const { signal } = deadline
    let begunMs: number | null = null
    let outcome: SourceOutcome = 'unavailable'
    try {
      const task = () => {
        begunMs = clock.now()
        return askPatiently(access, question, signal, startMs + leftMs)
      }
      const reply = await sharedBy(access).semaphore.run(task, { signal, urgent })
      if (reply instanceof OutboundError) throw reply
      if (reply.status < 200 || reply.status > 299) throw replyError(access, reply)
      const isLarge = workers && reply.text.length > largeAnswer
      const { organizationId: group } = access
      const said = isLarge
        ? await readElsewhere(workers, reply.text, { group, deadlineMs: leftMs, signal })
        : read(reply.text)
      outcome = 'answered'
      return { ...said, durationMs: clock.now() - startMs }
    } catch (error) {
      if (error instanceof AppError && error.kind === 'source_refused') outcome = 'refused'
      if (!signal.aborted) throw transportError(access, error)
      const seconds = timeoutMs / 1000
      const missing = begunMs === null ? `no free slot among ${concurrency}` : 'no answer'
      throw lateError(access, `${missing} within ${seconds} s`)
    } finally {
      clearTimeout(timer)
      metrics?.sourceAsked(access.id, outcome, begunMs === null ? null : (clock.now() - begunMs) / 1000)
    }
  }

  return {
    open: (access) => ({
      name: access.name,
      instant: (query, atSeconds, asked) =>
        ask(access, { path: 'query', parameters: { query, time: decimal(atSeconds) } }, instantReader, asked),
      range: (query, { startSeconds, endSeconds, stepSeconds }, asked) => {
        const times = { start: decimal(startSeconds), end: decimal(endSeconds), step: decimal(stepSeconds) }
        return ask(access, { path: 'query_range', parameters: { query, ...times } }, rangeReader, asked)
      },
      types: (metric, asked) =>
        ask(access, { path: 'metadata', parameters: { metric, limit: '1' } }, typesReader, asked),
    }),
  }
}

type Reader<T> = {
  read: (text: string) => Said<T>
  readElsewhere: (workers: WorkerPool, text: string, options: JobOptions) => Promise<Said<T>>
}

const instantReader: Reader<InstantData> = {
  read: readInstant,
  readElsewhere: (workers, text, options) => readLarge(workers, 'instant', text, options),
}

const rangeReader: Reader<RangeSeries[]> = {
  read: readRange,
  async readElsewhere(workers, text, options) {
    const { data, ...remarks } = await readLarge(workers, 'range', text, options)
    return { ...remarks, data: data.resultType === 'matrix' ? data.result : [] }
  },
}

const typesReader: Reader<string[]> = {
  read: readTypes,
  readElsewhere: async (_workers, text) => readTypes(text), // of one metric it is short
}

async function pause(ms: number, signal: AbortSignal) {
  await sleep(ms, undefined, { signal })
}

/** Seconds with at most three decimals: VictoriaMetrics and Prometheus keep time in milliseconds. */
function decimal(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000)
}

/** A lost connection is an outcome that may be asked again; everything else ends the question. */
function lostConnection(error: unknown): OutboundError {
  if (error instanceof OutboundError && error.failure === 'lost') return error
  throw error
}

/** How long to wait before asking again, given our own `pauseMs`; null where asking again would not help. */
function pauseBefore(outcome: Reply | OutboundError, pauseMs: number): number | null {
  if (outcome instanceof OutboundError) return pauseMs
  const { status, headers, text } = outcome
  if (status !== 429 && (status !== 503 || saysTimeout(text))) return null
  return Math.max(pauseMs, retryAfterMs(headers))
}

/** RFC 9110 10.2.3: seconds, or a date, which is compared with the source's own clock. */
function retryAfterMs(headers: Headers): number {
  const value = headers.get('retry-after') ?? ''
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const waitMs = Date.parse(value) - Date.parse(headers.get('date') ?? '')
  return Number.isNaN(waitMs) ? 0 : waitMs
}

function reasonOf(outcome: Reply | OutboundError): string {
  return outcome instanceof OutboundError ? outcome.message : `HTTP ${outcome.status}`
}
