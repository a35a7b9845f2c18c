import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { flag, text, useAddress } from '../../address/fields.ts'
import type { SloIncident } from '../../api/history.ts'
import { whyNot } from '../../api/rights.ts'
import { now } from '../../clock.ts'
import { acknowledge, ofIncident } from '../../incidents/acknowledge-requests.ts'
import { silence } from '../../silence/send.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog } from '../../ui/dialog/form-dialog.tsx'
import { type LinkAction, linkActionOf, consequences } from './view.ts'
import { askedTitle, silenceForLabel } from './words.ts'

const askFields = { acknowledge: flag, silence: text }

/**
 * Dialog that asks what the link of a message asks, to acknowledge the incident or to silence its SLO: one press does it. Nothing
 * where that is done already or the incident is closed.
 */
export function AskedByLink({ incident }: { incident: SloIncident }) {
  const { url } = useLocation()
  const { go } = useAddress(askFields)
  const asked = useMemo(() => linkActionOf(url.split('?')[1] ?? ''), [url])
  const { state, acknowledged, silenced } = incident
  const isDone = asked?.kind === 'acknowledge' ? acknowledged !== null : silenced
  if (asked === null || isDone || state === 'closed') return null
  const onClose = () => go({ acknowledge: false, silence: '' }, { replace: true })
  return <Question asked={asked} incident={incident} onClose={onClose} />
}

function Question({ asked, incident, onClose }: { asked: LinkAction; incident: SloIncident; onClose: () => void }) {
  const unavailable = whyNot('edit')
  const send = () =>
    asked.kind === 'acknowledge'
      ? acknowledge(ofIncident(incident))
      : silence({ sloIds: [incident.slo_id] }, { untilMs: now() + asked.seconds * 1000 })
  const sending = useAction(send, { next: onClose })
  const action = asked.kind === 'acknowledge' ? 'Acknowledge' : silenceForLabel(asked.seconds)
  return (
    <FormDialog
      title={askedTitle(action, incident.slo_name)}
      action={action}
      dismiss="Not now"
      isQuestion
      onClose={onClose}
      of={sending}
      unavailable={unavailable}
    >
      <p>{unavailable ?? consequences[asked.kind]}</p>
    </FormDialog>
  )
}
