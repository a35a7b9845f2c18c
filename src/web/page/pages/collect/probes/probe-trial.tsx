import { asSentence } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'
import type { Trial } from '../types.ts'
import { FoundOut } from './findings.tsx'

/** Result of a trial run of a probe, which was not stored. */
export function ProbeTrial({ of: { ok, error, duration_ms, findings } }: { of: Trial }) {
  return (
    <>
      {ok ? (
        <p>
          <strong>It succeeds, in {formatMs(duration_ms)}.</strong> Nothing of it was stored.
        </p>
      ) : (
        <p class="crit-text message-text">
          <strong>It fails, after {formatMs(duration_ms)}.</strong> {asSentence(error ?? '')}
        </p>
      )}
      {findings && <FoundOut of={findings} />}
    </>
  )
}
