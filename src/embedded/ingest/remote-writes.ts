import type { WorkerPool } from '../../concurrency/worker-pool.ts'
import type { Config } from '../../config.ts'
import { AppError } from '../../errors.ts'
import type { BodyBounds } from '../../http/bodies/body.ts'
import { readingVersion1 } from './read-version-1.ts'
import { readingVersion2 } from './read-version-2.ts'
import { type SampleFormat, type SampleRequests, toSender, unsupportedFormat } from './sample-requests.ts'
import type { Sender } from './senders.ts'
import { uncompress } from './snappy.ts'
import type { WriteBatch } from './write-batch.ts'

/** Body of a request, and the version of remote write that its headers name. */
export type WriteRequest = { body: Uint8Array; version: 1 | 2 }

type Deps = {
  config: Pick<Config, 'ingestDecodedLimitBytes'>
  workers: Pick<WorkerPool, 'run'>
  sampleRequests: Pick<SampleRequests, 'receive' | 'store'>
}

/** Requests of remote write. */
export type RemoteWrites = {
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
}

export function createRemoteWrites({ config, workers, sampleRequests }: Deps): RemoteWrites {
  const formatOf = (version: 1 | 2): SampleFormat<WriteBatch> => ({
    uncompress: (body, group) => uncompress(body, config.ingestDecodedLimitBytes, group, workers),
    reading: version === 1 ? readingVersion1 : readingVersion2,
  })
  return {
    async receive(organizationId, request, bounds) {
      const version = versionOf(request)
      return { body: await sampleRequests.receive(organizationId, request, bounds), version }
    },
    async write(organizationId, { body, version }, sender) {
      try {
        const { samples, refused } = await sampleRequests.store(organizationId, body, formatOf(version), sender)
        if (refused.count > 0) throw refused.error(samples, version === 2 ? writtenHeaders(samples) : {})
        return samples
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const answer = toSender(error, version === 2 ? writtenHeaders(0) : {})
        sender.refused(answer)
        throw answer
      }
    },
  }
}

/** Numbers that every answer to remote write 2.0 has. */
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
  if (encoding !== 'snappy') throw unsupportedFormat('Content-Encoding: must be snappy')
  const [type = '', ...parameters] = (headers.get('content-type') ?? protobuf)
    .split(';')
    .map((text) => text.trim().toLowerCase())
  const message = parameters.find((text) => text.startsWith('proto='))?.slice('proto='.length)
  const version = message === undefined ? 1 : messages.get(message.replaceAll('"', ''))
  if (type !== protobuf || !version)
    throw unsupportedFormat(
      `Content-Type: must be ${protobuf}, or that with proto=${[...messages.keys()].join(' or proto=')}`,
    )
  return version
}

const protobuf = 'application/x-protobuf'
const messages = new Map<string, WriteRequest['version']>([
  ['prometheus.writerequest', 1],
  ['io.prometheus.write.v2.request', 2],
])
