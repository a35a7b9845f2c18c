/** Time that requests which began in a turn of the event loop may take before the next one waits. */
const turnMs = 3

/** There is one event loop: when the first request of its present turn began, and by group who waits to begin. */
let firstMs: number | undefined
const waiting = new Map<unknown, (() => void)[]>()

/** True if a request may begin in this turn of the event loop: those before it have taken little, and none waits. */
export function mayStart(): boolean {
  if (waiting.size > 0) return false
  const nowMs = performance.now()
  if (firstMs !== undefined) return nowMs - firstMs < turnMs
  firstMs = nowMs
  setImmediate(() => (firstMs = undefined))
  return true
}

/**
 * Resolves in a turn of the event loop in which nobody else is let begin. A turn is of one group, such as an organization, and
 * the groups take them one after the other: what is asked many times at once does not add up to one long turn.
 */
export async function nextStart(group: unknown): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (waiting.size === 0) setImmediate(startOne)
  const ofGroup = waiting.get(group)
  if (ofGroup) ofGroup.push(resolve)
  else waiting.set(group, [resolve])
  return promise
}

function startOne(): void {
  const [next] = waiting
  if (!next) return
  const [group, [start, ...others]] = next
  waiting.delete(group)
  if (others.length > 0) waiting.set(group, others) // behind the other groups
  if (waiting.size > 0) setImmediate(startOne)
  start?.()
}
