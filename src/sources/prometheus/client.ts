import { setTimeout as sleep } from 'node:timers/promises'
import { createAbort } from '../../concurrency/abort.ts'
import { type Clock, stopwatch } from '../../clock.ts'
import { createSemaphore, type Semaphore } from '../../concurrency/semaphore.ts'
import type { JobOptions, WorkerPool } from '../../concurrency/worker-pool.ts'
import { AppError } from '../../errors.ts'
import { credentialHeaders } from '../../http/endpoint-auth.ts'
import { decodeAndFree } from '../../http/outbound/body.ts'
import { OutboundError } from '../../http/outbound/error.ts'
import type { Outbound } from '../../http/outbound/outbound.ts'
import type { Log } from '../../log.ts'
import type { Metrics, SourceOutcome } from '../../metrics.ts'
import type { Answer, SourceApiRequest, QueryOptions, SourceAccess, SourceOpener } from '../source.ts'
import { InvalidAnswer, readInstant, readRange, readTypes, readVersion, type ParsedAnswer } from './answer.ts'
import {
  deadlineError,
  lostConnection,
  pauseBefore,
  reasonOf,
  type Reply,
  replyError,
  transportError,
} from './errors.ts'
import { readLargePieces, readPieces } from './forwarded-answer.ts'
import { readLargeInstant, readLargeRange } from './large-answer.ts'

