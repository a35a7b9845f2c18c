/** Number of the relapse at which channels are notified that the incident is flapping; of later relapses they are not notified. */
export const flappingRelapse = 3

/** True for an incident whose end is notified only when it is closed. */
export function isFlapping({ relapses }: { relapses: number }): boolean {
  return relapses >= flappingRelapse
}
