const maxPoints = 200
const steps = [60, 600, 3600, 6 * 3600, 86_400]

/** Times of the points of a burn-down, Unix seconds: whole steps of UTC, and the end. */
export function burnDownTimes(startSeconds: number, endSeconds: number): number[] {
  const step = steps.find((seconds) => (endSeconds - startSeconds) / seconds <= maxPoints) ?? 86_400
  const times: number[] = []
  for (let at = (Math.floor(startSeconds / step) + 1) * step; at < endSeconds; at += step) times.push(at)
  return [...times, endSeconds]
}