type Options = {
  outbound: Outbound
  /** The base URL that the operator gives to new organizations: it may be in a private network. */
  operatorUrl?: string | null
  /** Timeout of a whole query: waiting for a slot, connecting, reading, and retries. */
  timeoutMs: number
  /** Concurrent requests per source. */
  concurrency: number
  /** Reads large answers; without it they are read in place. */
  workers?: WorkerPool
  log?: Log
  metrics?: Pick<Metrics, 'sourceQueried'>
  /** Clock in milliseconds, for measuring durations. */
  clock?: Clock
  random?: () => number
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Length in characters above which a worker reads an answer; up to it reading takes two or three milliseconds. */
const largeAnswerLength = 128 * 1024

/** Maximum size after decompression: 10,000 points, the maximum per query, of about 50 series. */
const maxBodyBytes = 16 * 1024 * 1024

/** Maximum size of an answer to a query with `isShort`. */
const maxShortBytes = 64 * 1024

/** Maximum size of an error response, of which only the first lines matter. */
const maxErrorBytes = 64 * 1024

const maxRetries = 2
const firstPauseMs = 100

/** Path of the API and its parameters. */
type ApiQuery = {
  path: SourceApiRequest['path'] | 'status/buildinfo'
  parameters: Record<string, string> | SourceApiRequest['parameters']
  isShort?: boolean | undefined
}

/**
 * Shared by the queries of one source. `getOnlyUrl`: its URL, if that accepts only GET. `identity`: `identity` of the opened `Source`; a
 * new object if the URL changes.
 */
type Shared = { semaphore: Semaphore; getOnlyUrl: string | null; identity: { apiUrl: string } }

/**
 * Opens sources with the HTTP API of Prometheus. Deadlines are enforced here, and Prometheus' `timeout=` is not sent: it takes
 * effect up to a second late, VictoriaMetrics answers it like an invalid query, and both stop a query when its connection is
 * closed.
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
  const sources = new Map<number, Shared>()

  function sharedBy({ id, apiUrl }: SourceAccess): Shared {
    const shared = sources.get(id) ?? {
      semaphore: createSemaphore(concurrency),
      getOnlyUrl: null,
      identity: { apiUrl },
    }
    if (shared.identity.apiUrl !== apiUrl) shared.identity = { apiUrl }
    sources.set(id, shared)
    return shared
  }

  async function send(
    access: SourceAccess,
    method: 'GET' | 'POST',
    { path, parameters, isShort }: ApiQuery,
    signal: AbortSignal,
  ): Promise<Reply> {
    const url = endpointOf(access, path)
    const { apiUrl, auth, organizationId } = access
    const form = new URLSearchParams(parameters)
    if (method === 'GET') {
      for (const name of form.keys()) url.searchParams.delete(name)
      for (const [name, value] of form) url.searchParams.append(name, value)
    }
    const type = method === 'GET' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await outbound.fetch(url.href, {
      method,
      headers: { ...credentialHeaders(auth), accept: 'application/json', ...type, ...(isShort && uncompressed) },
      ...(method === 'POST' && { body: form.toString() }),
      signal,
      organizationId,
      tls: auth?.tls,
      allowPrivate: apiUrl === operatorUrl,
      maxBytes: isShort ? maxShortBytes : maxBytes,
    })
    const { status, headers, body, isCut } = answer
    if (isSuccess(status) && isCut) throw new InvalidAnswer(`answered with more than ${isShort ? '64 kB' : '16 MB'}`)
    return { status, headers, text: decodeAndFree(body) }
  }

  /** Sends a form POST, for queries of any length. Sends a GET if the POST is answered 405, or if the path accepts no POST. */
  async function exchange(access: SourceAccess, query: ApiQuery, signal: AbortSignal): Promise<Reply> {
    const shared = sharedBy(access)
    const isForm = takesForms(query.path)
    if (isForm && shared.getOnlyUrl !== access.apiUrl) {
      const reply = await send(access, 'POST', query, signal)
      if (reply.status !== 405) return reply
    }
    const reply = await send(access, 'GET', query, signal)
    if (isForm) shared.getOnlyUrl = reply.status === 405 ? null : access.apiUrl
    return reply
  }

  async function exchangeWithRetries(access: SourceAccess, query: ApiQuery, signal: AbortSignal, endMs: number) {
    for (let retries = 0; ; retries += 1) {
      const outcome = await exchange(access, query, signal).catch(lostConnection)
      const pauseMs = retries < maxRetries ? pauseBefore(outcome, firstPauseMs * 2 ** retries * (0.5 + random())) : null
      if (pauseMs === null || clock.now() + pauseMs >= endMs) return outcome
      log?.debug('source query retried', { source: access.name, reason: reasonOf(outcome), pauseMs })
      await wait(pauseMs, signal)
    }
  }

  async function runQuery<T>(
    access: SourceAccess,
    query: ApiQuery,
    read: (text: string, job: JobOptions) => ParsedAnswer<T> | Promise<ParsedAnswer<T>>,
    { urgent = false, timeoutMs = options.timeoutMs, elapsedMs = 0, signal: caller }: QueryOptions = {},
  ): Promise<Answer<T>> {
    const startMs = clock.now()
    const leftMs = Math.max(1, timeoutMs - elapsedMs)
    using ending = createAbort(caller, leftMs)
    const { signal } = ending
    let begunMs: number | null = null
    let outcome: SourceOutcome = 'unavailable'
    try {
      const task = () => {
        begunMs = clock.now()
        return exchangeWithRetries(access, query, signal, startMs + leftMs)
      }
      const reply = await sharedBy(access).semaphore.run(task, { signal, urgent })
      if (reply instanceof OutboundError) throw reply
      if (!isSuccess(reply.status)) throw replyError(access, reply)
      const parsed = await read(reply.text, { group: access.organizationId, deadlineMs: leftMs, signal })
      outcome = 'answered'
      return { ...parsed, durationMs: clock.now() - startMs }
    } catch (error) {
      if (error instanceof AppError && error.kind === 'source_refused') outcome = 'refused'
      if (!signal.aborted) throw transportError(access, error)
      const seconds = timeoutMs / 1000
      const missing = begunMs === null ? `no free slot among ${concurrency}` : 'no answer'
      throw deadlineError(access, `${missing} within ${seconds} s`)
    } finally {
      metrics?.sourceQueried(access.id, outcome, begunMs === null ? null : (clock.now() - begunMs) / 1000)
    }
  }

  type ReadInWorker<T> = (workers: WorkerPool, text: string, job: JobOptions) => Promise<ParsedAnswer<T>>
  /** Creates a reader of answers of any length: large ones are read in a worker. */
  const createReader =
    <T>(read: (text: string) => ParsedAnswer<T>, readInWorker: ReadInWorker<T>) =>
    (text: string, job: JobOptions) =>
      workers && text.length > largeAnswerLength ? readInWorker(workers, text, job) : read(text)
  const readAnyInstant = createReader(readInstant, readLargeInstant)
  const readAnyRange = createReader(readRange, readLargeRange)

  return {
    open: (access) => ({
      name: access.name,
      identity: sharedBy(access).identity,
      instant: (query, atSeconds, options) =>
        runQuery(
          access,
          { path: 'query', parameters: { query, time: decimal(atSeconds) }, isShort: options?.isShort },
          readAnyInstant,
          options,
        ),
      range: (query, { startSeconds, endSeconds, stepSeconds }, options) => {
        const times = { start: decimal(startSeconds), end: decimal(endSeconds), step: decimal(stepSeconds) }
        return runQuery(access, { path: 'query_range', parameters: { query, ...times } }, readAnyRange, options)
      },
      types: (metric, options) =>
        runQuery(access, { path: 'metadata', parameters: { metric, limit: '1' } }, readTypes, options),
      version: (options) => runQuery(access, { path: 'status/buildinfo', parameters: {} }, readVersion, options),
      async forward(request, { budget, ...options }) {
        budget.assertLeft(access.organizationId)
        const read = (text: string, job: JobOptions) => {
          if (workers && text.length > largeAnswerLength)
            return readLargePieces(workers, { text, request }, { job, budget, organizationId: access.organizationId })
          return readPieces(text, request)
        }
        return runQuery(access, request, read, options)
      },
    }),
  }
}

const uncompressed = { 'accept-encoding': 'identity' }
const takesForms = (path: ApiQuery['path']) => !/^(?:metadata|status|label)\b/.test(path)
const isSuccess = (status: number) => status >= 200 && status < 300
const maxBytes = (status: number) => (isSuccess(status) ? maxBodyBytes : maxErrorBytes)

/** URL of an API path below `apiUrl`, with the query string of `apiUrl`; throws `OutboundError` if `apiUrl` is no URL. */
function endpointOf({ apiUrl }: SourceAccess, path: string): URL {
  const url = URL.parse(apiUrl)
  if (!url) throw new OutboundError('forbidden', 'the address is not an http or https URL')
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/api/v1/${path}`
  return url
}

async function pause(ms: number, signal: AbortSignal) {
  await sleep(ms, undefined, { signal })
}

/** Seconds with at most three decimals: VictoriaMetrics and Prometheus keep time in milliseconds. */
function decimal(seconds: number): string {
  return String(Math.round(seconds * 1000) / 1000)
}
