/** Relapse of which a channel is notified as flapping. It is notified of none of the later ones. */
export const flappingRelapse = 3

/** True for an incident whose end is notified only when it is closed. */
export function isFlapping({ relapses }: { relapses: number }): boolean {
  return relapses >= flappingRelapse
}
