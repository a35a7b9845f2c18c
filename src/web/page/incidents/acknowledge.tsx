import type { Alert } from '../api/history.ts'
import { whyNot } from '../api/rights.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/form/field.tsx'
import { Form } from '../ui/form/form.tsx'
import { useForm } from '../ui/form/use-form.ts'
import { Icon } from '../ui/icon.tsx'
import { Popover } from '../ui/popover.tsx'
import { Time, useNow } from '../ui/time.tsx'
import { acknowledgedWords, acknowledging, silencedWords } from './words.ts'
import { acknowledge, type Acknowledgeable, withdraw } from './acknowledge-requests.ts'

const maxNote = 1000

/**
 * Button that acknowledges a firing alert or an open incident, with a note. If it is acknowledged already, the button changes the
 * note or withdraws the acknowledgement.
 */
export function Acknowledge({ of }: { of: Acknowledgeable }) {
  const { acknowledged, name } = of
  const word = acknowledged ? 'Acknowledged' : 'Acknowledge'
  const unavailable = whyNot('edit')
  if (unavailable) {
    return (
      <Button small unavailable={unavailable}>
        {word}
      </Button>
    )
  }
  return (
    <Popover
      class="acknowledge"
      label={`${word}: ${name}`}
      trigger={(attributes) => (
        <button
          type="button"
          class="button plain small"
          data-acknowledge
          aria-label={`${word}: ${name}`}
          {...attributes}
        >
          <Icon name={acknowledged ? 'check' : 'eye'} />
          <span>{word}</span>
        </button>
      )}
    >
      <NoteForm key={String(acknowledged?.note)} of={of} />
    </Popover>
  )
}

function NoteForm({ of }: { of: Acknowledgeable }) {
  const { acknowledged, what } = of
  const close = (): void => form.element.current?.closest<HTMLElement>('[popover]')?.hidePopover()
  const form = useForm({
    initial: { note: acknowledged?.note ?? '' },
    shownAt: 'note',
    send: ({ note }) => acknowledge(of, note.trim()),
    next: close,
  })
  return (
    <Form
      of={form}
      action={acknowledged ? 'Save the note' : 'Acknowledge'}
      small
      more={
        acknowledged && (
          <Button
            small
            icon="undo-2"
            onClick={() => {
              close()
              void withdraw(of)
            }}
          >
            Withdraw
          </Button>
        )
      }
    >
      <TextField
        label="Note"
        hint={acknowledged ? undefined : acknowledging[what].hint}
        {...form.field('note')}
        placeholder="What you know, or do"
        maxLength={maxNote}
        autofocus
      />
    </Form>
  )
}

/** Person who acknowledged an alert or incident, the time and the note. */
export function AcknowledgedNote({ of: { acknowledged } }: { of: Pick<Alert, 'acknowledged'> }) {
  if (!acknowledged) return null
  const { by, at, note } = acknowledged
  return (
    <span class="alert-note with-icon muted">
      <Icon name="check" size={14} />
      <span>{acknowledgedWords(by, <Time ms={Date.parse(at)} />, note)}</span>
    </span>
  )
}

/** End, author and comment of the silence that covers the SLO of an alert or incident. `isAlertOver`: that alert or incident has ended. */
export function SilencedNote({
  of: { silence, isAlertOver },
}: {
  of: Pick<Alert, 'silence'> & { isAlertOver: boolean }
}) {
  const isSilenceOver = useNow((atMs) => silence === null || Date.parse(silence.until) <= atMs, [silence?.until])
  if (silence === null || isAlertOver || isSilenceOver.value) return null
  const { until, created_by_name: by, comment } = silence
  return (
    <span class="alert-note with-icon muted">
      <Icon name="bell-off" size={14} />
      <span>{silencedWords(<Time ms={Date.parse(until)} />, by, comment)}</span>
    </span>
  )
}
