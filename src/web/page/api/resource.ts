import { now } from '../clock.ts'
import { batch, type Signal, signal } from '@preact/signals'
import { ApiError, readTagged } from './client.ts'

/**
 * Data of one API path. `value` stays while it is read again. If the last read failed, `error` has the reason, and `value` is
 * from `readAtMs`.
 */
export type Resource<T> = {
  value: Signal<T | undefined>
  error: Signal<ApiError | undefined>
  readAtMs: Signal<number>
  isReading: Signal<boolean>
  /** Reads now; a call during a read gets that read. */
  read: () => Promise<void>
  /** Reads after `afterMs` at the latest; calls until then share one request. */
  readSoon: (afterMs?: number) => void
}

const kept = new Map<string, { resource: Resource<unknown>; uses: number; stop: () => void }>()
const maxKept = 60

/**
 * Resource of an API path, shared by all who use it. It is kept for a while after its last use, so that Back shows data at
 * once.
 */
export function resource<T>(path: string): Resource<T> {
  const known = kept.get(path)
  if (known) {
    kept.delete(path)
    kept.set(path, known) // moved to the end: the least recently used is dropped first
    return known.resource as Resource<T>
  }
  const { stop, ...made } = create<T>(path)
  kept.set(path, { resource: made as Resource<unknown>, uses: 0, stop })
  for (const [oldest, { uses, stop }] of kept) {
    if (kept.size <= maxKept) break
    if (uses > 0) continue
    stop()
    kept.delete(oldest)
  }
  return made
}

/** Marks a resource as used by a view until the returned function is called. */
export function use(path: string): () => void {
  const entry = kept.get(path)
  if (entry) entry.uses++
  return () => {
    if (entry && --entry.uses === 0) entry.stop()
  }
}

/** Reads again, soon, all used resources whose path begins with `prefix`; drops the unused ones. */
export function invalidate(prefix: string): void {
  for (const [path, { resource, uses }] of kept) {
    if (!path.startsWith(prefix)) continue
    if (uses > 0) resource.readSoon(0)
    else kept.delete(path)
  }
}

/** Drops all resources, because another user or nobody is signed in now. */
export function forgetAll(): void {
  for (const { stop } of kept.values()) stop()
  kept.clear()
}

function create<T>(path: string): Resource<T> & { stop: () => void } {
  const value = signal<T | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  const readAtMs = signal(0)
  const isReading = signal(false)
  let etag: string | null = null
  let under: { promise: Promise<void>; abort: AbortController } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueMs = Infinity

  const readOnce = async (abort: AbortController) => {
    isReading.value = true
    try {
      const answer = await readTagged<T>(path, value.peek() === undefined ? null : etag, abort.signal)
      batch(() => {
        if (answer) {
          etag = answer.etag
          value.value = answer.value
        }
        error.value = undefined
        readAtMs.value = now()
      })
    } catch (problem) {
      if (abort.signal.aborted) return
      error.value = problem instanceof ApiError ? problem : new ApiError(0, String(problem))
    } finally {
      if (under?.abort === abort) {
        under = undefined
        isReading.value = false
      }
    }
  }

  const forgetTimer = () => {
    clearTimeout(timer)
    dueMs = Infinity
  }
  const read = () => {
    forgetTimer()
    if (!under) {
      const abort = new AbortController()
      under = { abort, promise: Promise.resolve() }
      under.promise = readOnce(abort)
    }
    return under.promise
  }

  return {
    value,
    error,
    readAtMs,
    isReading,
    read,
    readSoon(afterMs = 200) {
      const atMs = now() + afterMs
      if (atMs >= dueMs) return
      clearTimeout(timer)
      dueMs = atMs
      timer = setTimeout(read, afterMs)
    },
    stop() {
      forgetTimer()
      under?.abort.abort()
      under = undefined
      isReading.value = false
    },
  }
}
