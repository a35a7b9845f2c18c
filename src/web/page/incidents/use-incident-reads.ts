import { useEffect } from 'preact/hooks'
import { now } from '../clock.ts'
import { onMessage } from '../api/live.ts'
import type { Resource } from '../api/resource.ts'

const settleMs = 300
const minMs = 5000
const roundMs = 30_000
const sentMs = 6000 // by then most messages about a change have arrived

type Reading = Pick<Resource<unknown>, 'readSoon' | 'readAtMs'>

/**
 * Reads incidents and alerts again at most every five seconds after one of them began, ended, changed or was acknowledged, once more
 * when its messages have been sent, and after an evaluation, which has new costs and burn rates: of SLOs that `isFailing` as often,
 * of others at most every 30 seconds.
 */
export function useIncidentReads(readings: readonly Reading[], isFailing?: (sloId: number) => boolean): void {
  useEffect(() => followIncidents(readings, isFailing), readings)
}

/** Reads as `useIncidentReads` does, until the returned function is called. */
export function followIncidents(readings: readonly Reading[], isFailing?: (sloId: number) => boolean): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const readSent = () => {
    timer = undefined
    for (const { readSoon } of readings) readSoon(0)
  }
  const stop = onMessage((heard) => {
    const isChange = heard.kind === 'alert' || heard.kind === 'incident'
    const isOther = heard.kind === 'slo' && !isFailing?.(heard.update.slo_id)
    const minBetween = isOther ? roundMs : heard.kind === 'slo' || isChange ? minMs : 0
    for (const { readSoon, readAtMs } of readings) {
      readSoon(Math.max(settleMs, readAtMs.peek() + minBetween - now()))
    }
    if (isChange) timer ??= setTimeout(readSent, sentMs)
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}
