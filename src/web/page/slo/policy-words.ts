import type { PolicyLine } from '../../../slos/arithmetic/budget-policy.ts'
import { formatPercent } from '../format.ts'

/** Line of an error budget policy in words: `At 25 % or less: Freeze of risky deploys`. */
export function policyWords({ percent_left, text }: PolicyLine): string {
  return `At ${formatPercent(percent_left)} or less: ${text}`
}
