import type { GroupCommit } from '../../db/group-commit.ts'
import { AppError } from '../../errors.ts'
import { recordSettled } from './outcome-store.ts'
import type { Settled } from './settled.ts'

/**
 * Writes outcomes, those that come at about the same time in one transaction: each of them costs a wait for the disk. What
 * a full disk or a locked database refuses is held, in its order, until `retry` has written it: what has been sent is not
 * to be sent again.
 */
export type OutcomeWriter = {
  /** Resolves when it is on the disk; rejects once that is given up. */
  write(settled: Settled): Promise<void>
  /** Somebody waits: begins at once. */
  flush(): void
  /** Whether there are outcomes that were refused. */
  isHolding(): boolean
  /** Writes what was refused; throws what refuses it again. */
  retry(): Promise<void>
  /** Writes what was refused for the last time; from then on what is refused is given up. */
  giveUp(): Promise<void>
}

type Waiting = { settled: Settled; done: PromiseWithResolvers<void> }

/** SQLite answers at once, and nothing happens meanwhile: without a pause, every outcome would be alone in its transaction. */
const gatherMs = 5

export function createOutcomeWriter(groupCommit: GroupCommit): OutcomeWriter {
  let waiting: Waiting[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> | undefined
  /** What refused those that wait; nothing is tried before `retry`. */
  let refusal: AppError | undefined
  let isGivenUp = false

  async function writeAll(): Promise<void> {
    while (waiting.length > 0 && !refusal) {
      const batch = waiting
      waiting = []
      try {
        await groupCommit((trx) =>
          recordSettled(
            trx,
            batch.map(({ settled }) => settled),
          ),
        )
        for (const { done } of batch) done.resolve()
      } catch (error) {
        if (error instanceof AppError && error.kind === 'unavailable' && !isGivenUp) {
          refusal = error
          waiting = [...batch, ...waiting]
        } else for (const { done } of batch) done.reject(error)
      }
    }
    writing = undefined // in the same step as the last look: what comes next begins again
  }

  async function begin(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (refusal || waiting.length === 0) return
    writing ??= writeAll()
    await writing
  }

  async function retry(): Promise<void> {
    if (!refusal) return
    refusal = undefined
    await begin()
    if (refusal) throw refusal
  }

  return {
    write(settled) {
      const done = Promise.withResolvers<void>()
      waiting.push({ settled, done })
      timer ??= setTimeout(() => void begin(), gatherMs)
      return done.promise
    },
    flush: () => void begin(),
    isHolding: () => refusal !== undefined,
    retry,
    async giveUp() {
      isGivenUp = true
      await retry()
    },
  }
}
