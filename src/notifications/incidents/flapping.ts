/**
 * A relapse: an open incident that had recovered fails again. At the relapse with this number channels are notified that the incident is
 * flapping; of later ones they are not notified.
 */
export const flappingRelapse = 3

/** True for an incident whose recovery is notified only once it is closed. */
export function isFlapping({ relapses }: { relapses: number }): boolean {
  return relapses >= flappingRelapse
}
