import { now } from '../clock.ts'
import { signal } from '@preact/signals'
import { formatAgo, formatFull, formatMoment } from '../format.ts'

/** Current time for ages; updated every second while the page is visible. */
export const nowMs = signal(now())

setInterval(() => {
  if (!document.hidden) nowMs.value = now()
}, 1000)

/** A moment, as an age (`ago`) or a date; the tooltip has the full time. */
export function Time({ ms, ago = false }: { ms: number; ago?: boolean }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatFull(ms)}>
      {ago ? formatAgo(ms, nowMs.value) : formatMoment(ms, nowMs.value)}
    </time>
  )
}
