import type { IncidentList } from '../../../api/history.ts'
import { me } from '../../../api/session.ts'
import type { Budget, Checks } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { mendOf, notifiedSentence, openingsOf } from '../../../incidents/incident-words.ts'
import { StateShape } from '../../../slo/state.tsx'
import { isBurning, shownState, type Stated } from '../../../slo/states.ts'
import { useNow } from '../../../ui/time.tsx'
import { nowSentence } from '../now-sentence.ts'

/** Open incident of an SLO, with its notifications. */
export type OpenIncident = IncidentList['incidents'][number]

type Props = {
  of: Budget & Stated & { measured_since: string }
  incident: OpenIncident | undefined
  checks: Checks | undefined
}

/** Sentence about an SLO at this second: its state, what is left, and who was notified. Links to its open incident. */
export function Now({ of, incident, checks }: Props) {
  const text = useNow((nowMs) => nowSentence(of, nowMs, { incident, checks }), [of, incident, checks])
  return (
    <p class="now">
      <StateShape state={shownState(of)} size={20} />{' '}
      <span>
        {text}
        {incident && isBurning(of.state) && <Notified of={incident} />}
        {incident && (
          <>
            {' '}
            <a href={link(`/incidents/${incident.id}`)}>Incident</a>
          </>
        )}
      </span>
    </p>
  )
}

/** Who was notified of an incident; where nobody was: why, and a link to what mends it. */
function Notified({ of }: { of: OpenIncident }) {
  const { slo_id, notifications = [], not_notified: others = [] } = of
  const text = useNow((nowMs) => notifiedSentence(notifications, nowMs, others), [of])
  const isNobody = openingsOf(notifications).every(({ isFailed }) => isFailed)
  const mend = isNobody && me.value?.role !== 'viewer' ? mendOf(others, slo_id) : null
  return (
    <>
      {' '}
      {text}
      {mend && (
        <>
          {' '}
          <a href={link(mend.path)}>{mend.label}</a>
        </>
      )}
    </>
  )
}
