import type { Together } from '../../db/together.ts'
import { recordSettled } from './outcome-store.ts'
import type { Settled } from './settled.ts'

/** Writes outcomes, those that come at about the same time in one transaction: each of them costs a wait for the disk. */
export type OutcomeWriter = {
  /** Resolves when it is on the disk. */
  write(settled: Settled): Promise<void>
  /** Somebody waits: begins at once. */
  flush(): void
}

type Waiting = { settled: Settled; done: PromiseWithResolvers<void> }

/** SQLite answers at once, and nothing happens meanwhile: without a pause, every outcome would be alone in its transaction. */
const gatherMs = 5

export function createOutcomeWriter(together: Together): OutcomeWriter {
  let waiting: Waiting[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWriting = false

  async function writeAll(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await together((trx) =>
          recordSettled(
            trx,
            batch.map(({ settled }) => settled),
          ),
        )
        for (const { done } of batch) done.resolve()
      } catch (error) {
        for (const { done } of batch) done.reject(error)
      }
    }
    isWriting = false
  }

  return {
    write(settled) {
      const done = Promise.withResolvers<void>()
      waiting.push({ settled, done })
      timer ??= setTimeout(() => void writeAll(), gatherMs)
      return done.promise
    },
    flush: () => void writeAll(),
  }
}
