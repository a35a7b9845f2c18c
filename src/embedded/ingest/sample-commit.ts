import type { SampleStore } from '../store/sample-store.ts'

/**
 * Writes appended samples to the disk, together for all that wait. Resolves once everything that was appended before the call is on
 * disk; rejects if it could not be written.
 */
export function createSampleCommit(store: Pick<SampleStore, 'flushCooperatively'>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function commit(): Promise<void> {
    await running.catch(() => {}) // the callers of that flush get its error
    next = undefined
    const flushed = store.flushCooperatively()
    running = flushed
    await flushed
  }

  return () => (next ??= commit())
}
