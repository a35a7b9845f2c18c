/**
 * Past of an SLO in the ledger, its stored sums of minutes, hours and days. `firstSeconds`: start of the first bucket with data; null:
 * there is none. `completeFromSeconds`: time from which the ledger has all that the source has. `isFilling`: a backfill may still add
 * data before that time.
 */
export type Reach = { firstSeconds: number | null; completeFromSeconds: number; isFilling: boolean }

/**
 * Share of a window, 0..1, that is not before the first sample; null: not known yet. 1 if there may have been samples that no
 * backfill will bring.
 */
export function existingShare(
  { firstSeconds, completeFromSeconds, isFilling }: Reach,
  startSeconds: number,
  endSeconds: number,
): number | null {
  if (firstSeconds !== null && firstSeconds <= startSeconds) return 1
  if (completeFromSeconds > startSeconds) return isFilling ? null : 1
  return firstSeconds === null ? null : Math.max(0, endSeconds - firstSeconds) / (endSeconds - startSeconds)
}

/** Share of a window, 0..1, that is not before the first sample, where the past is known whole; null: there is no sample. */
export function shareSince(firstSeconds: number | null, endSeconds: number, windowSeconds: number): number | null {
  const reach = { firstSeconds, completeFromSeconds: -Infinity, isFilling: false }
  return existingShare(reach, endSeconds - windowSeconds, endSeconds)
}
