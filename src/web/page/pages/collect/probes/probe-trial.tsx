import { asSentence } from '../../../format.ts'
import type { Trial } from '../types.ts'
import { FoundOut } from './findings.tsx'
import { failedSentence, succeededSentence } from './words.ts'

/** Result of a trial run of a probe, which was not stored. */
export function ProbeTrial({ of: { ok, error, duration_ms, findings } }: { of: Trial }) {
  return (
    <>
      {ok ? (
        <p>
          <strong>{succeededSentence(duration_ms)}</strong> Nothing of it was stored.
        </p>
      ) : (
        <p class="crit-text message-text">
          <strong>{failedSentence(duration_ms)}</strong> {asSentence(error ?? '')}
        </p>
      )}
      {findings && <FoundOut of={findings} />}
    </>
  )
}
