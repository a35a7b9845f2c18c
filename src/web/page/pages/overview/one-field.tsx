import { useState } from 'preact/hooks'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form/field.tsx'

type Props = {
  /** Absent: only a button. */
  field?: { label: string; placeholder: string; type?: 'email' | 'text'; inputMode?: 'url' }
  button: string
  /** Sends the value. Its error is shown at the field. */
  onSend: (value: string) => Promise<void>
  unavailable?: string | undefined
}

/** A form with at most one field. */
export function OneField({ field, button, onSend, unavailable }: Props) {
  const [value, setValue] = useState('')
  const { run, isBusy, problem } = useAction(() => onSend(value.trim()))
  const submit = (event: Event) => {
    event.preventDefault()
    if (unavailable === undefined) void run()
  }
  return (
    <form class="one-field" onSubmit={submit}>
      {field && <TextField {...field} required value={value} onValue={setValue} problem={problem} />}
      {!field && problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      <Button type="submit" isBusy={isBusy} unavailable={unavailable}>
        {button}
      </Button>
    </form>
  )
}
