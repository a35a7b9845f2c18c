import type { Clock } from '../../clock.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import type { WorkerPool } from '../../concurrency/worker-pool.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { type BodyBounds, readBytes } from '../../http/bodies/body.ts'
import type { BodyBudget } from '../../http/bodies/body-budget.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { createLateSamples, type LateSamples } from './late-samples.ts'
import { readingVersion1 } from './read-version-1.ts'
import { readingVersion2 } from './read-version-2.ts'
import { createSampleCommit } from './sample-commit.ts'
import type { Sender } from './senders.ts'
import { uncompress } from './snappy.ts'
import { writingSamples } from './write-samples.ts'
import { createWrittenFamilies, type WrittenFamilies } from './written-families.ts'
import { createSeriesCache } from './written-series.ts'

/** Body of a request, and the version of remote write that its headers name. */
export type WriteRequest = { body: Uint8Array; version: 1 | 2 }

type Deps = {
  clock: Clock
  config: Pick<Config, 'ingestBodyLimitBytes' | 'ingestDecodedLimitBytes'>
  samples: SampleStore
  workers: Pick<WorkerPool, 'run'>
  bodyBudget: BodyBudget
  /** Makes the SLOs of the embedded source measure their past again. */
  restartBackfills: (organizationId: number) => Promise<unknown>
}

/** Requests of remote write, of which a few are read and written at a time. */
type RemoteWrites = {
  /**
   * Reads the body of a request, once its headers have been checked. Throws `unsupported_media_type`, `too_large`, and `unavailable`
   * if too many requests of the organization arrive or wait.
   */
  receive(organizationId: number, request: Request, bounds: BodyBounds): Promise<WriteRequest>
  /**
   * Stores the samples of a request and resolves once they are on disk, with their number. Throws `invalid` if it refused any of
   * them, naming a series and the reason; the others are on disk then.
   */
  write(organizationId: number, request: WriteRequest, sender: Sender): Promise<number>
  /** Metadata of metrics that an organization was sent. */
  families: WrittenFamilies['of']
  /** Call every minute. */
  measureLate: LateSamples['run']
}

const [maxConcurrent, maxOfOrganization] = [8, 6]
/** Requests of an organization that arrive, wait or are written. */
const maxRequests = 64
const retrySeconds = 5
const largeBytes = 1024 * 1024

export function createRemoteWrites(deps: Deps): RemoteWrites {
  const { clock, config, samples, workers, bodyBudget, restartBackfills } = deps
  const queue = createFairQueue<number>({ max: maxConcurrent, maxOfGroup: maxOfOrganization })
  const arriving = new Map<number, number>()
  const series = createSeriesCache()
  const families = createWrittenFamilies()
  const commit = createSampleCommit(samples)
  const late = createLateSamples({ clock, restart: restartBackfills })

  function arrive(organizationId: number, requests: 1 | -1): void {
    const count = (arriving.get(organizationId) ?? 0) + requests
    if (count > 0) arriving.set(organizationId, count)
    else arriving.delete(organizationId)
  }

  async function store(organizationId: number, { body, version }: WriteRequest, sender: Sender): Promise<number> {
    const group = `remote writes of ${organizationId}`
    const bytes = await uncompress(body, config.ingestDecodedLimitBytes, group, workers)
    if (bytes.length > largeBytes && !(await hasRoomFor(2 * bytes.length))) throw noMemory()
    await samples.whenFilled()
    const batch = await runCooperatively(group, version === 1 ? readingVersion1(bytes) : readingVersion2(bytes))
    const writing = writingSamples(batch, organizationId, { store: samples, clock, series, families, sender })
    const { samples: count, oldestMs, refused } = await runCooperatively(group, writing)
    if (count > 0) await commit()
    sender.stored(count)
    late.note(organizationId, oldestMs)
    if (refused.count > 0) throw refused.error(count, version === 2 ? writtenHeaders(count) : {})
    return count
  }

  return {
    async receive(organizationId, request, bounds) {
      const version = versionOf(request)
      if (queue.sizeOf(organizationId) + (arriving.get(organizationId) ?? 0) >= maxRequests) throw tooMany()
      arrive(organizationId, 1)
      try {
        const body = await readBytes(request, { ...bounds, limitBytes: config.ingestBodyLimitBytes })
        return { body, version }
      } finally {
        arrive(organizationId, -1)
      }
    },
    async write(organizationId, request, sender) {
      const room = bodyBudget.open(organizationId) // the body stays in memory until it is written
      try {
        room.growTo(request.body.length)
        return await queue.run(organizationId, () => store(organizationId, request, sender))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const answer = toSender(error, request)
        sender.refused(answer)
        throw answer
      } finally {
        room.release()
      }
    },
    families: families.of,
    measureLate: late.run,
  }
}

/** Numbers that remote write 2.0 answers with. */
export function writtenHeaders(samples: number): Record<string, string> {
  const prefix = 'X-Prometheus-Remote-Write'
  return {
    [`${prefix}-Samples-Written`]: String(samples),
    [`${prefix}-Histograms-Written`]: '0',
    [`${prefix}-Exemplars-Written`]: '0',
  }
}

/** Version of remote write that the headers of a request name. Like Prometheus, takes a request without them for 1.0. */
function versionOf({ headers }: Request): WriteRequest['version'] {
  const encoding = (headers.get('content-encoding') ?? 'snappy').trim().toLowerCase()
  if (encoding !== 'snappy') throw unsupported('Content-Encoding: must be snappy')
  const [type = '', ...parameters] = (headers.get('content-type') ?? protobuf)
    .split(';')
    .map((text) => text.trim().toLowerCase())
  const message = parameters.find((text) => text.startsWith('proto='))?.slice('proto='.length)
  const version = message === undefined ? 1 : messages.get(message.replaceAll('"', ''))
  if (type !== protobuf || !version)
    throw unsupported(
      `Content-Type: must be ${protobuf}, or that with proto=${[...messages.keys()].join(' or proto=')}`,
    )
  return version
}

const protobuf = 'application/x-protobuf'
const messages = new Map<string, WriteRequest['version']>([
  ['prometheus.writerequest', 1],
  ['io.prometheus.write.v2.request', 2],
])

function unsupported(details: string): AppError {
  return new AppError('unsupported_media_type', 'Unsupported media type', { details })
}

/**
 * Error as a sender needs it: it sends again what was answered with 503, and drops what got any other error. Of remote write 2.0 every
 * answer has the numbers that were written.
 */
export function toSender(
  { kind, message, details, problems, headers, cause }: AppError,
  request?: WriteRequest,
): AppError {
  const isTemporary = kind === 'unavailable' || kind === 'too_slow' || kind === 'rate_limited'
  return new AppError(isTemporary ? 'unavailable' : kind, message, {
    details,
    problems: [...problems],
    headers: {
      ...(request?.version === 2 && writtenHeaders(0)),
      ...(isTemporary && { 'Retry-After': String(retrySeconds) }),
      ...headers,
    },
    cause,
  })
}

function tooMany(): AppError {
  return new AppError('unavailable', 'Too many remote writes at once', {
    details: `an organization may have ${maxRequests} requests that arrive or wait`,
  })
}

function noMemory(): AppError {
  return new AppError('unavailable', 'nines has no memory for the request at the moment')
}
