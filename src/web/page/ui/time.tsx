import { now } from '../clock.ts'
import { computed, type ReadonlySignal, signal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { formatAgo, formatFull, formatMoment, formatSecond } from '../format.ts'

const hiddenEveryMs = 60_000

/** Current time for ages; updated every second, in a background tab once a minute, for the age in its title. */
export const nowMs = signal(now())

setInterval(() => {
  if (!document.hidden || now() - nowMs.peek() >= hiddenEveryMs) nowMs.value = now()
}, 1000)

/** Current time, rounded down to the minute, so that what depends on it does not change every second. */
export const currentMinuteMs = computed(() => Math.floor(nowMs.value / 60_000) * 60_000)

/** Value that depends on the current time and on `inputs`. What reads it is drawn again when it changes, not every second. */
export function useNow<T>(valueAt: (atMs: number) => T, inputs: readonly unknown[]): ReadonlySignal<T> {
  return useMemo(() => computed(() => valueAt(nowMs.value)), inputs)
}

/** A moment, as an age (`ago`), to the second where it is of today (`exact`), or as a date; the tooltip has the full time. */
export function Time({ ms, ago = false, exact = false }: { ms: number; ago?: boolean; exact?: boolean }) {
  const format = ago ? formatAgo : exact ? formatSecond : formatMoment
  const text = useNow((atMs) => format(ms, atMs), [ms, format])
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatFull(ms)}>
      {text}
    </time>
  )
}
