import { signal } from '@preact/signals'
import { now } from '../clock.ts'

const firstRetryMs = 1000
const maxRetryMs = 30_000

/** Time since which requests get no answer, in milliseconds; null while they get answers. */
export const unreachableSinceMs = signal<number | null>(null)
/** Time until which no data is read because the server answered 429, in milliseconds; null otherwise. */
export const rateLimitedUntilMs = signal<number | null>(null)

/** Records that a request was answered or got no answer. */
export function recordResponse(isAnswered: boolean): void {
  unreachableSinceMs.value = isAnswered ? null : (unreachableSinceMs.peek() ?? now())
}

/**
 * Calls `attempt` until it gives true, with up to 1 second in between at first, then up to 30. It tries at once when the machine gets a
 * network or `wake` is called.
 */
export async function retryUntil(attempt: () => Promise<boolean>): Promise<void> {
  for (let waitMs = firstRetryMs; !(await attempt()); waitMs = Math.min(maxRetryMs, waitMs * 2)) {
    await nextTry(waitMs * (0.5 + Math.random() / 2))
  }
}

/** Makes everything that waits in `retryUntil` try again now. */
export function wake(): void {
  dispatchEvent(new Event('nines.wake'))
}
addEventListener('online', wake)

function nextTry(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      clearTimeout(timer)
      removeEventListener('nines.wake', go)
      resolve()
    }
    const timer = setTimeout(go, ms)
    addEventListener('nines.wake', go)
  })
}

/** Resolves after `ms` milliseconds; rejects with an `AbortError` if `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const stop = () => {
      clearTimeout(timer)
      reject(new DOMException('Aborted', 'AbortError'))
    }
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop)
  })
}
