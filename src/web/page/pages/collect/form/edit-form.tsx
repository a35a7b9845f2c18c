import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { link } from '../../../address/base.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { type Form as FormOf, type Names, useForm } from '../../../ui/form/use-form.ts'

type Props<T, Trial> = {
  /** Path of the list, opened after saving. */
  back: string
  /** Path of the list in the API. */
  list: string
  /** Null: a new item. */
  id: number | null
  initial: () => T
  names: Names<T>
  /** Request body with the form's values. */
  body: (draft: T) => object
  tryLabel: string
  /** Presents the result of a trial. A trial stores nothing. */
  trialOf: (answer: Trial, draft: T) => ComponentChildren
  children: (form: FormOf<T>) => ComponentChildren
}

/** A form that can be tried before it is saved. */
export function EditForm<T extends object, Trial>(props: Props<T, Trial>) {
  const { back, list, id, initial, names, body, tryLabel, trialOf, children } = props
  const { route } = useLocation()
  const [trial, setTrial] = useState<ComponentChildren>()
  const itemPath = id === null ? list : `${list}/${id}`
  const unavailable = whyNot('administer')
  const form = useForm({
    initial,
    names,
    async send(draft, how: string | undefined) {
      setTrial(undefined)
      if (how === 'try') return trialOf(await send<Trial>('POST', `${itemPath}/test`, { body: body(draft) }), draft)
      await send(id === null ? 'POST' : 'PUT', itemPath, { body: body(draft) })
      invalidate(list)
      return undefined
    },
    next: (trial) => (trial === undefined ? route(link(back)) : setTrial(trial)),
  })
  const isTried = form.running === 'try'
  return (
    <Form
      of={{ ...form, isBusy: form.isBusy && !isTried }}
      class="card collect-form"
      action="Save"
      unavailable={unavailable}
      result={
        trial !== undefined && (
          <section class="trial" role="status" aria-label="What came back">
            {trial}
          </section>
        )
      }
      more={
        <>
          <Button icon="refresh-cw" isBusy={isTried} unavailable={unavailable} onClick={() => form.run('try')}>
            {tryLabel}
          </Button>
          <LinkButton kind="quiet" href={link(back)}>
            Cancel
          </LinkButton>
        </>
      }
    >
      {children(form)}
    </Form>
  )
}
