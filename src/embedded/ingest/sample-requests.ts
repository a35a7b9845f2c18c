import type { Clock } from '../../clock.ts'
import { runCooperatively } from '../../concurrency/cooperative.ts'
import { createFairQueue } from '../../concurrency/fair-queue.ts'
import { hasRoomFor } from '../../concurrency/memory.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import { type BodyBounds, readBytes } from '../../http/bodies/body.ts'
import type { BodyBudget } from '../../http/bodies/body-budget.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { createLateSamples, type LateSamples } from './late-samples.ts'
import type { RefusedSamples } from './refused-samples.ts'
import { createSampleCommit } from './sample-commit.ts'
import type { Sender } from './senders.ts'
import type { WriteBatch } from './write-batch.ts'
import { writingSamples } from './write-samples.ts'
import { createWrittenFamilies, type WrittenFamilies } from './written-families.ts'
import { createSeriesCache } from './written-series.ts'

type Deps = {
  clock: Clock
  config: Pick<Config, 'ingestBodyLimitBytes'>
  samples: SampleStore
  bodyBudget: BodyBudget
  /** Makes the SLOs of the embedded source measure their past again. */
  restartBackfills: (organizationId: number) => Promise<unknown>
}

/** Format of requests with samples: `uncompress` gives the message of a body, and `reading` parses the message to a batch. */
export type SampleFormat<B extends WriteBatch> = {
  uncompress(body: Uint8Array, group: string): Promise<Uint8Array>
  reading(message: Uint8Array): Generator<void, B, void>
}

/** Result of a request: number of samples on disk, refused samples, and the batch. */
type StoredRequest<B> = { samples: number; refused: RefusedSamples; batch: B }

/** Handles requests with samples in any format; parses and writes a few of them at a time. */
export type SampleRequests = {
  /** Reads the body of a request. Throws `too_large`, and `unavailable` if too many requests of the organization arrive or wait. */
  receive(organizationId: number, request: Request, bounds: BodyBounds): Promise<Uint8Array>
  /** Stores the samples of a request and resolves once they are on disk. */
  store<B extends WriteBatch>(
    organizationId: number,
    body: Uint8Array,
    format: SampleFormat<B>,
    sender: Sender,
  ): Promise<StoredRequest<B>>
  /** Metadata of the metrics that were sent to an organization. */
  families: WrittenFamilies['of']
  /** Restarts the backfills of organizations that got samples for times already measured. Call it every minute. */
  remeasureLate: LateSamples['run']
}

const [maxConcurrent, maxPerOrganization] = [8, 6]
/** Limit for requests of one organization that are being received, wait or are being written. */
const maxRequests = 64
const retrySeconds = 5
const largeBytes = 1024 * 1024

export function createSampleRequests(deps: Deps): SampleRequests {
  const { clock, config, samples, bodyBudget, restartBackfills } = deps
  const queue = createFairQueue<number>({ max: maxConcurrent, maxOfGroup: maxPerOrganization })
  const arrivingCounts = new Map<number, number>()
  const series = createSeriesCache()
  const families = createWrittenFamilies()
  const commit = createSampleCommit(samples)
  const late = createLateSamples({ clock, restart: restartBackfills })

  function arrive(organizationId: number, requests: 1 | -1): void {
    const count = (arrivingCounts.get(organizationId) ?? 0) + requests
    if (count > 0) arrivingCounts.set(organizationId, count)
    else arrivingCounts.delete(organizationId)
  }

  async function store<B extends WriteBatch>(
    organizationId: number,
    body: Uint8Array,
    { uncompress, reading }: SampleFormat<B>,
    sender: Sender,
  ): Promise<StoredRequest<B>> {
    const group = `remote writes of ${organizationId}`
    const bytes = await uncompress(body, group)
    if (bytes.length > largeBytes && !(await hasRoomFor(2 * bytes.length))) throw noMemory()
    await samples.whenFilled()
    const batch = await runCooperatively(group, reading(bytes))
    const writing = writingSamples(batch, organizationId, { store: samples, clock, series, families, sender })
    const { samples: count, oldestMs, refused, isCommitDue } = await runCooperatively(group, writing)
    if (isCommitDue) await commit()
    sender.stored(count)
    late.note(organizationId, oldestMs)
    return { samples: count, refused, batch }
  }

  return {
    async receive(organizationId, request, bounds) {
      if (queue.sizeOf(organizationId) + (arrivingCounts.get(organizationId) ?? 0) >= maxRequests) throw tooMany()
      arrive(organizationId, 1)
      try {
        return await readBytes(request, { ...bounds, limitBytes: config.ingestBodyLimitBytes })
      } finally {
        arrive(organizationId, -1)
      }
    },
    async store(organizationId, body, format, sender) {
      const room = bodyBudget.open(organizationId) // the body stays in memory until it is written
      try {
        room.growTo(body.length)
        return await queue.run(organizationId, () => store(organizationId, body, format, sender))
      } finally {
        room.release()
      }
    },
    families: families.of,
    remeasureLate: late.run,
  }
}

/**
 * Converts an error for senders of samples: they retry after 503, and drop the samples after any other error. `more`: additional
 * response headers.
 */
export function toSender(
  { kind, message, details, problems, headers, cause }: AppError,
  more: Record<string, string> = {},
): AppError {
  const isTemporary = kind === 'unavailable' || kind === 'too_slow' || kind === 'rate_limited'
  return new AppError(isTemporary ? 'unavailable' : kind, message, {
    details,
    problems: [...problems],
    headers: { ...more, ...(isTemporary && { 'Retry-After': String(retrySeconds) }), ...headers },
    cause,
  })
}

/** Error for a request whose headers name another format. */
export function unsupportedFormat(details: string): AppError {
  return new AppError('unsupported_media_type', 'Unsupported media type', { details })
}

function tooMany(): AppError {
  return new AppError('unavailable', 'Too many remote writes at once', {
    details: `an organization may have ${maxRequests} requests that arrive or wait`,
  })
}

function noMemory(): AppError {
  return new AppError('unavailable', 'nines has no memory for the request at the moment')
}
