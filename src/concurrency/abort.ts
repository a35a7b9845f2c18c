/** Aborts one piece of work. `isLate`: it was aborted because its time was over. */
export type Abort = Pick<AbortController, 'signal' | 'abort'> & Disposable & { readonly isLate: boolean }

/**
 * Creates the abort of one piece of work. The work is aborted by `abort`, by the abort of `parent` (with its reason), or after `ms`
 * (with the reason that `late` gives). Declare it with `using`: at the end of that scope timer and listener are removed, and the
 * signal stays as it is.
 */
export function createAbort(parent: AbortSignal | undefined, ms?: number, late?: () => Error): Abort {
  const controller = new AbortController()
  let isLate = false
  const abortLate = () => {
    isLate = !controller.signal.aborted
    controller.abort(late?.())
  }
  const timer = ms === undefined ? undefined : setTimeout(abortLate, ms)
  const parentAborted = onAbort(parent, () => controller.abort(parent?.reason))
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    get isLate() {
      return isLate
    },
    [Symbol.dispose]() {
      clearTimeout(timer)
      parentAborted[Symbol.dispose]()
    },
  }
}

/**
 * Calls `listener` when `signal` is aborted, at once if it already is. Declare the result with `using`: after that scope, the
 * listener is not called.
 */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): Disposable {
  if (signal?.aborted) listener()
  else signal?.addEventListener('abort', listener, { once: true })
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', listener) }
}
