import { version } from '../../../package.json' with { type: 'json' }
import type { Lister } from '../lister.ts'
import { badData, badParameter } from './bad-data.ts'
import { listLabels, listLabelValues, listSeries } from './listings.ts'
import { type Parameters, type Question, textOf } from './parameters.ts'
import { queryInstant, queryRange, type QueryDeps } from './queries.ts'

/** What each path of Prometheus' HTTP API answers: its `data` in pieces of JSON, and behind it the remarks there are. */
export type PrometheusApi = {
  query: Answering
  queryRange: Answering
  series: Answering
  labels: Answering
  /** Of a name as the path has it; null where it cannot be decoded. */
  labelValues(question: Question, escapedName: string | null): Pieces
  metadata: Answering
}
type Pieces = Iterable<string> | Promise<Iterable<string>>
type Answering = (question: Question) => Pieces

type Deps = QueryDeps & { lister: Lister; metadata: (organizationId: number) => readonly Metadata[] }

/** Answers from the samples of the organization that asks. */
export function embeddedApi(deps: Deps): PrometheusApi {
  const { lister, metadata } = deps
  return {
    query: (question) => queryInstant(deps, question),
    queryRange: (question) => queryRange(deps, question),
    series: (question) => listSeries(lister, question),
    labels: (question) => listLabels(lister, question),
    labelValues: (question, escapedName) => listLabelValues(lister, question, escapedName),
    metadata: ({ organizationId, parameters }) => listMetadata(metadata(organizationId), parameters),
  }
}

/**
 * Which Prometheus these routes answer like; test/embedded/api holds them against one. Grafana decides by `version` what it
 * may ask for (from 2.24: `match[]` for labels), and takes what says nothing of `features` for a Prometheus without an
 * API to change rules.
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

/** What a target says of a metric. */
type Metadata = { metric: string; type: string; help: string; unit: string }

/** `/metadata`: what is said of each metric; of at most `limit` metrics, where that is not negative. */
export function listMetadata(all: readonly Metadata[], parameters: Parameters): Iterable<string> {
  const limit = metricLimitOf(parameters)
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

/** Of how many metrics `/metadata` is to tell; of all where it is negative, as it is where it is absent. */
export function metricLimitOf(parameters: Parameters): number {
  const text = textOf(parameters, 'limit') ?? '-1'
  if (!/^[+-]?\d+$/.test(text)) throw badData('limit must be a number')
  return Number(text)
}

/** `/rules`: there are none; without an answer Grafana says that it cannot load them. */
export function listRules(parameters: Parameters): Iterable<string> {
  const type = textOf(parameters, 'type')?.toLowerCase() ?? ''
  if (!['', 'alert', 'record'].includes(type)) throw badParameter('type', `not supported value "${type}"`)
  return [JSON.stringify({ groups: [] })]
}
