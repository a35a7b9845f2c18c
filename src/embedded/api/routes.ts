import { Elysia, type TSchema } from 'elysia'
import { stopwatch } from '../../clock.ts'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import { alsoBasic } from '../../http/token-as-password.ts'
import type { ApiExchange } from './answer.ts'
import { buildInfo, listRules, type PrometheusApi } from './embedded-api.ts'
import { readParameters } from './parameters.ts'
import type { ApiReference } from './reference.ts'
import type { Reply } from './replies.ts'

/** API that answers a request, and the function that sends the reply. */
type Answerer = { api: PrometheusApi; reply: Reply }

type Deps = {
  guard: GuardDeps
  prefix: string
  tag: string
  reference: ApiReference
  /** Schema of the parameters in `prefix`. */
  params?: TSchema
  /** Gives the API to answer from. Throws if the caller's organization does not have that source. */
  open(organizationId: number, params: Record<string, unknown>): Answerer | Promise<Answerer>
  /** True: the routes are not in the OpenAPI document. */
  isHidden?: boolean
}

/**
 * HTTP API of Prometheus, as far as Grafana and similar clients use it
 * (https://prometheus.io/docs/prometheus/latest/querying/api/). Errors of a query have the format of Prometheus; errors before
 * it (no token, too many requests, no form) have that of nines.
 */
export function prometheusRoutes({ guard, prefix, tag, reference, params, open, isHidden = false }: Deps) {
  const schemas = params && { params }
  const reply = async (
    context: ApiExchange & { organizationId: number; params: Record<string, unknown> },
    work: (api: PrometheusApi) => ReturnType<Parameters<Reply>[1]>,
  ) => {
    const answerer = await open(context.organizationId, context.params)
    return answerer.reply(context, () => work(answerer.api))
  }
  return new Elysia({ prefix, tags: [tag], detail: isHidden ? { hide: true } : {} })
    .use(
      signedIn({
        ...guard,
        tokens: alsoBasic(guard.tokens),
        writes: 'viewer',
        readBody: readParameters,
        checkRequest: () => {}, // like Prometheus, ignore unknown parameters: Grafana sends some
      }),
    )
    .resolve(({ caller, body }) => ({
      organizationId: caller.organizationId,
      parameters: body instanceof URLSearchParams ? body : new URLSearchParams(),
      receivedAtMs: stopwatch.now(),
    }))
    .get('/query', (context) => reply(context, (api) => api.query(context)), {
      ...schemas,
      detail: reference.query.get,
    })
    .post('/query', (context) => reply(context, (api) => api.query(context)), {
      ...schemas,
      detail: reference.query.post,
    })
    .get('/query_range', (context) => reply(context, (api) => api.queryRange(context)), {
      ...schemas,
      detail: reference.queryRange.get,
    })
    .post('/query_range', (context) => reply(context, (api) => api.queryRange(context)), {
      ...schemas,
      detail: reference.queryRange.post,
    })
    .get('/series', (context) => reply(context, (api) => api.series(context)), {
      ...schemas,
      detail: reference.series.get,
    })
    .post('/series', (context) => reply(context, (api) => api.series(context)), {
      ...schemas,
      detail: reference.series.post,
    })
    .get('/labels', (context) => reply(context, (api) => api.labels(context)), {
      ...schemas,
      detail: reference.labels.get,
    })
    .post('/labels', (context) => reply(context, (api) => api.labels(context)), {
      ...schemas,
      detail: reference.labels.post,
    })
    .get(
      '/label/:name/values',
      (context) => reply(context, (api) => api.labelValues(context, context.params.name ?? null)),
      {
        ...schemas,
        detail: reference.labelValues,
      },
    )
    .get('/metadata', (context) => reply(context, (api) => api.metadata(context)), {
      ...schemas,
      detail: reference.metadata,
    })
    .get('/rules', (context) => reply(context, () => listRules(context.parameters)), {
      ...schemas,
      detail: reference.rules,
    })
    .get('/status/buildinfo', (context) => reply(context, () => [JSON.stringify(buildInfo)]), {
      ...schemas,
      detail: reference.buildInfo,
    })
}
