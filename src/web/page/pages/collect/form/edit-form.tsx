import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, asApiError, send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { useAction } from '../../../ui/action.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { FieldProblem } from './lines.ts'

/** Problem that the server reports about a field or a part of it; undefined if none. */
export type ProblemOf = (field: string) => string | undefined

type Props<Trial> = {
  /** Path of the list, opened after saving. */
  back: string
  /** Path of the list in the API. */
  list: string
  /** Null: a new item. */
  id: number | null
  /** Request body with the form's values. */
  body: () => object
  tryLabel: string
  /** Presents the result of a trial. A trial stores nothing. */
  trialOf: (came: Trial) => ComponentChildren
  children: (problemOf: ProblemOf) => ComponentChildren
}

/** A form that can be tried before it is saved. Problems of a field are shown at the field, other errors above the buttons. */
export function EditForm<Trial>({ back, list, id, body, tryLabel, trialOf, children }: Props<Trial>) {
  const { route } = useLocation()
  const [trial, setTrial] = useState<ComponentChildren>()
  const own = id === null ? list : `${list}/${id}`
  const action = useAction(
    async (what: 'save' | 'try') => {
      setTrial(undefined)
      if (what === 'try') return trialOf(await send<Trial>('POST', `${own}/test`, { body: body() }))
      await send(id === null ? 'POST' : 'PUT', own, { body: body() })
      invalidate(list)
      return undefined
    },
    {
      problemOf: (problem) =>
        problem instanceof FieldProblem
          ? new ApiError(400, 'The form is not complete', undefined, [problem])
          : asApiError(problem),
      next: (trial) => (trial === undefined ? route(link(back)) : setTrial(trial)),
    },
  )
  const { problem: error, running } = action
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => form.current?.querySelector<HTMLElement>('[autofocus]')?.focus(), [])
  const said = error?.problems ?? []
  const shown = new Set<object>()
  const problemOf: ProblemOf = (field) => {
    const found = said.filter((one) => one.field === field || one.field.startsWith(`${field}.`))
    found.forEach((one) => shown.add(one))
    return found.length === 0
      ? undefined
      : found
          .map((one) => `${one.field === field ? '' : `${one.field.slice(field.length + 1)} `}${one.message}`)
          .join('; ')
  }
  const run = (what: 'save' | 'try') => {
    if (running === null && form.current?.reportValidity() !== false) void action.run(what)
  }
  const fields = children(problemOf)
  const others = said.filter((one) => !shown.has(one))
  return (
    <form
      ref={form}
      class="card collect-form"
      onSubmit={(event) => {
        event.preventDefault()
        run('save')
      }}
    >
      {fields}
      {error && (said.length === 0 || others.length > 0) && (
        <p class="problem" role="alert">
          {error.message}
          {others.length > 0
            ? `: ${others.map(({ field, message }) => `${field} ${message}`).join('; ')}`
            : error.details === undefined
              ? '.'
              : `: ${error.details}`}
        </p>
      )}
      {trial !== undefined && (
        <section class="trial" role="status" aria-label="What came back">
          {trial}
        </section>
      )}
      <div class="form-buttons">
        <Button kind="primary" type="submit" isBusy={running?.[0] === 'save'} unavailable={whyNot('administer')}>
          Save
        </Button>
        <Button
          icon="refresh-cw"
          isBusy={running?.[0] === 'try'}
          unavailable={whyNot('administer')}
          onClick={() => run('try')}
        >
          {tryLabel}
        </Button>
        <LinkButton kind="quiet" href={link(back)}>
          Cancel
        </LinkButton>
      </div>
    </form>
  )
}
