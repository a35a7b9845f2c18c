import { useState } from 'preact/hooks'
import type { Series, Slo } from '../../../api/types.ts'
import type { Zoom } from '../../../charts/plot-types.ts'
import { formatSli } from '../../../format.ts'
import { SliOverTime, worstOf } from '../../../slo/sli-over-time.tsx'
import { Button } from '../../../ui/button.tsx'
import { nowMs } from '../../../ui/time.tsx'
import { worstSentence } from './words.ts'

type Props = { slo: Slo; series: Series; explore: string | undefined; onZoom: Zoom }

/** Chart of the SLI in steps with its target, and a strip of the coverage. */
export function SliChart({ slo, series, explore, onZoom }: Props) {
  const [isWhole, setWhole] = useState(false)
  return (
    <SliOverTime
      title="SLI"
      name={`sli-${slo.id}`}
      explore={explore}
      sentence={sentenceOf(series, slo.target)}
      points={series.points}
      endSeconds={endOf(series)}
      target={slo.target}
      isWhole={isWhole}
      heightPx={200}
      onZoom={onZoom}
      tools={
        <Button small kind="quiet" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Around the target' : '0 to 100'}
        </Button>
      }
    >
      <Coverage series={series} />
    </SliOverTime>
  )
}

function sentenceOf({ points }: Series, target: number): string {
  const worst = worstOf(points)
  if (!worst) return 'Nothing was measured in this range.'
  const measured = points.filter(({ sli }) => sli !== null).length
  const sli = formatSli(worst.sli ?? 0, target)
  return worstSentence({ sli, atMs: Date.parse(worst.timestamp), measured, steps: points.length }, nowMs.peek())
}

/** End of the last step in seconds; now, if that step is still running. */
function endOf({ points, step_seconds }: Series): number {
  return Math.min(Date.parse(points.at(-1)?.timestamp ?? '') / 1000 + step_seconds, nowMs.peek() / 1000)
}

/** Strip that shows at which times there was data. */
function Coverage({ series: { points } }: { series: Series }) {
  const path = points.map(({ coverage }, at) => (coverage > 0 ? `M${at} 0h1v6h-1z` : '')).join('')
  return (
    <svg
      class="coverage"
      viewBox={`0 0 ${Math.max(1, points.length)} 6`}
      preserveAspectRatio="none"
      role="img"
      aria-label="When there was data"
    >
      <path d={path} />
    </svg>
  )
}
