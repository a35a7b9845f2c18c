import { asSentence, formatCount } from '../../../format.ts'
import { formatMs } from '../parts/words.ts'
import type { SourceTrial as Trial } from '../types.ts'
import { answeredSentence } from './words.ts'

/** Result of a test query to a source. */
export function SourceTrial({ name, of: { ok, error, duration_ms, version, targets } }: { name: string; of: Trial }) {
  if (!ok) {
    return (
      <p class="crit-text message-text">
        <strong>No answer after {formatMs(duration_ms)}.</strong> {asSentence(withoutName(error ?? '', name))}
      </p>
    )
  }
  return (
    <>
      <p>{answeredSentence(<strong>It answers PromQL, in {formatMs(duration_ms)}.</strong>, version)}</p>
      {targets && (
        <p class="muted">
          {targets.all === 0
            ? 'It scrapes no metrics endpoints.'
            : `${formatCount(targets.up)} of ${formatCount(targets.all)} metrics endpoints are up. Jobs: ${targets.jobs.join(', ') || 'none named'}.`}
        </p>
      )}
    </>
  )
}

/** Error of a source without the leading source name, for display next to the name. */
export function withoutName(error: string, name: string): string {
  return error.startsWith(`${name}: `) ? error.slice(name.length + 2) : error
}
