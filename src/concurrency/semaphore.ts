/**
 * Lets a bounded number of tasks run at once; the others start in the order in which they came. `run` rejects with
 * `signal.reason` when the signal is aborted while the task still waits. An `urgent` task neither waits nor counts.
 */
export type Semaphore = {
  run<T>(task: () => Promise<T>, options?: { signal?: AbortSignal; urgent?: boolean }): Promise<T>
}

export function createSemaphore(limit: number): Semaphore {
  let running = 0
  const waiting = new Set<() => void>()

  async function enter(signal: AbortSignal | undefined) {
    signal?.throwIfAborted()
    if (running < limit) {
      running += 1
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const start = () => {
      signal?.removeEventListener('abort', giveUp)
      resolve()
    }
    const giveUp = () => {
      waiting.delete(start)
      reject(signal?.reason)
    }
    waiting.add(start)
    signal?.addEventListener('abort', giveUp, { once: true })
    await promise
  }

  // The slot goes straight to whoever waits longest, so that a newcomer cannot slip in between.
  function leave() {
    const [longest] = waiting
    if (!longest) {
      running -= 1
      return
    }
    waiting.delete(longest)
    longest()
  }

  return {
    async run(task, { signal, urgent = false } = {}) {
      if (urgent) return task()
      await enter(signal)
      try {
        return await task()
      } finally {
        leave()
      }
    },
  }
}
