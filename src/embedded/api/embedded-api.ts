import { version } from '../../../package.json' with { type: 'json' }
import type { Lister } from '../lister.ts'
import { badData, badParameter } from './bad-data.ts'
import { listLabels, listLabelValues, listSeries } from './listings.ts'
import { type Parameters, type ApiRequest, textOf } from './parameters.ts'
import { queryInstant, queryRange, type QueryDeps } from './queries.ts'

/** Endpoints of Prometheus' HTTP API. Each gives its `data` as pieces of JSON, followed by warnings and infos, if any. */
export type PrometheusApi = {
  query: ApiHandler
  queryRange: ApiHandler
  series: ApiHandler
  labels: ApiHandler
  /** `escapedName`: label name as in the path; null if it cannot be decoded. */
  labelValues(request: ApiRequest, escapedName: string | null): Pieces
  metadata: ApiHandler
}
type Pieces = Iterable<string> | Promise<Iterable<string>>
type ApiHandler = (request: ApiRequest) => Pieces

type Deps = QueryDeps & { lister: Lister; metadata: (organizationId: number) => readonly Metadata[] }

/** Answers from the samples of the caller's organization. */
export function embeddedApi(deps: Deps): PrometheusApi {
  const { lister, metadata } = deps
  return {
    query: (request) => queryInstant(deps, request),
    queryRange: (request) => queryRange(deps, request),
    series: (request) => listSeries(lister, request),
    labels: (request) => listLabels(lister, request),
    labelValues: (request, escapedName) => listLabelValues(lister, request, escapedName),
    metadata: ({ organizationId, parameters }) => listMetadata(metadata(organizationId), parameters),
  }
}

/**
 * Version of Prometheus that these routes imitate; test/embedded/api compares them with a real one. Grafana decides by
 * `version` which requests to send (from 2.24: `match[]` for labels). Without `features`, Grafana assumes a Prometheus without
 * an API to change rules.
 */
export const buildInfo = {
  application: 'nines',
  version: '3.5.0',
  revision: version,
  branch: '',
  buildUser: '',
  buildDate: '',
  goVersion: '',
}

/** Metadata of a metric as a target exposes it. */
type Metadata = { metric: string; type: string; help: string; unit: string }

/** `/metadata`: metadata by metric, of at most `limit` metrics unless that is negative. */
export function listMetadata(all: readonly Metadata[], parameters: Parameters): Iterable<string> {
  const limit = metricLimitOf(parameters)
  const onlyMetric = textOf(parameters, 'metric')
  const byMetric = new Map<string, Map<string, Omit<Metadata, 'metric'>>>()
  for (const { metric, type, help, unit } of all) {
    if (onlyMetric !== undefined && metric !== onlyMetric) continue
    if (limit >= 0 && !byMetric.has(metric) && byMetric.size >= limit) continue
    const metricEntries = byMetric.get(metric) ?? new Map<string, Omit<Metadata, 'metric'>>()
    byMetric.set(metric, metricEntries.set(JSON.stringify([type, help, unit]), { type, help, unit }))
  }
  return [JSON.stringify(Object.fromEntries([...byMetric].map(([metric, each]) => [metric, [...each.values()]])))]
}

/** Reads `limit` of `/metadata`: maximum number of metrics; a negative one, and none, mean all. */
export function metricLimitOf(parameters: Parameters): number {
  const text = textOf(parameters, 'limit') ?? '-1'
  if (!/^[+-]?\d+$/.test(text)) throw badData('limit must be a number')
  return Number(text)
}

/** `/rules`: always empty. Without an answer, Grafana reports that it cannot load rules. */
export function listRules(parameters: Parameters): Iterable<string> {
  const type = textOf(parameters, 'type')?.toLowerCase() ?? ''
  if (!['', 'alert', 'record'].includes(type)) throw badParameter('type', `not supported value "${type}"`)
  return [JSON.stringify({ groups: [] })]
}
