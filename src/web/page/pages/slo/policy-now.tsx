import type { LineInForce } from '../../../../slos/arithmetic/budget-policy.ts'
import { policyWords } from '../../slo/policy/policy-words.ts'

/** Line of the error budget policy that holds. */
export function PolicyNow({ of }: { of: LineInForce }) {
  const text = policyWords(of)
  if (of.url === '') return <p>{text}</p>
  return (
    <p>
      <a href={of.url} target="_blank" rel="noreferrer">
        {text}
      </a>
    </p>
  )
}
