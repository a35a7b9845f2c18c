import { useEffect, useState } from 'preact/hooks'
import type { BrokenDownLabel, IncidentBreakdown } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { formatShare, plural } from '../../../format.ts'
import { Failed, Skeleton } from '../../../ui/read.tsx'
import { formatValue } from './budget-incidents.ts'
import { formatAmount, moreValuesWords, sentenceOfLabel } from './words.ts'

/** Label and value of the events that failed more than others in an incident. */
export type Cause = { label: string; value: string }
type Unit = IncidentBreakdown['unit']

const maxListed = 6

/** Label values that failed more than their share of the traffic. `endedAt` moves while the incident is ongoing. */
export function Breakdown(props: {
  sloId: number
  incidentKey: string
  endedAt: string
  onCause: (cause: Cause) => void
}) {
  const breakdown = useRead<IncidentBreakdown>(`/slos/${props.sloId}/incidents/${props.incidentKey}/breakdown`)
  const value = breakdown.value.value
  useEffect(() => {
    if (value && value.ended_at !== props.endedAt) breakdown.readSoon()
  }, [props.endedAt])
  useEffect(() => {
    const [first] = value?.labels ?? []
    if (first?.explains && first.values[0]) props.onCause({ label: first.label, value: first.values[0].value })
  }, [value])
  return (
    <section class="breakdown">
      <h3>What failed</h3>
      {breakdown.error.value && <Failed error={breakdown.error.value} onRetry={breakdown.read} />}
      {value ? <Labels {...value} /> : !breakdown.error.value && <Skeleton heightPx={24} lines={4} />}
    </section>
  )
}

function Labels({ possible, reason, labels, unit }: IncidentBreakdown) {
  const [first, ...others] = labels
  if (!possible || !first) return <p class="muted">{reason}</p>
  return (
    <>
      <Shares one={first} unit={unit} />
      {others.length > 0 && (
        <details>
          <summary>{plural(others.length, 'One more label', '# more labels')}</summary>
          {others.map((one) => (
            <Shares key={one.label} one={one} unit={unit} />
          ))}
        </details>
      )}
    </>
  )
}

function Shares({ one, unit }: { one: BrokenDownLabel; unit: Unit }) {
  const [isWhole, setWhole] = useState(false)
  const shown = isWhole ? one.values : one.values.slice(0, maxListed)
  return (
    <div class="shares">
      <p>{sentenceOfLabel(one)}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{one.label}</th>
            <th scope="col">Failures</th>
            <th scope="col">Traffic</th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ value, bad_events, total_events, failures_percent, traffic_percent }) => (
            <tr key={value}>
              <th scope="row">{formatValue(value)}</th>
              <ShareCell kind="failures" percent={failures_percent} amount={bad_events} unit={unit} />
              <ShareCell kind="traffic" percent={traffic_percent} amount={total_events} unit={unit} />
            </tr>
          ))}
        </tbody>
      </table>
      {one.values.length > shown.length && (
        <button type="button" class="more" onClick={() => setWhole(true)}>
          {moreValuesWords(one.values.length - shown.length)}
        </button>
      )}
    </div>
  )
}

type ShareProps = { kind: 'failures' | 'traffic'; percent: number | null; amount: number | null; unit: Unit }

function ShareCell({ kind, percent, amount, unit }: ShareProps) {
  if (percent === null || amount === null) return <td class="muted">not known</td>
  return (
    <td>
      {formatShare(percent)}
      <svg class={`thin ${kind}`} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect class="whole" width="100" height="4" />
        <rect width={Math.max(percent > 0 ? 1 : 0, percent)} height="4" />
      </svg>
      <span class="muted">{formatAmount(amount, unit)}</span>
    </td>
  )
}
