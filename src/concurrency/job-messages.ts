import { AppError, type ErrorKind } from '../errors.ts'

/** Messages between a job and its worker, in order. Both functions reject, or throw, once the other side has ended. */
export type JobMessages<Sent, Received> = {
  /** Transferred buffers can no longer be used by the sender. */
  post(message: Sent, transfer?: ArrayBufferLike[]): void
  next(): Promise<Received>
}

export type ToWorker = { job: string } | { message: unknown }
/**
 * `loaded` comes first, once. `failed` ends a job; null: it succeeded. `isRecycled`: the worker must be replaced, because it
 * holds much memory.
 */
export type FromWorker = { loaded: true } | { message: unknown } | { failed: WireError | null; isRecycled: boolean }

/** An error that can be cloned. `kind`: null unless the caller may read the message. */
type WireError = { kind: ErrorKind | null; message: string; details: string | undefined; stack: string }

export function toWire(error: unknown): WireError {
  const { message, stack = '' } = error instanceof Error ? error : new Error(String(error))
  if (error instanceof AppError) return { kind: error.kind, message, details: error.details, stack }
  return { kind: null, message, details: undefined, stack }
}

export function fromWire({ kind, message, details, stack }: WireError): Error {
  if (kind !== null) return new AppError(kind, message, { details })
  return Object.assign(new Error(message), { stack })
}

/** Queue of messages until `next` takes them. */
export function createInbox<T>() {
  const buffered: T[] = []
  let waiting: PromiseWithResolvers<T> | undefined
  let failure: { error: unknown } | undefined
  return {
    put(message: T): void {
      if (!waiting) return void buffered.push(message)
      waiting.resolve(message)
      waiting = undefined
    },
    /** Queued messages can still be taken; then `next` rejects. */
    fail(error: unknown): void {
      failure ??= { error }
      waiting?.reject(error)
      waiting = undefined
    },
    async next(): Promise<T> {
      const [first] = buffered
      if (buffered.length > 0) {
        buffered.shift()
        return first as T
      }
      if (failure) throw failure.error
      waiting = Promise.withResolvers<T>()
      return waiting.promise
    },
  }
}
