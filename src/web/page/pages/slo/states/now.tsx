import type { Budget, Checks } from '../../../api/types.ts'
import { link } from '../../../address/base.ts'
import { StateShape } from '../../../slo/state.tsx'
import { isBurning, shownState, type Stated } from '../../../slo/states.ts'
import { useNow } from '../../../ui/time.tsx'
import { chunk } from '../../../ui/chunk.tsx'
import { nowSentence } from '../now-sentence.ts'
import type { OpenIncident } from './open-incident.ts'

const Notified = chunk(async () => (await import('./notified.tsx')).Notified, null)

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
