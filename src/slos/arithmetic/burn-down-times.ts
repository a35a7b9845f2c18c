const maxPoints = 200
const steps = [60, 600, 3600, 6 * 3600, 86_400]

/** Times of the points of a burn-down, Unix seconds: whole steps of UTC, and the end. */
export function burnDownTimes(startSeconds: number, endSeconds: number): number[] {
  const step = steps.find((seconds) => (endSeconds - startSeconds) / seconds <= maxPoints) ?? 86_400
  const times: number[] = []
  for (let at = (Math.floor(startSeconds / step) + 1) * step; at < endSeconds; at += step) times.push(at)
  return [...times, endSeconds]
}

/**
 * Additional times of a burn-down for a window that has data only since `firstSeconds`: finer steps from there on. Empty if the
 * steps of `burnDownTimes` are fine enough.
 */
export function finerTimesSince(startSeconds: number, endSeconds: number, firstSeconds: number): number[] {
  if (firstSeconds <= startSeconds) return []
  const known = new Set(burnDownTimes(startSeconds, endSeconds))
  const finerTimes = burnDownTimes(firstSeconds, endSeconds).filter((at) => !known.has(at))
  return finerTimes.length === 0 ? [] : [Math.floor(firstSeconds / 60) * 60, ...finerTimes]
}
