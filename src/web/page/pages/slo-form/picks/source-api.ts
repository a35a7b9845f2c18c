import type { Resource } from '../../../api/resource.ts'
import { useRead } from '../../../api/use-read.ts'
import { now } from '../../../clock.ts'
import { type Filter, writeSelector } from './promql.ts'

/** Response of a source's API, in the format of Prometheus. */
type Listed<T> = { data: T }

const lookBackSeconds = 7 * 86_400
const roundSeconds = 600 // keeps the path, and so its resource, the same for ten minutes
const maxNames = 20_000
const maxValues = 2000

/** Series to select. `metric` without `filters` selects all its series; empty, the series of any metric. */
export type Selected = { metric: string; filters: readonly Filter[] }

function pathOf(sourceId: number, rest: string, limit: number, match?: string): string {
  const start = Math.floor(now() / 1000 / roundSeconds) * roundSeconds - lookBackSeconds
  const values = new URLSearchParams({ start: String(start), limit: String(limit) })
  if (match !== undefined) values.set('match[]', match)
  return `/tsdb/sources/${sourceId}/prometheus/api/v1/${rest}?${values}`
}

function selectorOf({ metric, filters }: Selected): string | undefined {
  return metric === '' && filters.length === 0 ? undefined : writeSelector({ metric, filters: [...filters] })
}

/** Path of the metric names that a source had in the last week; `pattern`: a regular expression for the whole name. */
export function metricNamesPath(sourceId: number, pattern?: string): string {
  const match = pattern === undefined ? undefined : `{__name__=~${JSON.stringify(pattern)}}`
  return pathOf(sourceId, 'label/__name__/values', maxNames, match)
}

/** Path of the label names of the selected series. */
export function labelNamesPath(sourceId: number, selected: Selected): string {
  return pathOf(sourceId, 'labels', maxValues, selectorOf(selected))
}

/** Path of the values of a label of the selected series. */
export function labelValuesPath(sourceId: number, label: string, selected: Selected): string {
  return pathOf(sourceId, `label/${encodeURIComponent(labelInPath(label))}/values`, maxValues, selectorOf(selected))
}

/** Label name for a path; names beyond letters, digits and `_` are escaped as Prometheus expects. */
function labelInPath(label: string): string {
  if (/^[a-zA-Z_]\w*$/.test(label)) return label
  const escaped = [...label].map((sign) => {
    if (sign === '_') return '__'
    return /[a-zA-Z0-9]/.test(sign) ? sign : `_${sign.codePointAt(0)?.toString(16).toUpperCase()}_`
  })
  return `U__${escaped.join('')}`
}

/** List of names or values of a source; `isRead` false: it is not read. */
export function useList(path: string, isRead = true): Resource<Listed<string[]>> {
  return useRead<Listed<string[]>>(path, { when: isRead })
}

type Metadata = { type: string; help: string; unit: string }

/** Metadata of a metric; undefined until it is known, or if there is none. */
export function useMetadata(sourceId: number, metric: string): Metadata | undefined {
  const path = `/tsdb/sources/${sourceId}/prometheus/api/v1/metadata?metric=${encodeURIComponent(metric)}`
  const { value } = useRead<Listed<Record<string, Metadata[]>>>(path, { when: metric !== '' })
  return metric === '' ? undefined : value.value?.data[metric]?.[0]
}
