import type { IncidentList } from '../../../api/history.ts'
import type { Budget, Checks } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { StateShape } from '../../../slo/state.tsx'
import { isBurning, shownState, type Stated } from '../../../slo/states.ts'
import { useNow } from '../../../ui/time.tsx'
import { chunk } from '../../../ui/chunk.tsx'
import { nowSentence } from '../now-sentence.ts'

const Notified = chunk(async () => (await import('./notified.tsx')).Notified, null)

/** Path of the open incident of an SLO, with who was notified. */
export const openIncidentPath = (sloId: number) => `/incidents?slo_id=${sloId}&include=not_notified`

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
