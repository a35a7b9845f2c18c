import type { ComponentChildren } from 'preact'
import { ControlGroup } from '../control-group.tsx'
import { Picker } from './picker.tsx'
import { metricNamesPath, useMetadata } from './source-api.ts'
import { helpWords } from './words.ts'

/** Use of a metric; suitable metrics are listed first, or are the only ones. */
export type Wanted = 'counter' | 'histogram' | 'time'

const others = 'Other metrics'
const wantedOf: Record<Wanted, { pattern?: string; group: string; isSo: (name: string) => boolean }> = {
  counter: { group: 'Counters', isSo: (name) => /_(?:total|count)$/.test(name) },
  histogram: { pattern: '.+_bucket', group: 'Histograms', isSo: () => true },
  time: { group: 'Times', isSo: (name) => /timestamp|last_success|_time(?:_seconds)?$/.test(name) },
}

type Props = {
  label: string
  sourceId: number
  metric: string
  wanted: Wanted
  onPick: (metric: string) => void
  problem?: ComponentChildren
}

/** Choice of a metric of the source, with its help text below. A histogram is named without `_bucket`. */
export function MetricPicker({ label, sourceId, metric, wanted, onPick, problem }: Props) {
  const { pattern, group, isSo } = wantedOf[wanted]
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
            toValue={(name) => (wanted === 'histogram' ? name.replace(/_bucket$/, '') : name)}
            groupOf={(name) => (isSo(name) ? group : others)}
            compare={(a, b) => Number(isSo(b)) - Number(isSo(a))}
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
