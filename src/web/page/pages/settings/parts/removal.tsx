import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { removalLabels } from '../words.ts'

type Props = {
  /** Name of what is removed. */
  name: string
  /** Label of the button. */
  action: keyof typeof removalLabels
  /** Consequences, shown before the user confirms. */
  text: string
  /** Message after the removal. */
  done: string
  /** API path of the list; `DELETE` of `list/id` removes the row. */
  list: string
  id: number | string
  unavailable?: string | undefined
}

/** Button of a row that removes it after confirmation. */
export function Removal({ name, action, text, done, list, id, unavailable }: Props) {
  const [isAsked, ask] = useState(false)
  const removing = useAction(
    async () => {
      await send('DELETE', `${list}/${encodeURIComponent(id)}`)
      invalidate(list)
    },
    { done, next: () => ask(false) },
  )
  return (
    <>
      <Button small unavailable={unavailable} aria-label={removalLabels[action](name)} onClick={() => ask(true)}>
        {action}
      </Button>
      {isAsked && (
        <FormDialog of={removing} title={removalLabels[action](name)} action={action} onClose={() => ask(false)}>
          <p>{text}</p>
        </FormDialog>
      )}
    </>
  )
}
