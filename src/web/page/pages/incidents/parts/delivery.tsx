import { useState } from 'preact/hooks'
import type { AlertNotification, Attempts } from '../../../api/history.ts'
import { useRead } from '../../../api/use-read.ts'
import { capitalized, deliveryWords } from '../../../incidents/alert-words.ts'
import { AttemptTable } from '../../../incidents/attempt-table.tsx'
import { Read } from '../../../ui/read.tsx'

/** Outcome of a notification; its delivery attempts are shown when it is opened, and at once if it failed. */
export function Delivery({ of }: { of: AlertNotification }) {
  const [isOpen, setOpen] = useState(of.status === 'failed')
  const { word, isProblem } = deliveryWords[of.status] ?? { word: of.status, isProblem: false }
  return (
    <details class="delivery" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={isProblem ? 'crit-text' : undefined}>{capitalized(word)}</span>
        {of.error_message !== '' && <span class="delivery-error">: {of.error_message}</span>}
      </summary>
      {isOpen && <AttemptList of={of} />}
    </details>
  )
}

function AttemptList({ of }: { of: AlertNotification }) {
  const attempts = useRead<Attempts>(`/notifications/${of.id}/attempts`)
  return (
    <Read of={attempts} heightPx={20}>
      {({ attempts }) =>
        attempts.length === 0 ? <p class="muted">No attempt was made.</p> : <AttemptTable of={attempts} />
      }
    </Read>
  )
}
