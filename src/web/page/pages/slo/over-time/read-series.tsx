import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { ofSlo } from '../../../api/live-reads.ts'
import type { Series } from '../../../api/types.ts'
import { useRead } from '../../../api/use-read.ts'
import { Failed, Skeleton } from '../../../ui/read.tsx'

type Props = {
  sloId: number
  /** Parameters of the range. */
  query: string
  /** True for a range that ends now: it is read again with each update. */
  isLive: boolean
  heightPx: number
  children: (series: Series) => ComponentChildren
}

/** Chart of a series. While another range is read, the previous chart stays, dimmed, and keeps the focus. */
export function ReadSeries({ sloId, query, isLive, heightPx, children }: Props) {
  const series = useRead<Series>(`/slos/${sloId}/series?${query}`, { live: isLive && ofSlo(sloId) })
  const read = series.value.value
  const last = useRef(read)
  last.current = read ?? last.current
  const error = series.error.value
  if (!read && error) return <Failed error={error} onRetry={series.read} />
  if (!last.current) return <Skeleton heightPx={heightPx} />
  return <div class={read ? '' : 'is-read-again'}>{children(last.current)}</div>
}
