import type { PrometheusClient } from '@prometheus-io/codemirror-promql'
import { labelMatchersToString } from '@prometheus-io/codemirror-promql/dist/esm/parser'
import { metricMetadata, metricNames, readSource, stopReading } from './source-data.ts'

/** Limit of labels, or of values of a label, for completion. */
const maxTexts = '1000'

/** Completion data of a source, from the Prometheus API that nines offers for each source; empty if `sourceId` is null. */
export function sourceClient(sourceId: number | null): PrometheusClient {
  const reader = {}
  const list = async (path: string, selector: string) => {
    if (sourceId === null) return []
    const match = selector === '' ? {} : { 'match[]': selector }
    return (await readSource<string[]>(sourceId, path, { ...match, limit: maxTexts }, reader)) ?? []
  }
  return {
    labelNames: (metric = '') => list('labels', metric),
    labelValues: (label, metric = '', matchers) =>
      list(
        `label/${encodeURIComponent(label)}/values`,
        metric === '' ? '' : labelMatchersToString(metric, matchers, label),
      ),
    metricNames: async () => (sourceId === null ? [] : metricNames(sourceId, reader)),
    metricMetadata: async () => (sourceId === null ? {} : metricMetadata(sourceId, reader)),
    series: () => Promise.resolve([]),
    flags: () => Promise.resolve({}),
    destroy: () => stopReading(reader),
  }
}
