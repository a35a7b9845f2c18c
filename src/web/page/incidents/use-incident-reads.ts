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
 * when its messages have been sent, and at most every 30 seconds after an evaluation, which has new burn rates.
 */
export function useIncidentReads(readings: readonly Reading[]): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const readSent = () => {
      timer = undefined
      for (const { readSoon } of readings) readSoon(0)
    }
    const stop = onMessage(({ kind }) => {
      const isChange = kind === 'alert' || kind === 'incident'
      const minBetween = kind === 'slo' ? roundMs : isChange ? minMs : 0
      for (const { readSoon, readAtMs } of readings) {
        readSoon(Math.max(settleMs, readAtMs.peek() + minBetween - now()))
      }
      if (isChange) timer ??= setTimeout(readSent, sentMs)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, readings)
}
