import { setImmediate as yieldToEventLoop } from 'node:timers/promises'

/**
 * Gathers items and writes them later, one batch after the other, so that nobody who adds one waits for the disk. A kill loses
 * what waits.
 */
type BatchWriter<T> = {
  /** Number of items that wait, without the batch under way. */
  readonly size: number
  /** True after a batch was refused: until it is tried again, by `flush` or after 5 seconds, nothing is written. */
  readonly isHolding: boolean
  /** Queues an item; one that waits already keeps its place. False, without effect, once the writer is drained. */
  add(item: T): boolean
  /** Starts writing within a time that is shorter than `delayMs`; 0: at once. */
  start(withinMs: number): void
  /** Resolves when all items added so far are written; throws if a batch is refused. Concurrent calls share their writes. */
  flush(): Promise<void>
  /** Refuses further items, and resolves when all others were written, or one batch was refused, which `onError` gets. */
  drain(): Promise<void>
}

type Options<T> = {
  /** Writes a batch in the order of its items. A batch for which it throws is kept, in front of what waits. */
  write: (batch: T[]) => Promise<unknown>
  /** Maximum time from `add` to the start of writing. */
  delayMs: number
  /** Share of a batch that an item takes: a batch is one item, or several that take at most 1. Absent: no limit. */
  shareOf?: (item: T) => number
  /** False for an item that need not be written any more: it is not kept. */
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
