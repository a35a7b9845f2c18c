import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'
import { matcher } from '../../promql/matchers.ts'
import type { Series } from '../promql/reader.ts'
import type { SampleStore } from '../store/sample-store.ts'
import { maxRecent, type Run } from './item.ts'
import { targetLabels } from './series/target-labels.ts'
import type { Probe } from './target.ts'

const readLimits = { series: 100, patternSteps: 0, samples: 1000, chunks: 100 }

type Deps = { store: Pick<SampleStore, 'selectSmall'>; clock: Clock }

/**
 * Reads the last runs of a probe from its stored series, at most 20, oldest first. Why they failed is not stored. Empty if the samples
 * are damaged or too many.
 */
export function readStoredRuns(deps: Deps, probe: Probe): Run[] {
  try {
    return readRuns(deps, probe)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return []
  }
}

function readRuns({ store, clock }: Deps, probe: Probe): Run[] {
  const toMs = clock.now()
  const labels = targetLabels(probe, probe.target)
  const read = (name: string): Series | undefined => {
    const all = [['__name__', name] as const, ...labels]
    const matchers = all.map(([label, value]) => matcher(label, '=', value))
    const found = store.selectSmall(
      probe.organizationId,
      matchers,
      toMs - 2 * maxRecent * probe.intervalMs,
      toMs,
      readLimits,
    )
    return found?.find((series) => Object.keys(series.labels).length === all.length)
  }
  const success = read('probe_success')
  const duration = success && read('probe_duration_seconds')
  if (!duration) return []
  const secondsByTime = new Map([...duration.timesMs].map((atMs, at) => [atMs, duration.values[at]]))
  const runs = [...success.timesMs].flatMap((atMs, at): Run[] => {
    const [value, seconds = NaN] = [success.values[at], secondsByTime.get(atMs)]
    if ((value !== 0 && value !== 1) || Number.isNaN(seconds)) return [] // a stale marker, or no duration
    return [{ atMs, durationMs: seconds * 1000, ok: value === 1, error: null }]
  })
  return runs.slice(-maxRecent)
}
