import type { ComponentChildren } from 'preact'
import { ControlGroup } from '../control-group.tsx'
import { Picker } from './picker.tsx'
import { metricNamesPath, useMetadata } from './source-api.ts'
import { helpWords } from './words.ts'

/** Use of a metric. Metrics with a suitable name are listed first, or alone. */
export type MetricUse = 'counter' | 'histogram' | 'time'

const othersGroup = 'Other metrics'
const listingOf: Record<MetricUse, { pattern?: string; group: string; isSuitable: (name: string) => boolean }> = {
  counter: { group: 'Counters', isSuitable: (name) => /_(?:total|count)$/.test(name) },
  histogram: { pattern: '.+_bucket', group: 'Histograms', isSuitable: () => true },
  time: { group: 'Times', isSuitable: (name) => /timestamp|last_success|_time(?:_seconds)?$/.test(name) },
}

type Props = {
  label: string
  sourceId: number
  metric: string
  use: MetricUse
  onPick: (metric: string) => void
  problem?: ComponentChildren
}

/** Choice of a metric of the source, with its help text below. A histogram is named without `_bucket`. */
export function MetricPicker({ label, sourceId, metric, use, onPick, problem }: Props) {
  const { pattern, group, isSuitable } = listingOf[use]
  const metadata = useMetadata(sourceId, metric)
  return (
    <ControlGroup label={label} problem={problem}>
      {(invalid) => (
        <>
          <Picker
            label={label}
            value={metric}
            placeholder="Choose a metric"
            path={metricNamesPath(sourceId, pattern)}
            toValue={(name) => (use === 'histogram' ? name.replace(/_bucket$/, '') : name)}
            groupOf={(name) => (isSuitable(name) ? group : othersGroup)}
            compare={(a, b) => Number(isSuitable(b)) - Number(isSuitable(a))}
            isFree
            invalid={invalid}
            onPick={onPick}
          />
          {metadata && metadata.help !== '' && <p class="hint">{helpWords(metadata)}</p>}
        </>
      )}
    </ControlGroup>
  )
}
