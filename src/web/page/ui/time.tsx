import { now } from '../clock.ts'
import { signal } from '@preact/signals'
import { formatAgo, formatFull, formatMoment } from '../format.ts'

/** The present, for what shows an age; moves once a second while the page can be seen. */
export const nowMs = signal(now())

setInterval(() => {
  if (!document.hidden) nowMs.value = now()
}, 1000)

/** A moment, relative (`ago`) or as a date; the tooltip has it in full. */
export function Time({ ms, ago = false }: { ms: number; ago?: boolean }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatFull(ms)}>
      {ago ? formatAgo(ms, nowMs.value) : formatMoment(ms, nowMs.value)}
    </time>
  )
}
