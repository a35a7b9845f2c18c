import { asSentence } from '../../../format.ts'
import type { SourceTrial as Trial } from '../types.ts'
import { answeredSentence, answersSentence, noAnswerSentence, scrapesSentence } from './words.ts'

/** Result of a test query to a source. */
export function SourceTrial({ name, of: { ok, error, duration_ms, version, targets } }: { name: string; of: Trial }) {
  if (!ok) {
    return (
      <p class="crit-text message-text">
        <strong>{noAnswerSentence(duration_ms)}</strong> {asSentence(withoutName(error ?? '', name))}
      </p>
    )
  }
  return (
    <>
      <p>{answeredSentence(<strong>{answersSentence(duration_ms)}</strong>, version)}</p>
      {targets && <p class="muted">{scrapesSentence(targets)}</p>}
    </>
  )
}

/** Error of a source without the leading source name, for display next to the name. */
export function withoutName(error: string, name: string): string {
  return error.startsWith(`${name}: `) ? error.slice(name.length + 2) : error
}
