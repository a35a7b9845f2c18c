import { useEffect } from 'preact/hooks'
import { now } from '../clock.ts'
import { onMessage } from '../api/live.ts'
import type { Resource } from '../api/resource.ts'

const settleMs = 300
const minMs = 5000
const roundMs = 30_000

type Reading = Pick<Resource<unknown>, 'readSoon' | 'readAtMs'>

/**
 * Reads incidents and alerts again at most every five seconds after one of them began, ended, changed or was acknowledged, and at
 * most every 30 after an evaluation, which has new burn rates.
 */
export function useIncidentReads(readings: readonly Reading[]): void {
  useEffect(
    () =>
      onMessage(({ kind }) => {
        const minBetween = kind === 'slo' ? roundMs : kind === 'alert' || kind === 'incident' ? minMs : 0
        for (const { readSoon, readAtMs } of readings) {
          readSoon(Math.max(settleMs, readAtMs.peek() + minBetween - now()))
        }
      }),
    readings,
  )
}
