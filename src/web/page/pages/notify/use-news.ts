import { useEffect } from 'preact/hooks'
import { onMessage } from '../../api/live.ts'
import type { Resource } from '../../api/resource.ts'

const deliveredWithinMs = 3000
const minBetweenMs = 30_000

/**
 * Reads again soon after an alert began or ended, because its notifications are delivered then, and 30 seconds after an
 * evaluation.
 */
export function useAlertRefresh(...resources: readonly Pick<Resource<unknown>, 'readSoon'>[]): void {
  useEffect(
    () =>
      onMessage(({ kind }) => {
        for (const { readSoon } of resources) readSoon(kind === 'slo' ? minBetweenMs : deliveredWithinMs)
      }),
    resources,
  )
}
