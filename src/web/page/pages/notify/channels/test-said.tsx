import { StatusShape } from '../../../ui/status.tsx'
import { formatClockSeconds } from '../../../format.ts'
import type { TestAnswer } from './test-channel.ts'

/** Result of a test, with the receiver's answer. */
export function TestSaid({ answer }: { answer: TestAnswer | null | undefined }) {
  return (
    <div class="test-said" role="status">
      {answer && (
        <p class={`with-icon ${answer.isArrived ? 'arrived' : 'refused'}`}>
          <StatusShape state={answer.isArrived ? 'healthy' : 'critical'} />
          <span>
            Test at {formatClockSeconds(answer.atMs)}. {answer.text}
          </span>
        </p>
      )}
    </div>
  )
}
