import type { Preview } from '../../api/types.ts'
import { formatDuration, formatSli } from '../../format.ts'
import type { PreviewState } from '../../slo/use-preview.ts'
import { budgetWords, measuredWords } from './words.ts'

/** SLI and budget of the preview in one line, shown if the preview is below the form. */
export function MainFigure({ reading: { preview, isReading } }: { reading: PreviewState }) {
  const shown = preview.value
  const sli = shown?.own.sli ?? null
  const used = shown?.error_budget.window_percent_used ?? null
  return (
    <p class={`main-figure${isReading.value ? ' is-read-again' : ''}`}>
      {shown && sli !== null && (
        <>
          {measuredWords(<strong>{formatSli(sli, shown.target_value)} %</strong>, ageText(shown))}
          {used !== null && <> {budgetWords(used)}</>}
        </>
      )}
    </p>
  )
}

/** Time since the first sample; null if the samples reach back to the start of the window. */
function ageText({ own, first_sample_at }: Preview): string | null {
  const [firstMs = 0, startMs = 0, endMs = 0] = [first_sample_at ?? '', own.start_time, own.end_time].map(Date.parse)
  return firstMs > startMs ? formatDuration((endMs - firstMs) / 1000) : null
}
