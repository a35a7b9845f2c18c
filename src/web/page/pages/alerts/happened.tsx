import { useState } from 'preact/hooks'
import { AttemptTable } from '../../incidents/attempt-table.tsx'
import type { Alert, AlertNotification, Attempts } from '../../api/history.ts'
import { useResource } from '../../api/use-resource.ts'
import { capitalized, deliveryWords } from '../../incidents/alert-words.ts'
import { Icon } from '../../ui/icon.tsx'
import { Read } from '../../ui/read.tsx'
import { Time } from '../../ui/time.tsx'
import { stepsOf } from './steps.ts'

export function Happened({ alert, notifications }: { alert: Alert; notifications: AlertNotification[] }) {
  return (
    <>
      <ol class="happened">
        {stepsOf(alert, notifications).map((step, at) => (
          <li key={step.notification?.id ?? `step ${at}`}>
            <Icon name={step.icon} />
            <Time ms={step.atMs} />
            <div>
              {step.text}
              {step.notification && <Delivery of={step.notification} />}
            </div>
          </li>
        ))}
      </ol>
      {notifications.length === 0 && (
        <p class="muted">Nobody was notified: no rule selects it, or it was silenced, inhibited or acknowledged.</p>
      )}
    </>
  )
}

/** Outcome of a notification; its delivery attempts are shown when it is opened. */
function Delivery({ of }: { of: AlertNotification }) {
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
  const attempts = useResource<Attempts>(`/notifications/${of.id}/attempts`)
  return (
    <Read of={attempts} heightPx={20}>
      {({ attempts }) =>
        attempts.length === 0 ? <p class="muted">No attempt was made.</p> : <AttemptTable of={attempts} />
      }
    </Read>
  )
}
