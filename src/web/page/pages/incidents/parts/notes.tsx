import { send } from '../../../api/client.ts'
import type { OneIncident } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { reread } from '../../../incidents/acknowledge-requests.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { Form } from '../../../ui/form/form.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { Time } from '../../../ui/time.tsx'
import { noteLabel } from '../words.ts'

const maxNoteLength = 1000

/** Notes of an incident, and the field for another. */
export function Notes({ of: { id, slo_name, notes } }: { of: OneIncident['data'] }) {
  const unavailable = whyNot('edit')
  const form = useForm({
    initial: { note: '' },
    shownAt: 'note',
    check: ({ note }) => (note.trim() === '' ? { note: 'Write what you know, or do.' } : undefined),
    send: ({ note }) => send('POST', `/incidents/${id}/note`, { body: { note: note.trim() } }).then(reread),
    next: (): void => form.set({ note: '' }),
  })
  return (
    <>
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map(({ id, by, note, created_at }) => (
            <li key={id}>
              <p>{note}</p>
              <p class="muted">
                {by}, <Time ms={Date.parse(created_at)} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {unavailable ? (
        <Button small unavailable={unavailable}>
          Add a note
        </Button>
      ) : (
        <Form of={form} class="add-note" label={noteLabel(slo_name)} action="Add the note" look="plain" small>
          <TextField
            label="Note"
            {...form.field('note')}
            placeholder="What you know, or do"
            maxLength={maxNoteLength}
          />
        </Form>
      )}
    </>
  )
}
