import type { Preview, SloDraft } from '../../../api/types.ts'
import { formatBudget, formatCount, formatMoment, formatSli, formatTarget, formatWindow } from '../../../format.ts'
import { Failed, Skeleton } from '../../../ui/states.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { words } from '../../../words.ts'
import type { PreviewReading } from './use-preview.ts'

type Props = {
  /** What `usePreview` gives of the draft. */
  reading: PreviewReading
  /** The target and the window that the form has now; null while the draft is not complete. */
  draft: Pick<SloDraft, 'target' | 'time_window'> | null
  /** Puts a target or a window that was tried into the form. */
  onUse: (change: Partial<Pick<SloDraft, 'target' | 'time_window'>>) => void
  /** The target that the past suggests for the draft, with its reason; null, and why, where there is too little past. */
  onSuggestion?: (suggestion: SuggestedTarget | null) => void
}

/** `target` null: the past suggests none; `reason` says why in a sentence, either way. */
export type SuggestedTarget = { target: number | null; reason: string }

/**
 * The live half of the form: what the SLO would be if it were there. The last picture stays, dimmed, while the next is
 * awaited. Problems of fields are for the form to show; what belongs to no field is shown here.
 */
export function PreviewPane({ reading, draft }: Props) {
  const { preview, isReading, error, retry } = reading
  const shown = preview.value
  return (
    <section class="card preview" aria-label="Preview" aria-busy={isReading.value}>
      <h2>Preview{shown && `: the last ${formatWindow(shown.own.time_window)}`}</h2>
      {error.value && <Failed error={error.value} onRetry={retry} />}
      {shown ? (
        <div class={isReading.value || draft === null ? 'dimmed' : undefined}>
          <Figures preview={shown} />
        </div>
      ) : isReading.value ? (
        <Skeleton heightPx={120} />
      ) : (
        !error.value && <p class="muted">What the SLO would have measured appears here once its query is complete.</p>
      )}
    </section>
  )
}

function Figures({ preview }: { preview: Preview }) {
  const { own, target_value: target, error_budget: budget, alerts } = preview
  const { sli, query_metrics: counts } = own
  if (sli === null) {
    return (
      <p>
        <strong>{words.reasons[own.status_reason ?? ''] ?? words.states.unknown}.</strong> {own.status_message}
      </p>
    )
  }
  return (
    <>
      <p>
        {formatSli(sli, target)} %{counts && ` of ${formatCount(counts.total_events)}`}, target {formatTarget(target)}
      </p>
      <p>budget left {budget.percentage_used === null ? '–' : formatBudget(100 - budget.percentage_used)}</p>
      <h3>Would have notified you</h3>
      <ul>
        {alerts.map(({ severity, factor, started_at }) => (
          <li key={`${started_at} ${factor}`}>
            {severity} {formatTarget(factor)}× {formatMoment(Date.parse(started_at), nowMs.value)}
          </li>
        ))}
      </ul>
      <ul>
        {preview.warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </>
  )
}
