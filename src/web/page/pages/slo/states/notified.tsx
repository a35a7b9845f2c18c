import { useEffect } from 'preact/hooks'
import { link } from '../../../address/base.ts'
import { resource } from '../../../api/resource.ts'
import { whyNot } from '../../../api/rights.ts'
import { fixLinkOf, newestMessages, notifiedSentence, wasNotified } from '../../../incidents/notified-words.ts'
import { useNow } from '../../../ui/time.tsx'
import { type OpenIncident, openIncidentPath } from './open-incident.ts'

const pollWhileSendingMs = 2000

/** Last receiver that was notified of an incident; if there was none: the reason, and a link to what corrects it. */
export function Notified({ of }: { of: OpenIncident }) {
  const { slo_id, not_notified: notNotified = [] } = of
  const text = useNow((nowMs) => notifiedSentence(of, nowMs, notNotified), [of])
  const isSending = newestMessages(of).some(({ isWaiting }) => isWaiting)
  useEffect(() => {
    if (isSending) resource(openIncidentPath(slo_id)).readSoon(pollWhileSendingMs)
  }, [isSending, of])
  const fixLink = !wasNotified(of) && !whyNot('edit') ? fixLinkOf(notNotified, slo_id) : null
  return (
    <>
      {' '}
      {text}
      {fixLink && (
        <>
          {' '}
          <a href={link(fixLink.path)}>{fixLink.label}</a>
        </>
      )}
    </>
  )
}
