import { Elysia } from 'elysia'
import { pathOf } from '../../../http/connections/limits.ts'
import { detailOf, errorResponse } from '../../../http/openapi/operation.ts'
import { encodePartialSuccess } from './answer.ts'
import { ingestGuard, type IngestGuardDeps } from '../ingest-guard.ts'
import type { MetricsRequest, MetricWrites } from './metric-writes.ts'

type Deps = IngestGuardDeps & {
  metricWrites: MetricWrites
  prefix: string
  /** True: the route is not in the OpenAPI document. */
  isHidden?: boolean
}

/** Metrics of OTLP over HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp */
export const metricRoutes = ({ metricWrites, prefix, isHidden = false, ...deps }: Deps) =>
  new Elysia({ prefix, tags: ['Embedded source'], detail: isHidden ? { hide: true } : {} })
    .use(ingestGuard(deps, 'otlp', metricWrites.receive))
    .post(
      '/v1/metrics',
      async ({ caller, body }) => {
        const request = body as MetricsRequest
        const partialSuccess = await metricWrites.write(caller.organizationId, request, deps.senders.of(caller, 'otlp'))
        return encodePartialSuccess(partialSuccess, request.isJson)
      },
      { detail: reference },
    )

/** True for a request to one of these routes. */
export const isMetricsWrite = (request: Request) =>
  request.method === 'POST' &&
  /^(?:(?:(?:\/api\/v1)?\/embedded\/prometheus)?\/api\/v1\/otlp)?\/v1\/metrics(?:\?|$)/.test(pathOf(request))

const schema = { type: 'string' as const }
/** Error, which is a `google.rpc.Status` in protobuf if the request is in protobuf; in JSON its fields are among those of `Error`. */
function failure(description: string) {
  const { content } = errorResponse(description)
  return { description, content: { ...content, 'application/x-protobuf': { schema } } }
}

const reference = {
  ...detailOf('writeMetrics', 'Write metrics by OTLP', {
    description:
      'For administrators, whose API tokens may have the scope `ingest`. OTLP over HTTP in protobuf or JSON, also compressed by gzip. The ' +
      'token is a bearer token or the password of basic authentication. Also at `/v1/metrics`, `/api/v1/otlp/v1/metrics` and ' +
      '`/embedded/prometheus/api/v1/otlp/v1/metrics`. Points that are answered with 200 are on disk, but for those that `partial_success` ' +
      'counts.',
    200: {
      description: 'All points are on disk, or all that are not in `partial_success`; in the format of the request',
    },
    400: failure('The body is not what its headers say, and nothing was stored'),
    401: failure('The token is missing, unknown or expired'),
    403: failure('The role or scope of the token does not allow it'),
    413: failure(
      'The body is larger than INGEST_BODY_LIMIT, or than INGEST_DECODED_LIMIT uncompressed, or has too many points or series',
    ),
    415: failure('The headers name another format than those of OTLP'),
    503: failure('nines takes no more at the moment, and the request is to be sent again after `Retry-After` seconds'),
  }),
  requestBody: {
    required: true,
    description: 'an `ExportMetricsServiceRequest`',
    content: { 'application/x-protobuf': { schema }, 'application/json': { schema: { type: 'object' as const } } },
  },
}
