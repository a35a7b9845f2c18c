import { ofSlo } from '../../../api/live-reads.ts'
import type { Budget, Series, Slo } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { Heatmap } from '../../../charts/heatmap.tsx'
import { Failed, Skeleton } from '../../../ui/read.tsx'
import { exploreFailed } from './explore-link.ts'

type Props = { slo: Slo; budget: Budget | undefined; heightPx: number }

/** Events of each hour of the last 30 days. `heightPx`: of the placeholder until they are read. */
export function Hours({ slo, budget, heightPx }: Props) {
  const series = useRead<Series>(`/slos/${slo.id}/series?period=30d&step=1h`, { live: ofSlo(slo.id) })
  const value = series.value.value
  if (!value) {
    const error = series.error.value
    return error ? <Failed error={error} onRetry={series.read} /> : <Skeleton heightPx={heightPx} />
  }
  return (
    <Heatmap
      slo={slo}
      series={value}
      budget={budget}
      explore={slo.composite ? undefined : exploreFailed(slo, { from: 'now-30d', to: 'now', step: '1h' })}
    />
  )
}
