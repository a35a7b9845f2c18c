import { Elysia } from 'elysia'
import { detailOf } from '../../http/openapi/operation.ts'
import { pathOf } from '../../http/connections/limits.ts'
import { ingestGuard, type IngestGuardDeps } from './ingest-guard.ts'
import { type RemoteWrites, writtenHeaders, type WriteRequest } from './remote-writes.ts'

type Deps = IngestGuardDeps & {
  remoteWrites: RemoteWrites
  prefix: string
  /** True: the route is not in the OpenAPI document. */
  isHidden?: boolean
}

/** Remote write of Prometheus, 1.0 and 2.0: https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/ */
export const remoteWriteRoutes = ({ remoteWrites, prefix, isHidden = false, ...deps }: Deps) =>
  new Elysia({ prefix, tags: ['Embedded source'], detail: isHidden ? { hide: true } : {} })
    .use(ingestGuard(deps, 'remote_write', remoteWrites.receive))
    .post(
      '/write',
      async ({ caller, body }) => {
        const request = body as WriteRequest
        const count = await remoteWrites.write(caller.organizationId, request, deps.senders.of(caller, 'remote_write'))
        return new Response(null, { status: 204, headers: request.version === 2 ? writtenHeaders(count) : {} })
      },
      { detail: reference },
    )

/** True for a request to one of these routes. */
export const isRemoteWrite = (request: Request) =>
  request.method === 'POST' &&
  /^(?:(?:\/api\/v1)?\/embedded\/prometheus)?\/api\/v1\/write(?:\?|$)/.test(pathOf(request))

const reference = {
  ...detailOf('writeSamples', 'Write samples by remote write of Prometheus', {
    description:
      'For administrators, whose API tokens may have the scope `ingest`. Remote write 1.0 and 2.0 (`Content-Type: ' +
      'application/x-protobuf;proto=io.prometheus.write.v2.Request`), in the block format of Snappy. The token is a bearer token or ' +
      'the password of basic authentication. Also at `/api/v1/write` and `/embedded/prometheus/api/v1/write`. Samples that are answered with ' +
      '204 are on disk.',
    204: { description: 'All samples are on disk' },
    400: 'The body is not what its headers say, and nothing was stored; or samples were refused, of which it names series and reasons, and the others are on disk',
    413: 'The body is larger than INGEST_BODY_LIMIT, or than INGEST_DECODED_LIMIT uncompressed, or has too many series or samples',
    415: 'The headers name another format than those of remote write',
    503: 'nines takes no more at the moment, and the request is to be sent again after `Retry-After` seconds; 429 is never answered',
  }),
  requestBody: {
    required: true,
    description: 'a `prometheus.WriteRequest` or an `io.prometheus.write.v2.Request`, compressed by Snappy',
    content: { 'application/x-protobuf': { schema: { type: 'string' as const } } },
  },
}
