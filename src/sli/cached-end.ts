import { endOfWindow } from './end-time.ts'

/** Where a window ends, and how long what was measured up to there holds; null: for ever. */
export type CachedEnd = { endSeconds: number; holdsMs: number | null }

type Asked = { extendTime: string | undefined; windowSeconds: number; expressions: string[] }

const minStepSeconds = 15
const maxStepSeconds = 60
const stepsInWindow = 1000
const settledSeconds = 300 // samples may come late, and a series without new ones goes on for five minutes

/**
 * A time that is asked for is taken as it is; now is rounded down to a step, so that those who ask within it share an
 * answer: a thousandth of the window, 15 s to 60 s. What lies more than five minutes back holds for ever, unless a query
 * may look past its end. Throws `invalid` for what `endOfWindow` refuses.
 */
export function cachedEnd({ extendTime, windowSeconds, expressions }: Asked, nowMs: number): CachedEnd {
  const stepSeconds = stepOf(windowSeconds)
  const endSeconds = endOfWindow(extendTime, nowMs)
  const holdsMs = stepSeconds * 1000
  if (extendTime === undefined) return { endSeconds: Math.floor(endSeconds / stepSeconds) * stepSeconds, holdsMs }
  const isSettled = endSeconds < nowMs / 1000 - settledSeconds && !expressions.some(mayLookAhead)
  return { endSeconds, holdsMs: isSettled ? null : holdsMs }
}

function stepOf(windowSeconds: number): number {
  return Math.min(maxStepSeconds, Math.max(minStepSeconds, Math.floor(windowSeconds / stepsInWindow)))
}

/**
 * `offset -5m`, with whatever may stand between the two; a moment of its own after `@`; MetricsQL's `now()`. In strings and
 * comments too, where it does no harm.
 */
function mayLookAhead(expression: string): boolean {
  return /@|\boffset\b(?!\s*\d)|\bnow\b/i.test(expression)
}
