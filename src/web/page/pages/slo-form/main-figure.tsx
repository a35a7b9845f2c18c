import type { Preview } from '../../api/types.ts'
import { formatShare, formatDuration, formatSli } from '../../format.ts'
import { overWords } from '../../slo/budget-words.ts'
import type { PreviewState } from '../../slo/use-preview.ts'

/** SLI and budget of the preview in one line, shown if the preview is below the form. */
export function MainFigure({ reading: { preview, isReading } }: { reading: PreviewState }) {
  const shown = preview.value
  const sli = shown?.own.sli ?? null
  const used = shown?.error_budget.window_percent_used ?? null
  return (
    <p class={`main-figure${isReading.value ? ' is-read-again' : ''}`}>
      {shown && sli !== null && (
        <>
          <strong>{formatSli(sli, shown.target_value)} %</strong>
          {sinceWords(shown)}
          {used !== null && (used > 100 ? ` budget ${overWords(used)}` : ` budget left ${formatShare(100 - used)}`)}
        </>
      )}
    </p>
  )
}

/** ` in 12 min`: time since the first sample, where it is shorter than the window. */
function sinceWords({ own, first_sample_at }: Preview): string {
  const [firstMs = 0, startMs = 0, endMs = 0] = [first_sample_at ?? '', own.start_time, own.end_time].map(Date.parse)
  return firstMs > startMs ? ` in ${formatDuration((endMs - firstMs) / 1000)}` : ''
}
