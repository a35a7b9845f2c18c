import { useEffect } from 'preact/hooks'
import { now } from '../clock.ts'
import { live } from './live.ts'
import type { Resource } from './resource.ts'

const leastMs = 5000

/**
 * Reads again what a change of an SLO may have changed, each at most every five seconds: at once where the last reading is
 * older than that.
 */
export function useLiveReads(
  sloId: number,
  resources: readonly Pick<Resource<unknown>, 'readSoon' | 'readAtMs'>[],
): void {
  useEffect(
    () =>
      live((update) => {
        if (update !== null && update.slo_id !== sloId) return
        for (const { readSoon, readAtMs } of resources) readSoon(Math.max(0, readAtMs.peek() + leastMs - now()))
      }),
    [sloId, ...resources],
  )
}
