import { useEffect } from 'preact/hooks'
import { now } from '../clock.ts'
import { onSloUpdate } from './live.ts'
import type { Resource } from './resource.ts'

const minMs = 5000

/**
 * Reads the resources again when an update of the SLO arrives, each at most every five seconds: at once if its last read is
 * older than that.
 */
export function useLiveReads(
  sloId: number,
  resources: readonly Pick<Resource<unknown>, 'readSoon' | 'readAtMs'>[],
): void {
  useEffect(
    () =>
      onSloUpdate((update) => {
        if (update !== null && update.slo_id !== sloId) return
        for (const { readSoon, readAtMs } of resources) readSoon(Math.max(0, readAtMs.peek() + minMs - now()))
      }),
    [sloId, ...resources],
  )
}
