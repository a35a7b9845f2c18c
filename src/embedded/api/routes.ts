import { Elysia } from 'elysia'
import { type GuardDeps, signedIn } from '../../http/signed-in.ts'
import type { Lister } from '../lister.ts'
import { alsoBasic } from './basic.ts'
import { buildInfo } from './build-info.ts'
import { listLabels, listLabelValues, listSeries } from './listings.ts'
import { listMetadata, listRules, type Metadata } from './metadata.ts'
import { readParameters } from './parameters.ts'
import { askInstant, askRange, type QueryDeps } from './queries.ts'
import { reference } from './reference.ts'
import type { Reply } from './replies.ts'

type Deps = QueryDeps & {
  lister: Lister
  metadata: (organizationId: number) => readonly Metadata[]
  /** The same at every address: what answers hold in memory is bounded by it. */
  reply: Reply
  guard: GuardDeps
  /** Not in the OpenAPI document. */
  isHidden?: boolean
}

/**
 * The HTTP API of Prometheus over the samples of the caller's organization, as far as Grafana and its like ask for it
 * (https://prometheus.io/docs/prometheus/latest/querying/api/). What is wrong with a question is said as Prometheus says
 * it; what is wrong before it is one (no token, too many requests, no form), as nines does.
 */
export const prometheusRoutes = ({ guard, reply, isHidden = false, ...deps }: Deps) =>
  new Elysia({
    prefix: '/embedded/prometheus/api/v1',
    tags: ['Embedded source'],
    detail: isHidden ? { hide: true } : {},
  })
    .use(
      signedIn({
        ...guard,
        tokens: alsoBasic(guard.tokens),
        writes: 'viewer',
        readBody: readParameters,
        checkRequest: () => {}, // Prometheus ignores parameters that it does not know, and Grafana sends some
      }),
    )
    .resolve(({ caller, body }) => ({
      organizationId: caller.organizationId,
      parameters: body instanceof URLSearchParams ? body : new URLSearchParams(),
    }))
    .get('/query', (asked) => reply(asked, () => askInstant(deps, asked)), {
      detail: reference.query.get,
    })
    .post('/query', (asked) => reply(asked, () => askInstant(deps, asked)), {
      detail: reference.query.post,
    })
    .get('/query_range', (asked) => reply(asked, () => askRange(deps, asked)), {
      detail: reference.queryRange.get,
    })
    .post('/query_range', (asked) => reply(asked, () => askRange(deps, asked)), {
      detail: reference.queryRange.post,
    })
    .get('/series', (asked) => reply(asked, () => listSeries(deps.lister, asked)), {
      detail: reference.series.get,
    })
    .post('/series', (asked) => reply(asked, () => listSeries(deps.lister, asked)), {
      detail: reference.series.post,
    })
    .get('/labels', (asked) => reply(asked, () => listLabels(deps.lister, asked)), {
      detail: reference.labels.get,
    })
    .post('/labels', (asked) => reply(asked, () => listLabels(deps.lister, asked)), {
      detail: reference.labels.post,
    })
    .get('/label/:name/values', (asked) => reply(asked, () => listLabelValues(deps.lister, asked, asked.params.name)), {
      detail: reference.labelValues,
    })
    .get(
      '/metadata',
      (asked) => reply(asked, () => listMetadata(deps.metadata(asked.organizationId), asked.parameters)),
      {
        detail: reference.metadata,
      },
    )
    .get('/rules', (asked) => reply(asked, () => listRules(asked.parameters)), { detail: reference.rules })
    .get('/status/buildinfo', (asked) => reply(asked, () => [JSON.stringify(buildInfo)]), {
      detail: reference.buildInfo,
    })
