import { Elysia } from 'elysia'
import { type GuardDeps, signedIn, type TokenReader } from '../../http/signed-in.ts'
import type { Lister } from '../lister.ts'
import { listLabels, listLabelValues, listSeries } from './listings.ts'
import { type Parameters, readParameters, textOf } from './parameters.ts'
import { queryInstant, queryRange, type QueryDeps } from './queries.ts'
import { reference } from './reference.ts'
import type { Reply } from './replies.ts'
import { version } from '../../../package.json' with { type: 'json' }
import { badData, badParameter } from './bad-data.ts'

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
    .get('/query', (context) => reply(context, () => queryInstant(deps, context)), {
      detail: reference.query.get,
    })
    .post('/query', (context) => reply(context, () => queryInstant(deps, context)), {
      detail: reference.query.post,
    })
    .get('/query_range', (context) => reply(context, () => queryRange(deps, context)), {
      detail: reference.queryRange.get,
    })
    .post('/query_range', (context) => reply(context, () => queryRange(deps, context)), {
      detail: reference.queryRange.post,
    })
    .get('/series', (context) => reply(context, () => listSeries(deps.lister, context)), {
      detail: reference.series.get,
    })
    .post('/series', (context) => reply(context, () => listSeries(deps.lister, context)), {
      detail: reference.series.post,
    })
    .get('/labels', (context) => reply(context, () => listLabels(deps.lister, context)), {
      detail: reference.labels.get,
    })
    .post('/labels', (context) => reply(context, () => listLabels(deps.lister, context)), {
      detail: reference.labels.post,
    })
    .get(
      '/label/:name/values',
      (context) => reply(context, () => listLabelValues(deps.lister, context, context.params.name)),
      {
        detail: reference.labelValues,
      },
    )
    .get(
      '/metadata',
      (context) => reply(context, () => listMetadata(deps.metadata(context.organizationId), context.parameters)),
      {
        detail: reference.metadata,
      },
    )
    .get('/rules', (context) => reply(context, () => listRules(context.parameters)), { detail: reference.rules })
    .get('/status/buildinfo', (context) => reply(context, () => [JSON.stringify(buildInfo)]), {
      detail: reference.buildInfo,
    })

/**
 * Takes a token as the password of HTTP Basic too, whatever the user name, for programs that know nothing else. Nobody is
 * asked for it (`WWW-Authenticate` stays `Bearer`), so no browser keeps one to send it by itself.
 */
function alsoBasic(tokens: TokenReader): TokenReader {
  return { identify: (authorization) => tokens.identify(bearerOf(authorization) ?? authorization) }
}

function bearerOf(authorization: string | null): string | undefined {
  const encoded = /^Basic +([\w+/]+=*)$/i.exec(authorization ?? '')?.[1]
  const [, token] = /^[^:]*:(.+)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? []
  return token === undefined ? undefined : `Bearer ${token}`
}

/**
 * Which Prometheus these routes answer like; test/embedded/api holds them against one. Grafana decides by `version` what it
 * may ask for (from 2.24: `match[]` for labels), and takes what says nothing of `features` for a Prometheus without an
 * API to change rules.
 */
const buildInfo = {
  application: 'nines',
  version: '3.5.0',
  revision: version,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
}

/** What a target says of a metric. */
type Metadata = { metric: string; type: string; help: string; unit: string }

/** `/metadata`: what is said of each metric; of at most `limit` metrics, where that is not negative. */
export function listMetadata(all: readonly Metadata[], parameters: Parameters): Iterable<string> {
  const limitText = textOf(parameters, 'limit') ?? '-1'
  if (!/^[+-]?\d+$/.test(limitText)) throw badData('limit must be a number')
  const limit = Number(limitText)
  const onlyMetric = textOf(parameters, 'metric')
  const byMetric = new Map<string, Map<string, Omit<Metadata, 'metric'>>>()
  for (const { metric, type, help, unit } of all) {
    if (onlyMetric !== undefined && metric !== onlyMetric) continue
    if (limit >= 0 && !byMetric.has(metric) && byMetric.size >= limit) continue
    const ofMetric = byMetric.get(metric) ?? new Map<string, Omit<Metadata, 'metric'>>()
    byMetric.set(metric, ofMetric.set(JSON.stringify([type, help, unit]), { type, help, unit }))
  }
  return [JSON.stringify(Object.fromEntries([...byMetric].map(([metric, each]) => [metric, [...each.values()]])))]
}

/** `/rules`: there are none; without an answer Grafana says that it cannot load them. */
function listRules(parameters: Parameters): Iterable<string> {
  const type = textOf(parameters, 'type')?.toLowerCase() ?? ''
  if (!['', 'alert', 'record'].includes(type)) throw badParameter('type', `not supported value "${type}"`)
  return [JSON.stringify({ groups: [] })]
}
