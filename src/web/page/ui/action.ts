import { batch, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import { sentenceOf } from '../api/problems.ts'
import { toast } from './toast.ts'

/** Messages about the outcome of an action. */
export type Outcome<R> = {
  /** Message after success; absent or undefined: none. */
  done?: string | ((result: R) => string | undefined) | undefined
  /** Reverts the action; adds a button to the message after success. */
  undo?: ((result: R) => unknown) | undefined
  /** Message after an error: a function gives all of it, a string is followed by the reason. Absent: none. */
  failed?: string | ((error: unknown) => string)
  /** Called after either outcome. */
  ended?: () => void
}

type Options<R, P> = Outcome<R> & {
  /** Finds a problem of the input; if there is one, the work is not started. */
  check?: () => P | undefined
  /** Turns an error into `problem`; by default into a sentence. */
  problemOf?: (error: unknown) => P
  /** Changes the view after success: closes a dialog, empties a field. Not called once the component is unmounted. */
  next?: (result: R) => unknown
}

/**
 * Action of a button or form. While it runs, `run` does nothing, and `running` has its arguments. `problem` has the problem of
 * the last run until the next, or until `clear`, and `cause` the error that it is made of.
 */
export function useAction<Args extends unknown[], R, P = string>(
  work: (...args: Args) => Promise<R>,
  options: Options<R, P> = {},
) {
  const action = useMemo(() => createAction<Args, P>(), [])
  useLayoutEffect(() => action.leave, [])
  const { running, problem, cause, clear } = action
  return {
    run: (...args: Args) => action.run(args, work, options),
    isBusy: running.value !== null,
    running: running.value,
    problem: problem.value,
    cause: cause.value,
    clear,
  }
}

/** State of an action. A run that is under way when `leave` is called changes it no more. */
export function createAction<Args extends unknown[], P>() {
  const running = signal<Args | null>(null)
  const problem = signal<P | undefined>(undefined)
  const cause = signal<unknown>(undefined)
  let isUnmounted = false
  const clear = () => {
    problem.value = undefined
    cause.value = undefined
  }
  return {
    running,
    problem,
    cause,
    clear,
    leave() {
      isUnmounted = true
    },
    async run<R>(
      args: Args,
      work: (...args: Args) => Promise<R>,
      { check, problemOf, next, ...outcome }: Options<R, P>,
    ): Promise<void> {
      if (running.peek() !== null) return
      const found = check?.()
      batch(() => {
        problem.value = found
        cause.value = undefined
        if (found === undefined) running.value = args
      })
      if (found !== undefined) return
      const settled = await attempt(() => work(...args), outcome)
      if (isUnmounted) return
      batch(() => {
        running.value = null
        if ('result' in settled) next?.(settled.result)
        else {
          cause.value = settled.error
          problem.value = problemOf ? problemOf(settled.error) : (sentenceOf(settled.error) as P)
        }
      })
    },
  }
}

/** Does work, and shows messages about its outcome. Never rejects. */
export async function attempt<R>(
  work: () => Promise<R>,
  { done, undo, failed, ended }: Outcome<R>,
): Promise<{ result: R } | { error: unknown }> {
  try {
    const result = await work()
    const text = typeof done === 'function' ? done(result) : done
    if (text !== undefined) toast(text, { undo: undo && (() => void undo(result)) })
    return { result }
  } catch (error) {
    const text = typeof failed === 'function' ? failed(error) : failed && `${failed} ${sentenceOf(error)}`
    if (text !== undefined) toast(text, { isProblem: true })
    return { error }
  } finally {
    ended?.()
  }
}
