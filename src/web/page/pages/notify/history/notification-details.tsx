import { useEffect } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { AttemptTable } from '../../../incidents/attempt-table.tsx'
import type { Attempts, Notification } from '../../../api/history.ts'
import { inPageWords } from '../../../api/page-words.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useRead } from '../../../api/use-read.ts'
import { asSentence } from '../../../format.ts'
import { useAction } from '../../../ui/action.ts'
import { Button } from '../../../ui/button.tsx'
import { Read } from '../../../ui/read.tsx'
import { notSentSentence } from './words.ts'

/** Text of a notification, its delivery attempts, and a button to send it again. */
export function NotificationDetails({ of }: { of: Notification }) {
  const attempts = useRead<Attempts>(`/notifications/${of.id}/attempts`)
  useEffect(() => {
    if (attempts.value.peek() !== undefined) attempts.readSoon(0) // a status change means another attempt
  }, [of.status, of.retry_count])
  return (
    <div class="notification-details">
      <p class="notification-text">{of.message}</p>
      <Read of={attempts} heightPx={48}>
        {({ attempts: made }) => (made.length === 0 ? <NoAttempt of={of} /> : <AttemptTable of={made} />)}
      </Read>
      <Resend of={of} />
    </div>
  )
}

function NoAttempt({ of: { status, error_message } }: { of: Notification }) {
  if (status === 'throttled') return <p class="muted">Not sent: it came too soon after the last one of its rule.</p>
  if (error_message !== '') return <p class="crit-text">{notSentSentence(inPageWords(asSentence(error_message)))}</p>
  return <p class="muted">Not tried yet.</p>
}

function Resend({ of: { id, status } }: { of: Notification }) {
  const isUnderWay = status === 'pending' || status === 'sending'
  const unavailable = whyNot('edit') ?? (isUnderWay ? 'It is still on its way.' : undefined)
  const { run, isBusy } = useAction(() => send<{ message: string }>('POST', `/notifications/${id}/resend`), {
    done: ({ message }) => asSentence(message),
    failed: 'Not sent again.',
    ended: () => invalidate('/notifications/'),
  })
  return (
    <div>
      <Button small icon="refresh-cw" unavailable={unavailable} isBusy={isBusy} onClick={run}>
        Send again
      </Button>
    </div>
  )
}
