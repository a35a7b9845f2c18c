import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Outcome, useAction } from '../action.ts'
import { assignProblems, type Refusal } from './assign-problems.ts'
import { refusalOf } from './refusal.ts'

/** Value of a field, with its problem. */
export type Bound<V> = { value: V; onValue: (value: V) => void; problem: string | undefined }

/** State of a form and its actions. `How` names its submit buttons. */
export type Form<T, How extends string = string> = {
  draft: T
  set(change: Partial<T>): void
  /** Attributes of the input for a value. Its problem goes once the value is another. */
  field<K extends keyof T & string>(key: K): Bound<T[K]>
  /** Problem of an API field that is not the field of one value. */
  problemAt(name: string): string | undefined
  /** Problems that no field has asked for: called after the fields are drawn. */
  rest(): string | undefined
  /** Sends the form, unless the browser finds a field that is not valid. */
  run(how?: How): void
  isBusy: boolean
  /** Button that was pressed, while the form is sent. */
  running: How | undefined
  /** Element with the fields. */
  element: RefObject<HTMLFormElement | null>
  /** Problems of the last run, before any change; undefined if there are none. */
  refused: Refused<T> | undefined
  /** Error of the last run; undefined if there was none. */
  cause: unknown
  /** Forgets the problems of the last run. */
  clear(): void
}

/** API fields of values whose keys are not their names in the API; of several fields, the first with a problem counts. */
export type Names<T> = Readonly<Partial<Record<keyof T, string | readonly string[]>>>

/** `cause`: the error of the request; absent if the form was not sent. */
type Refused<T> = Refusal & { draft: T; cause?: unknown }

type Options<T, R, How> = Outcome<R> & {
  initial: T | (() => T)
  names?: Names<T>
  /** Value whose field also shows the problems of no field, in a form with one field. */
  shownAt?: (keyof T & string) | undefined
  /** Problems that are found before the form is sent, by API field. */
  check?: (draft: T) => Readonly<Record<string, string>> | undefined
  /** Sends the draft. A `FieldProblem` that it throws is shown like one of the server. */
  send: (draft: T, how: How | undefined) => Promise<R>
  /** Changes the view after success. Not called once the component is unmounted. */
  next?: (result: R) => unknown
}

/**
 * State of a form: its values, its request, and its problems beside their fields, of which the first is focused. Until the
 * request has ended, it is not sent again.
 */
export function useForm<T extends object, R, How extends string = string>(options: Options<T, R, How>): Form<T, How> {
  const { initial, names = {}, shownAt, check, send, ...outcome } = options
  const [draft, setDraft] = useState(initial)
  const element = useRef<HTMLFormElement>(null)
  const { run, isBusy, running, problem, cause, clear } = useAction((how?: How) => send(draft, how), {
    ...outcome,
    check(): Refused<T> | undefined {
      const found = check?.(draft)
      return found && { draft, problems: Object.entries(found).map(([field, message]) => ({ field, message })) }
    },
    problemOf: (error): Refused<T> => ({ draft, cause: error, ...refusalOf(error) }),
  })
  useEffect(() => {
    if (problem) focusProblem(element.current)
  }, [problem])
  const namesOf = (key: keyof T & string) => [(names as Names<Record<string, unknown>>)[key] ?? key].flat()
  const keys = Object.keys(draft) as (keyof T & string)[]
  const changed = problem ? keys.filter((key) => draft[key] !== problem.draft[key]).flatMap(namesOf) : []
  const { problemAt, rest } = assignProblems(problem ?? { problems: [] }, changed)
  const set = (change: Partial<T>) => setDraft((previous) => ({ ...previous, ...change }))
  return {
    draft,
    set,
    field: (key) => ({
      value: draft[key],
      onValue: (value) => set({ [key]: value } as unknown as Partial<T>),
      problem:
        namesOf(key)
          .map(problemAt)
          .find((found) => found !== undefined) ?? (key === shownAt ? rest() : undefined),
    }),
    problemAt,
    rest: () => (shownAt === undefined ? rest() : undefined),
    run(how) {
      const form = element.current
      if (!isBusy && (!form || form.noValidate || form.reportValidity())) void run(how)
    },
    isBusy,
    running: running?.[0],
    element,
    refused: problem,
    cause,
    clear,
  }
}

/** Focuses the first input with a problem, unfolds it, and scrolls to it; without any, to the first problem. */
function focusProblem(form: HTMLElement | null): void {
  const field = form?.querySelector<HTMLElement>(
    '[aria-invalid]:is(input, select, textarea, button), [aria-invalid] input',
  )
  field?.closest('details')?.setAttribute('open', '')
  field?.focus({ preventScroll: true })
  const place = field?.closest('.control-group, .field') ?? form?.querySelector('.problem')
  place?.scrollIntoView({ block: 'center' })
}
