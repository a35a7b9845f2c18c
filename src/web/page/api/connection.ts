import { signal } from '@preact/signals'
import { now } from '../clock.ts'

const firstRetryMs = 1000
const maxRetryMs = 30_000

/** Since when requests get no answer; `null` while they do. */
export const silentSinceMs = signal<number | null>(null)
/** Until when no figures are read, because the server counts too many requests (429); `null` where it does not. */
export const heldUntilMs = signal<number | null>(null)

/** Notes whether a request got an answer. */
export function heard(isAnswered: boolean): void {
  silentSinceMs.value = isAnswered ? null : (silentSinceMs.peek() ?? now())
}

/**
 * Calls `attempt` until it gives true, after 1 to 30 seconds each, and at once when the machine is on a network again or
 * `wake` is called.
 */
export async function persist(attempt: () => Promise<boolean>): Promise<void> {
  for (let waitMs = firstRetryMs; !(await attempt()); waitMs = Math.min(maxRetryMs, waitMs * 2)) {
    await nextTry(waitMs * (0.5 + Math.random() / 2))
  }
}

/** Makes everything that waits for its next try do it now. */
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

/** Resolves after `ms`; rejects as a request does that `signal` aborts. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('Aborted', 'AbortError'))
    })
  })
}
