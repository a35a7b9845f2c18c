import type { Source } from '../../api/types.ts'
import { formatDuration, formatWindow } from '../../format.ts'
import { now } from '../../clock.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextField } from '../../ui/form/field.tsx'
import type { ExploreAddress } from '../../address/explore.ts'
import { momentText, ranges, readMoment, type SpanProblem } from '../../address/time-text.ts'
import { backToLabel, sourceLabel } from './words.ts'

type Props = {
  address: ExploreAddress
  sources: readonly Source[]
  /** Source that is queried. */
  sourceId: number | null
  problem: SpanProblem | null
  /** Range before the last zoom. */
  earlier: Pick<ExploreAddress, 'from' | 'to'> | null
  onChange: (change: Partial<ExploreAddress>) => void
  /** Changes the address and runs the queries. */
  onRun: (change: Partial<ExploreAddress>) => void
}

/** Fields for source, time range and step, and the choice of graph or table. */
export function Controls({ address, sources, sourceId, problem, earlier, onChange, onRun }: Props) {
  const problemOf = (field: SpanProblem['field']) => (problem?.field === field ? problem.message : undefined)
  return (
    <div class="explore-controls">
      <Field label="Source">
        {(ids) => (
          <select
            {...ids}
            class="input"
            value={sourceId ?? ''}
            onChange={(event) => onRun({ source: Number(event.currentTarget.value) })}
          >
            {sourceId === null && <option value="">None</option>}
            {sources.map(({ id, name, is_active: isActive }) => (
              <option key={id} value={id} disabled={!isActive}>
                {sourceLabel(name, isActive)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <TextField
        label="From"
        value={momentText(address.from)}
        onValue={(from) => onChange({ from })}
        problem={problemOf('from')}
        autocomplete="off"
      />
      <TextField
        label="To"
        value={momentText(address.to)}
        onValue={(to) => onChange({ to })}
        problem={problemOf('to')}
        autocomplete="off"
      />
      <TextField
        label="Step"
        value={address.step}
        placeholder="auto"
        onValue={(step) => onChange({ step })}
        problem={problemOf('step')}
        autocomplete="off"
      />
      <div class="explore-choices">
        <div class="ranges" role="group" aria-label="Range">
          {ranges.map((range) => (
            <button
              key={range}
              type="button"
              aria-pressed={address.from === `now-${range}` && address.to === 'now'}
              onClick={() => onRun({ from: `now-${range}`, to: 'now' })}
            >
              {formatWindow(range)}
            </button>
          ))}
        </div>
        {earlier && (
          <Button
            small
            icon="undo-2"
            title={`${momentText(earlier.from)} – ${momentText(earlier.to)}`}
            onClick={() => onRun(earlier)}
          >
            {backToLabel(rangeText(earlier))}
          </Button>
        )}
        <div class="ranges" role="group" aria-label="Shown as">
          {(['graph', 'table'] as const).map((view) => (
            <button key={view} type="button" aria-pressed={address.view === view} onClick={() => onRun({ view })}>
              {view === 'graph' ? 'Graph' : 'Table'}
            </button>
          ))}
        </div>
      </div>
    </div>
  )
}

/** A range in a few words: `24 h`, or its length. */
function rangeText({ from, to }: Pick<ExploreAddress, 'from' | 'to'>): string {
  const ago = /^now-(\w+)$/.exec(from)?.[1]
  if (ago !== undefined && to === 'now') return formatWindow(ago)
  return formatDuration(((readMoment(to, now()) ?? 0) - (readMoment(from, now()) ?? 0)) / 1000)
}
