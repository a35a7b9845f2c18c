import { useEffect } from 'preact/hooks'
import { now } from '../../clock.ts'
import { onMessage } from '../../api/live.ts'
import type { Resource } from '../../api/resource.ts'

const settleMs = 300
const minMs = 5000
const roundMs = 30_000

type Reading = Pick<Resource<unknown>, 'readSoon' | 'readAtMs'>

/**
 * Reads alerts again at most every five seconds after an alert began, ended or was acknowledged, and at most every 30 after an
 * evaluation, which has new burn rates.
 */
export function useAlertReads(readings: readonly Reading[]): void {
  useEffect(
    () =>
      onMessage((heard) => {
        const minBetween = heard.kind === 'slo' ? roundMs : heard.kind === 'alert' ? minMs : 0
        for (const { readSoon, readAtMs } of readings) {
          readSoon(Math.max(settleMs, readAtMs.peek() + minBetween - now()))
        }
      }),
    readings,
  )
}
