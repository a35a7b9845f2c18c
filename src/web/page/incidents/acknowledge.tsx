import { useRef, useState } from 'preact/hooks'
import type { Alert } from '../api/history.ts'
import { sentenceOf } from '../api/problems.ts'
import { me } from '../api/session.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { words } from '../words.ts'
import { acknowledge, withdraw } from './acknowledge-requests.ts'
import { aboutOf } from './alert-words.ts'

const maxNote = 1000

/**
 * Button that acknowledges a firing alert, with a note. If it is acknowledged already, the button changes the note or withdraws
 * the acknowledgement.
 */
export function Acknowledge({ alert }: { alert: Alert }) {
  const { acknowledged } = alert
  const word = acknowledged ? 'Acknowledged' : 'Acknowledge'
  if (me.value?.role === 'viewer') {
    return (
      <Button small unavailable={words.viewer}>
        {word}
      </Button>
    )
  }
  return (
    <Popover
      class="acknowledge"
      label={`${word}: ${aboutOf(alert)}`}
      trigger={(attributes) => (
        <button
          type="button"
          class="button plain small"
          data-acknowledge={alert.id}
          aria-label={`${word}: ${aboutOf(alert)}`}
          {...attributes}
        >
          <Icon name={acknowledged ? 'check' : 'eye'} />
          <span>{word}</span>
        </button>
      )}
    >
      <NoteForm key={String(acknowledged?.note)} alert={alert} />
    </Popover>
  )
}

function NoteForm({ alert }: { alert: Alert }) {
  const { acknowledged } = alert
  const [note, setNote] = useState(acknowledged?.note ?? '')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const close = () => form.current?.closest<HTMLElement>('[popover]')?.hidePopover()
  const submit = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await acknowledge(alert, note.trim())
      close()
    } catch (error) {
      setProblem(sentenceOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) void submit()
      }}
    >
      <TextField
        label="Note"
        hint={acknowledged ? undefined : 'Nobody is notified of this alert again, only of its end.'}
        value={note}
        onValue={setNote}
        problem={problem}
        placeholder="What you know, or do"
        maxLength={maxNote}
        autofocus
      />
      <div class="buttons">
        <Button type="submit" kind="primary" small isBusy={isBusy}>
          {acknowledged ? 'Save the note' : 'Acknowledge'}
        </Button>
        {acknowledged && (
          <Button
            small
            icon="undo-2"
            onClick={() => {
              close()
              void withdraw(alert)
            }}
          >
            Take it back
          </Button>
        )}
      </div>
    </form>
  )
}

/** Person who acknowledged an alert, the time and the note. */
export function AcknowledgedNote({ alert: { acknowledged } }: { alert: Pick<Alert, 'acknowledged'> }) {
  if (!acknowledged) return null
  const { by, at, note } = acknowledged
  return (
    <span class="alert-note with-icon muted">
      <Icon name="check" size={14} />
      <span>
        Acknowledged by {by}, <Time ms={Date.parse(at)} />
        {note !== '' && `: ${note}`}
      </span>
    </span>
  )
}

/** End, author and comment of the silence that covers the alert's SLO. */
export function SilencedNote({ alert: { silence, ended_at } }: { alert: Pick<Alert, 'silence' | 'ended_at'> }) {
  const isOver = useNow((atMs) => silence === null || Date.parse(silence.until) <= atMs, [silence?.until])
  if (silence === null || ended_at !== null || isOver.value) return null
  const { until, created_by_name: by, comment } = silence
  return (
    <span class="alert-note with-icon muted">
      <Icon name="bell-off" size={14} />
      <span>
        Silenced to <Time ms={Date.parse(until)} />
        {by !== null && ` by ${by}`}: {comment}
      </span>
    </span>
  )
}
