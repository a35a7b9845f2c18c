/** `[startSeconds, endSeconds)`, both in Unix seconds. */
export type TimeSpan = { startSeconds: number; endSeconds: number }

/** Union of spans, oldest first; those that overlap or touch are joined, and empty ones left out. */
export function unionOf(spans: readonly TimeSpan[]): TimeSpan[] {
  const union: TimeSpan[] = []
  for (const { startSeconds, endSeconds } of spans.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    if (startSeconds >= endSeconds) continue
    const last = union.at(-1)
    if (last && startSeconds <= last.endSeconds) last.endSeconds = Math.max(last.endSeconds, endSeconds)
    else union.push({ startSeconds, endSeconds })
  }
  return union
}

/** Parts of spans inside a window, in their order. */
export function clipTo(spans: readonly TimeSpan[], window: TimeSpan): TimeSpan[] {
  return spans.flatMap((span) => {
    const startSeconds = Math.max(span.startSeconds, window.startSeconds)
    const endSeconds = Math.min(span.endSeconds, window.endSeconds)
    return startSeconds < endSeconds ? [{ startSeconds, endSeconds }] : []
  })
}

/** Parts of a window that a union of spans leaves. */
export function gapsIn(union: readonly TimeSpan[], { startSeconds, endSeconds }: TimeSpan): TimeSpan[] {
  const gaps: TimeSpan[] = []
  let at = startSeconds
  for (const span of clipTo(union, { startSeconds, endSeconds })) {
    if (span.startSeconds > at) gaps.push({ startSeconds: at, endSeconds: span.startSeconds })
    at = span.endSeconds
  }
  if (at < endSeconds) gaps.push({ startSeconds: at, endSeconds })
  return gaps
}

/** Length of a union of spans. */
export function secondsOf(union: readonly TimeSpan[]): number {
  return union.reduce((sum, { startSeconds, endSeconds }) => sum + endSeconds - startSeconds, 0)
}
