import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/**
 * Collects items and writes them later, one batch at a time, so that `add` does not wait for the disk. Items that are still waiting
 * are lost if the process is killed.
 */
type BatchWriter<T> = {
  /** Number of waiting items, without the batch that is being written. */
  readonly size: number
  /** True after a write failed, until the batch is retried by `flush` or after 5 seconds; nothing is written in between. */
  readonly isHolding: boolean
  /** Queues an item; an item that is waiting already keeps its position. False, without effect, after `drain`. */
  add(item: T): boolean
  /** Starts writing after at most `withinMs`, which is shorter than `delayMs`; 0: immediately. */
  start(withinMs: number): void
  /** Resolves when all items added so far are written; throws if a write fails. Concurrent calls share their writes. */
  flush(): Promise<void>
  /** Refuses further items. Resolves when all waiting items are written, or after a failed write, which is passed to `onError`. */
  drain(): Promise<void>
}

type Options<T> = {
  /** Writes a batch in the order of its items. If it throws, the batch is kept, before the waiting items. */
  write: (batch: T[]) => Promise<unknown>
  /** Maximum time from `add` to the start of writing. */
  delayMs: number
  /**
   * Share of a batch that an item takes. The items of a batch take at most 1 together, or the batch has one item. Absent: no limit.
   */
  shareOf?: (item: T) => number
  /** False for an item of a failed batch that need not be written any more and is dropped. */
  isNeeded?: (item: T) => boolean
  /** Called with the error of a write that no `flush` waits for. */
  onError?: (error: unknown) => void
}

const retryMs = 5000

export function createBatchWriter<T>(options: Options<T>): BatchWriter<T> {
  const { write, delayMs, shareOf = () => 0, isNeeded = () => true, onError = () => {} } = options
  let waiting = new Set<T>()
  let timer: { ms: number; id: ReturnType<typeof setTimeout> } | undefined
  let current: Promise<void> | undefined
  /** Starts when `current` has ended, and writes what was added during it. */
  let next: Promise<void> | undefined
  let isHolding = false
  let isClosed = false

  function flush(): Promise<void> {
    if (!current) return (current = writeWaiting().finally(() => (current = undefined)))
    const begin = () => {
      next = undefined
      return flush()
    }
    return (next ??= current.then(begin, begin))
  }

  const flushInBackground = () => void flush().catch(onError)

  async function writeWaiting(): Promise<void> {
    clearTimeout(timer?.id)
    timer = undefined
    isHolding = false
    for (let remaining = waiting.size; remaining > 0;) {
      const batch = takeBatch()
      remaining -= batch.length
      try {
        await write(batch)
      } catch (error) {
        waiting = new Set([...batch, ...waiting].filter(isNeeded))
        isHolding = true
        if (!isClosed) startTimer(retryMs)
        throw error
      }
      if (remaining > 0) await yieldToEventLoop()
    }
  }

  function takeBatch(): T[] {
    const batch: T[] = []
    let share = 0
    for (const item of waiting) {
      share += shareOf(item)
      if (batch.length > 0 && share > 1) break
      batch.push(item)
      waiting.delete(item)
    }
    return batch
  }

  function startTimer(ms: number): void {
    clearTimeout(timer?.id)
    timer = { ms, id: setTimeout(flushInBackground, ms) }
  }

  function start(withinMs: number): void {
    if (isHolding || waiting.size === 0) return
    if (withinMs > 0 && (!timer || withinMs < timer.ms)) startTimer(withinMs)
    if (withinMs === 0 && !next) flushInBackground()
  }

  return {
    get size() {
      return waiting.size
    },
    get isHolding() {
      return isHolding
    },
    add(item) {
      if (isClosed) return false
      waiting.add(item)
      start(delayMs)
      return true
    },
    start,
    flush,
    async drain() {
      isClosed = true
      await flush().catch(onError)
    },
  }
}
