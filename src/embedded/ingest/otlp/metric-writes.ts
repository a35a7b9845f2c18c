import type { WorkerPool } from '../../../concurrency/worker-pool.ts'
import type { Config } from '../../../config.ts'
import { AppError } from '../../../errors.ts'
import type { BodyBounds } from '../../../http/bodies/body.ts'
import { isJson, isProtobuf } from './content-type.ts'
import { type SampleFormat, type SampleRequests, toSender, unsupportedFormat } from '../sample-requests.ts'
import type { Sender } from '../senders.ts'
import { type OtlpBatch, readingMetrics } from './read-metrics.ts'
import { createSeenMetrics } from './seen-metrics.ts'
import { encodeMetrics, unpackGzip } from './decode-body.ts'

/** Body of a request, and its format as its headers name it. */
export type MetricsRequest = { body: Uint8Array; isJson: boolean; isGzip: boolean }

/** Points of a request that were refused, with the reasons; undefined if none was. */
export type PartialSuccess = { rejectedPoints: number; message: string } | undefined

type Deps = {
  config: Pick<Config, 'ingestDecodedLimitBytes' | 'otlpPromoteAttributes'>
  workers: Pick<WorkerPool, 'run'>
  sampleRequests: Pick<SampleRequests, 'receive' | 'store'>
}

/** Requests of OTLP with metrics. */
export type MetricWrites = {
  /**
   * Reads the body of a request, once its headers have been checked. Throws `unsupported_media_type`, `too_large`, and `unavailable`
   * if too many requests of the organization arrive or wait.
   */
  receive(organizationId: number, request: Request, bounds: BodyBounds): Promise<MetricsRequest>
  /** Stores the points of a request and resolves once they are on disk, with those that it refused. */
  write(organizationId: number, request: MetricsRequest, sender: Sender): Promise<PartialSuccess>
}

export function createMetricWrites({ config, workers, sampleRequests }: Deps): MetricWrites {
  const limitBytes = config.ingestDecodedLimitBytes
  const seenBy = new Map<number, ReturnType<typeof createSeenMetrics>>()

  function formatOf({ isJson, isGzip }: MetricsRequest, organizationId: number): SampleFormat<OtlpBatch> {
    const seen = seenBy.getOrInsertComputed(organizationId, createSeenMetrics)
    return {
      async uncompress(body, group) {
        const sent = isGzip ? await unpackGzip(body, limitBytes) : body
        if (sent.length > limitBytes) throw tooLarge(limitBytes)
        return isJson ? encodeMetrics(sent, { limitBytes, group, workers }) : sent
      },
      reading: (message) => readingMetrics(message, { promoted: config.otlpPromoteAttributes, seen }),
    }
  }

  return {
    async receive(organizationId, request, bounds) {
      const format = formatOfHeaders(request)
      return { body: await sampleRequests.receive(organizationId, request, bounds), ...format }
    },
    async write(organizationId, request, sender) {
      try {
        const format = formatOf(request, organizationId)
        const { refused, batch } = await sampleRequests.store(organizationId, request.body, format, sender)
        seenBy.get(organizationId)?.note(batch.newestMs)
        const message = refused.reasons('points')
        if (message === '') return undefined
        sender.refused(new AppError('invalid', 'Points refused', { details: message }))
        return { rejectedPoints: refused.count, message }
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const answer = toSender(error)
        sender.refused(answer)
        throw answer
      }
    },
  }
}

/** Format that the headers of a request name. */
function formatOfHeaders({ headers }: Request): Omit<MetricsRequest, 'body'> {
  const encoding = (headers.get('content-encoding') ?? 'identity').trim().toLowerCase()
  if (encoding !== 'gzip' && encoding !== 'identity') throw unsupportedFormat('Content-Encoding: must be gzip')
  if (!isJson(headers) && !isProtobuf(headers)) {
    throw unsupportedFormat('Content-Type: must be application/x-protobuf or application/json')
  }
  return { isJson: isJson(headers), isGzip: encoding === 'gzip' }
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', 'Request body too large', {
    details: `body: must be at most ${limitBytes} bytes (INGEST_DECODED_LIMIT)`,
  })
}
