import { AppError, type ErrorKind } from '../errors.ts'

/** Messages between a job and the worker that does it, in order. Both reject, or throw, once the other side has ended. */
export type Conversation<Sent, Received> = {
  /** What is transferred is no longer of use here. */
  post(message: Sent, transfer?: ArrayBufferLike[]): void
  next(): Promise<Received>
}

export type ToWorker = { job: string } | { message: unknown }
/**
 * `loaded` comes first, once. `failed` says that the job has ended, with null where it went well; `isRecycled`: the worker is to be
 * replaced, because it holds much memory.
 */
export type FromWorker = { loaded: true } | { message: unknown } | { failed: WireError | null; isRecycled: boolean }

/** An error as it is cloned: `kind` where it is one whose sentence the caller may read. */
export type WireError = { kind: ErrorKind | null; message: string; details: string | undefined; stack: string }

export function toWire(error: unknown): WireError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof AppError) return { kind: error.kind, message, details: error.details, stack }
  return { kind: null, message, details: undefined, stack }
}

export function fromWire({ kind, message, details, stack }: WireError): Error {
  if (kind !== null) return new AppError(kind, message, { details })
  return Object.assign(new Error(message), { stack })
}

/** Messages that wait until the next one is taken. */
export function createInbox<T>() {
  const held: T[] = []
  let waiting: PromiseWithResolvers<T> | undefined
  let failure: { error: unknown } | undefined
  return {
    put(message: T): void {
      if (!waiting) return void held.push(message)
      waiting.resolve(message)
      waiting = undefined
    },
    /** What is held can still be had; then `next` rejects. */
    fail(error: unknown): void {
      failure ??= { error }
      waiting?.reject(error)
      waiting = undefined
    },
    async next(): Promise<T> {
      const [first] = held
      if (held.length > 0) {
        held.shift()
        return first as T
      }
      if (failure) throw failure.error
      waiting = Promise.withResolvers<T>()
      return waiting.promise
    },
  }
}
