import { now } from '../clock.ts'
import { batch, type Signal, signal } from '@preact/signals'
import { type ApiError, asApiError, readTagged } from './client.ts'

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
  /**
   * Reads after `afterMs` at the latest; calls until then share one request. A hidden document reads once it is shown, unless
   * `isReadWhileHidden`.
   */
  readSoon: (afterMs?: number, isReadWhileHidden?: boolean) => void
}

/** A resource that is kept: how many views hold it, and how many of these read it. */
type Entry = {
  resource: Resource<unknown>
  holders: number
  readers: number
  /** Sends a new request in place of one under way. A promise of `read` that still waits resolves with the new answer. */
  restart: () => void
  stop: () => void
  /** Stops, and removes the value. */
  clear: () => void
}

const kept = new Map<string, Entry>()
const entries = new WeakMap<Resource<unknown>, Entry>()
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
  const { restart, stop, clear, ...made } = create<T>(path)
  const entry: Entry = { resource: made as Resource<unknown>, holders: 0, readers: 0, restart, stop, clear }
  kept.set(path, entry)
  entries.set(entry.resource, entry)
  for (const [oldest, { holders, stop }] of kept) {
    if (kept.size <= maxKept) break
    if (holders > 0) continue
    stop()
    kept.delete(oldest)
  }
  return made
}

/**
 * Keeps a resource for a view until the returned function is called. `isRead` false: the view does not read it
 * yet, so that `invalidate` sends no request for it.
 */
export function use<T>(resource: Resource<T>, isRead = true): () => void {
  const entry = entries.get(resource as Resource<unknown>)
  if (!entry) return () => {}
  const readers = isRead ? 1 : 0
  entry.holders++
  entry.readers += readers
  return () => {
    entry.holders--
    entry.readers -= readers
    if (entry.readers === 0) entry.stop()
  }
}

/**
 * Reads all resources whose path begins with `prefix` by requests that are sent after this call; removes the values of those
 * that no view reads.
 */
export function invalidate(prefix: string): void {
  for (const [path, { readers, restart, clear }] of kept) {
    if (!path.startsWith(prefix)) continue
    if (readers > 0) restart()
    else clear()
  }
}

/** Drops all resources and their values, because another user or nobody is signed in now. */
export function forgetAll(): void {
  for (const { clear } of kept.values()) clear()
  kept.clear()
}

function create<T>(path: string): Resource<T> & Pick<Entry, 'restart' | 'stop' | 'clear'> {
  const value = signal<T | undefined>(undefined)
  const error = signal<ApiError | undefined>(undefined)
  const readAtMs = signal(0)
  const isReading = signal(false)
  let etag: string | null = null
  let running: { promise: Promise<void>; abort: AbortController } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueMs = Infinity

  const readOnce = async (abort: AbortController): Promise<void> => {
    isReading.value = true
    try {
      const answer = await readTagged<T>(path, value.peek() === undefined ? null : etag, abort.signal)
      if (abort.signal.aborted) return running?.promise
      batch(() => {
        if (answer) {
          etag = answer.etag
          value.value = answer.value
        }
        error.value = undefined
        readAtMs.value = now()
      })
    } catch (problem) {
      if (abort.signal.aborted) return running?.promise
      error.value = asApiError(problem)
    } finally {
      if (running?.abort === abort) {
        running = undefined
        isReading.value = false
      }
    }
  }

  const clearTimer = () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', read)
    dueMs = Infinity
  }
  const read = () => {
    clearTimer()
    if (!running) {
      const abort = new AbortController()
      running = { abort, promise: Promise.resolve() }
      running.promise = readOnce(abort)
    }
    return running.promise
  }
  const stop = () => {
    clearTimer()
    running?.abort.abort()
    running = undefined
    isReading.value = false
  }

  return {
    value,
    error,
    readAtMs,
    isReading,
    read,
    readSoon(afterMs = 200, isReadWhileHidden = false) {
      const atMs = now() + afterMs
      if (atMs >= dueMs) return
      clearTimeout(timer)
      dueMs = atMs
      timer = setTimeout(() => {
        if (document.hidden && !isReadWhileHidden) document.addEventListener('visibilitychange', read)
        else void read()
      }, afterMs)
    },
    restart() {
      stop()
      void read()
    },
    stop,
    clear() {
      stop()
      batch(() => {
        value.value = undefined
        error.value = undefined
        readAtMs.value = 0
      })
    },
  }
}
