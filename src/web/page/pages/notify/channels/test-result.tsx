import { useEffect, useRef } from 'preact/hooks'
import { StatusShape } from '../../../ui/status.tsx'
import type { TestAnswer } from './test-channel.ts'
import { testedSentences } from './words.ts'

/** Result of a test, with the receiver's answer. It scrolls into view when it arrives. */
export function TestResult({ answer }: { answer: TestAnswer | null | undefined }) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (answer) element.current?.scrollIntoView({ block: 'nearest' })
  }, [answer])
  return (
    <div ref={element} class="test-result" role="status">
      {answer && (
        <p class={`with-icon ${answer.isArrived ? 'arrived' : 'refused'}`}>
          <StatusShape state={answer.isArrived ? 'healthy' : 'critical'} />
          <span>{testedSentences(answer.atMs, answer.text)}</span>
        </p>
      )}
    </div>
  )
}
