import { useEffect, useState } from 'preact/hooks'
import { send } from '../../../api/client.ts'
import { AttemptTable } from '../../../incidents/attempt-table.tsx'
import type { Attempts, Notification } from '../../../api/history.ts'
import { sentenceOf } from '../../../api/problems.ts'
import { invalidate } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { useResource } from '../../../api/use-resource.ts'
import { asSentence } from '../../../format.ts'
import { Button } from '../../../ui/button.tsx'
import { Read } from '../../../ui/read.tsx'
import { toast } from '../../../ui/toast.ts'

/** Text of a notification, its delivery attempts, and a button to send it again. */
export function NotificationDetails({ of }: { of: Notification }) {
  const attempts = useResource<Attempts>(`/notifications/${of.id}/attempts`)
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
  if (error_message !== '') return <p class="crit-text">Not sent: {asSentence(error_message)}</p>
  return <p class="muted">Not tried yet.</p>
}

function Resend({ of: { id, status } }: { of: Notification }) {
  const [isBusy, setBusy] = useState(false)
  const isUnderWay = status === 'pending' || status === 'sending'
  const unavailable = whyNot('edit') ?? (isUnderWay ? 'It is still on its way.' : undefined)
  const resend = async () => {
    setBusy(true)
    try {
      const { message } = await send<{ message: string }>('POST', `/notifications/${id}/resend`)
      toast(asSentence(message))
    } catch (error) {
      toast(`Not sent again. ${sentenceOf(error)}`, { isProblem: true })
    }
    setBusy(false)
    invalidate('/notifications/')
  }
  return (
    <div>
      <Button small icon="refresh-cw" unavailable={unavailable} isBusy={isBusy} onClick={resend}>
        Send again
      </Button>
    </div>
  )
}
