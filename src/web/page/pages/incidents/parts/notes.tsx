import { useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import type { OneIncident } from '../../../api/history.ts'
import { whyNot } from '../../../api/rights.ts'
import { reread } from '../../../incidents/acknowledge-requests.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { Time } from '../../../ui/time.tsx'

const maxNote = 1000

/** Notes of an incident, and the field for another. */
export function Notes({ of: { id, slo_name, notes } }: { of: OneIncident['data'] }) {
  const [note, setNote] = useState('')
  const unavailable = whyNot('edit')
  const add = () => send('POST', `/incidents/${id}/note`, { body: { note: note.trim() } }).then(reread)
  const { run, isBusy, problem } = useAction(add, {
    check: () => (note.trim() === '' ? 'Write what you know, or do.' : undefined),
    next: () => setNote(''),
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
        <form
          class="add-note"
          aria-label={`Note on ${slo_name}`}
          onSubmit={(event) => {
            event.preventDefault()
            void run()
          }}
        >
          <TextField
            label="Note"
            value={note}
            onValue={setNote}
            problem={problem}
            placeholder="What you know, or do"
            maxLength={maxNote}
          />
          <Button type="submit" small isBusy={isBusy}>
            Add the note
          </Button>
        </form>
      )}
    </>
  )
}
