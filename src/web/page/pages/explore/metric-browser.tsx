import { useEffect, useRef, useState } from 'preact/hooks'
import { metricMetadata, metricNames, stopReading } from '../../editor/source-data.ts'
import { Combobox } from '../../ui/combobox.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { words } from '../../words.ts'
import { findMetrics, type Metric } from './metrics.ts'

/** Button that opens a list of a source's metrics with their types and help texts; the chosen name is inserted. */
export function MetricBrowser({ sourceId, onChoose }: { sourceId: number; onChoose: (name: string) => void }) {
  const [wasOpened, setWasOpened] = useState(false)
  return (
    <Popover
      class="explore-metrics"
      label="Metrics"
      trigger={(attributes) => (
        <button type="button" class="button quiet small" {...attributes} onClick={() => setWasOpened(true)}>
          <Icon name="search" />
          <span>Metrics</span>
        </button>
      )}
    >
      {wasOpened && <Metrics sourceId={sourceId} onChoose={onChoose} />}
    </Popover>
  )
}

function Metrics({ sourceId, onChoose }: { sourceId: number; onChoose: (name: string) => void }) {
  const [metrics, setMetrics] = useState<readonly Metric[] | null>(null)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const reader = {}
    let isGone = false
    const read = async () => {
      const [names, metadata] = await Promise.all([metricNames(sourceId, reader), metricMetadata(sourceId, reader)])
      if (!isGone) setMetrics(names.map((name) => ({ name, ...(metadata[name]?.[0] ?? familyOf(metadata, name)) })))
    }
    void read()
    return () => {
      isGone = true
      stopReading(reader)
    }
  }, [sourceId])
  useEffect(() => element.current?.querySelector('input')?.focus(), [metrics !== null])
  if (metrics === null) return <p class="muted">{words.loading}…</p>
  const find = (text: string) => {
    const { found, more } = findMetrics(metrics, text)
    const options = found.map(({ name, type, help }) => ({
      key: name,
      group: 'Metrics of the last day',
      label: name,
      detail: [type, help].filter(Boolean).join(' · '),
      onChoose: () => {
        element.current?.closest<HTMLElement>('[popover]')?.hidePopover()
        onChoose(name)
      },
    }))
    return { options, more }
  }
  return (
    <div ref={element}>
      <Combobox
        label="Metric"
        placeholder="Name or description"
        find={find}
        nothing={metrics.length === 0 ? 'The source names no metric' : 'No metric matches'}
      />
    </div>
  )
}

/** Metadata of the histogram, summary or counter that a series belongs to. */
function familyOf(metadata: Record<string, { type: string; help: string }[]>, name: string) {
  return metadata[name.replace(/_(?:bucket|count|sum|total)$/, '')]?.[0] ?? { type: '', help: '' }
}
